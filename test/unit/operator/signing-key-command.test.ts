import { describe, expect, it } from 'vitest';
import { CommandError } from '../../../bin/operator/command.ts';
import {
  type Invoke,
  parseSigningKeyCommand,
  revokeSigningKey,
} from '../../../bin/signing-key/revoke.ts';

describe('the command that revokes the signing key', () => {
  it('runs only if the stage is confirmed', () => {
    const revoke = ['revoke', '--stage', 'prod'];
    expect(() => parseSigningKeyCommand(revoke)).toThrow(/--confirm prod/);
    expect(() => parseSigningKeyCommand([...revoke, '--confirm', 'dev'])).toThrow(CommandError);
    expect(parseSigningKeyCommand([...revoke, '--confirm', 'prod'])).toEqual({
      kind: 'revoke',
      stage: 'prod',
      json: false,
    });
    expect(() => parseSigningKeyCommand(['rotate'])).toThrow(/revoke/);
    expect(parseSigningKeyCommand([])).toEqual({ kind: 'help' });
  });

  it('uses a new token for each invocation', async () => {
    const events: Parameters<Invoke>[0][] = [];
    const invoke: Invoke = async (event) => {
      events.push(event);
      return null;
    };
    expect((await revokeSigningKey(invoke)).data).toEqual({ revoked: true });
    await revokeSigningKey(invoke);
    expect(events.map(({ Step }) => Step)).toEqual(['revoke', 'revoke']);
    expect(new Set(events.map(({ ClientRequestToken }) => ClientRequestToken)).size).toBe(2);
  });

  it('fails with the function’s error', async () => {
    const failing = revokeSigningKey(async () => '{"errorType": "KeyNotAccepted"}');
    await expect(failing).rejects.toThrow(/KeyNotAccepted/);
    await expect(failing).rejects.toBeInstanceOf(CommandError);
  });
});
