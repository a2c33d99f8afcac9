import { randomUUID } from 'node:crypto';
import { CommandError, type Result } from '../operator/command.ts';

/** Invokes the function that rotates the key. @returns the error's text, null for success */
export type Invoke = (event: {
  readonly Step: 'revoke';
  readonly ClientRequestToken: string;
}) => Promise<string | null>;

/** The key itself never leaves the function. @throws CommandError */
export async function revokeSigningKey(invoke: Invoke): Promise<Result> {
  const error = await invoke({ Step: 'revoke', ClientRequestToken: randomUUID() });
  if (error !== null) {
    throw new CommandError(`the keys may be deleted without a new one; run it again: ${error}`, 1);
  }
  return {
    data: { revoked: true },
    text: 'The signing keys are deleted, and a new one signs. URLs signed within five minutes may still not work.',
  };
}
