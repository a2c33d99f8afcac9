import { randomUUID } from 'node:crypto';
import { CommandError, type Result } from '../operator/command.ts';
import { COMMON_HELP, type Common, readCommandLine } from '../operator/command-line.ts';

export type SigningKeyCommand = { readonly kind: 'help' } | ({ readonly kind: 'revoke' } & Common);

export const HELP = `npm run signing-key -- <command> [options]

  revoke                       deletes the key that signs results, and any key that a rotation replaced,
                               and creates a new one. Existing URLs stop working immediately; URLs signed in
                               the next five minutes may fail too.

  --confirm <stage>            the name of the stage again, to confirm
${COMMON_HELP}`;

/** @throws CommandError */
export function parseSigningKeyCommand(args: readonly string[]): SigningKeyCommand {
  const { kind, common, given } = readCommandLine(args, ['confirm']);
  if (kind === null) return { kind: 'help' };
  if (kind !== 'revoke') throw new CommandError(`unknown command: ${kind} (revoke)`);
  if (given.confirm !== common.stage) {
    throw new CommandError(
      `all signed URLs will stop working; confirm with --confirm ${common.stage}`,
    );
  }
  return { kind, ...common };
}

/** @returns the error's text; null on success */
export type Invoke = (event: {
  readonly Step: 'revoke';
  readonly ClientRequestToken: string;
}) => Promise<string | null>;

/** The key never leaves the function. @throws CommandError */
export async function revokeSigningKey(invoke: Invoke): Promise<Result> {
  const error = await invoke({ Step: 'revoke', ClientRequestToken: randomUUID() });
  if (error !== null) {
    throw new CommandError(
      `the keys may have been deleted without being replaced; run the command again (${error})`,
      1,
    );
  }
  return {
    data: { revoked: true },
    text: 'The signing keys were deleted and replaced. URLs signed in the next five minutes may still fail.',
  };
}
