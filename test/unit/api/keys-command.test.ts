import { describe, expect, it } from 'vitest';
import { readArguments, UsageError } from '../../../bin/keys/arguments.ts';
import { runKeys } from '../../../bin/keys/run.ts';
import { digestOf } from '../../../lambdas/domain/tenant/api-key.ts';
import { inMemoryApiKeys } from './api-keys-in-memory.ts';

const NOW = new Date('2026-03-04T05:06:07.089Z');

function keysCommand() {
  const keys = inMemoryApiKeys();
  const run = async (...args: readonly string[]) => {
    const command = readArguments(args, NOW);
    if (command.kind === 'help') throw new Error('help');
    return runKeys(command, { keys, clock: () => NOW });
  };
  return { keys, run, json: async (...args: string[]) => JSON.parse(await run(...args, '--json')) };
}

describe('the keys command', () => {
  it('creates a key, lists it without its text, and revokes it', async () => {
    const { json, run, keys } = keysCommand();
    const made = await json('create', '--tenant', 'alpha', '--name', 'laptop', '--expires', '90d');
    expect(keys.records.has(digestOf(made.key))).toBe(true);
    expect(made.expires_at).toBe('2026-06-02T05:06:07.089Z');
    expect(await json('list')).toMatchObject({ keys: [{ id: made.id, state: 'active' }] });
    expect(await run('list')).not.toContain(made.key);
    expect(await run('revoke', '--id', made.id)).toContain('is revoked');
    expect(await json('list', '--tenant', 'alpha')).toMatchObject({ keys: [{ state: 'revoked' }] });
  });

  it('lists the keys of one tenant when asked so', async () => {
    const { json } = keysCommand();
    await json('create', '--tenant', 'alpha');
    await json('create', '--tenant', 'beta');
    expect((await json('list')).keys).toHaveLength(2);
    expect((await json('list', '--tenant', 'beta')).keys).toHaveLength(1);
    expect((await json('list', '--tenant', 'gamma')).keys).toEqual([]);
  });

  it('says so when there is no such key', async () => {
    const { run } = keysCommand();
    await expect(run('revoke', '--id', 'key_none')).rejects.toThrow(/no key has the id key_none/);
  });

  it.each([
    [['crate'], /unknown command: crate/],
    [['create'], /--tenant is required/],
    [['create', '--tenant', 'a b'], /--tenant must be/],
    [['create', '--tenant', 'a', '--stage', 'test'], /--stage must be local, dev, prod; got test/],
    [['create', '--tenant', 'a', '--expires', 'soon'], /--expires must be/],
    [['create', '--tenant', 'a', '--expires', '2020-01-01'], /in the past/],
    [['create', '--tenant', 'a', '--id', 'x'], /create takes no --id/],
    [['create', '--tenant', 'a', 'b'], /unexpected argument: b/],
    [['revoke'], /--id is required/],
    [['list', '--colour'], /--colour/],
  ])('refuses %j', (args, says) => {
    expect(() => readArguments(args, NOW)).toThrow(UsageError);
    expect(() => readArguments(args, NOW)).toThrow(says);
  });

  it('shows its help when asked, and when asked nothing', () => {
    expect(readArguments(['create', '--help'], NOW)).toEqual({ kind: 'help' });
    expect(readArguments([], NOW)).toEqual({ kind: 'help' });
  });
});
