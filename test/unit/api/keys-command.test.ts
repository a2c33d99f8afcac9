import { describe, expect, it } from 'vitest';
import { parseKeysCommand } from '../../../bin/keys/keys-command.ts';
import { runKeys } from '../../../bin/keys/manage-keys.ts';
import { CommandError } from '../../../bin/operator/command.ts';
import { dynamoApiKeys } from '../../../lambdas/adapters/dynamodb/api-keys.ts';
import { hashApiKey } from '../../../lambdas/domain/tenant/api-key.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';

const NOW = new Date('2026-03-04T05:06:07.089Z');

function keysCommand() {
  const keys = dynamoApiKeys(inMemoryTable(() => NOW));
  const result = async (...args: readonly string[]) => {
    const command = parseKeysCommand(args, NOW);
    if (command.kind === 'help') throw new Error('help');
    return runKeys(command, { keys, clock: () => NOW });
  };
  return {
    keys,
    run: async (...args: string[]) => (await result(...args)).text,
    json: async (...args: string[]) => JSON.parse(JSON.stringify((await result(...args)).data)),
  };
}

describe('the keys command', () => {
  it('creates a key, lists it without its secret, and revokes it', async () => {
    const { json, run, keys } = keysCommand();
    const made = await json('create', '--tenant', 'alpha', '--name', 'laptop', '--expires', '90d');
    expect(await keys.find(hashApiKey(made.key))).toMatchObject({
      tenant: 'alpha',
      name: 'laptop',
    });
    expect(made.expires_at).toBe('2026-06-02T05:06:07.089Z');
    expect(await json('list')).toMatchObject({ keys: [{ id: made.id, state: 'active' }] });
    expect(await run('list')).not.toContain(made.key);
    expect(await run('revoke', '--id', made.id)).toContain('is revoked');
    expect(await json('list', '--tenant', 'alpha')).toMatchObject({ keys: [{ state: 'revoked' }] });
  });

  it('lists the keys of one tenant with --tenant', async () => {
    const { json } = keysCommand();
    await json('create', '--tenant', 'alpha');
    await json('create', '--tenant', 'beta');
    expect((await json('list')).keys).toHaveLength(2);
    expect((await json('list', '--tenant', 'beta')).keys).toHaveLength(1);
    expect((await json('list', '--tenant', 'gamma')).keys).toEqual([]);
  });

  it('reports an unknown key', async () => {
    const { run } = keysCommand();
    await expect(run('revoke', '--id', 'key_none')).rejects.toThrow(/no key has the ID key_none/);
  });

  it('rotates a key: creates one with the same tenant and name, and keeps the old key valid for a day', async () => {
    const { json, keys } = keysCommand();
    const old = await json('create', '--tenant', 'alpha', '--name', 'laptop');
    const made = await json('rotate', '--id', old.id);
    expect(made).toMatchObject({ tenant: 'alpha', name: 'laptop', expires_at: null });
    expect(made.replaces).toMatchObject({ id: old.id, expires_at: '2026-03-05T05:06:07.089Z' });
    expect((await keys.find(hashApiKey(old.key)))?.expiresAt).toBe('2026-03-05T05:06:07.089Z');
    expect((await keys.find(hashApiKey(made.key)))?.expiresAt).toBeNull();
  });

  it('keeps a rotated key valid during the overlap, but not beyond its expiry', async () => {
    const { json } = keysCommand();
    const old = await json('create', '--tenant', 'alpha', '--expires', '2d');
    const made = await json('rotate', '--id', old.id, '--overlap', '7d', '--expires', '90d');
    expect(made.expires_at).toBe('2026-06-02T05:06:07.089Z');
    expect(made.replaces.expires_at).toBe(old.expires_at);
    const again = await json('rotate', '--id', old.id, '--overlap', '30m');
    expect(again.replaces.expires_at).toBe('2026-03-04T05:36:07.089Z');
  });

  it('does not rotate an expired or unknown key', async () => {
    const { json, run } = keysCommand();
    const old = await json('create', '--tenant', 'alpha');
    await json('revoke', '--id', old.id);
    await expect(run('rotate', '--id', old.id)).rejects.toThrow(/create/);
    await expect(run('rotate', '--id', 'key_none')).rejects.toThrow(/no key has the ID/);
    expect((await json('list')).keys).toHaveLength(1);
  });

  it.each([
    [['crate'], /unknown command: crate/],
    [['create'], /--tenant is required/],
    [['create', '--tenant', 'a b'], /--tenant must be/],
    [
      ['create', '--tenant', 'a', '--stage', 'test'],
      /--stage must be one of local, dev, prod; got test/,
    ],
    [['create', '--tenant', 'a', '--expires', 'soon'], /--expires must be/],
    [['create', '--tenant', 'a', '--expires', '2020-01-01'], /in the past/],
    [['create', '--tenant', 'a', '--id', 'x'], /create .*--id/],
    [['create', '--tenant', 'a', 'b'], /unexpected.*: b/],
    [['revoke'], /--id is required/],
    [['rotate'], /--id is required/],
    [['rotate', '--id', 'k', '--overlap', '8d'], /\b7d; got 8d/],
    [['rotate', '--id', 'k', '--overlap', '0h'], /--overlap must be/],
    [['rotate', '--id', 'k', '--tenant', 'a'], /rotate .*--tenant/],
    [['list', '--colour'], /--colour/],
  ])('rejects %j', (args, says) => {
    expect(() => parseKeysCommand(args, NOW)).toThrow(CommandError);
    expect(() => parseKeysCommand(args, NOW)).toThrow(says);
  });

  it('shows its help on request and without arguments', () => {
    expect(parseKeysCommand(['create', '--help'], NOW)).toEqual({ kind: 'help' });
    expect(parseKeysCommand([], NOW)).toEqual({ kind: 'help' });
  });
});
