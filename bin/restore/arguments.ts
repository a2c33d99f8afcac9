import {
  COMMON_HELP,
  type Common,
  readCommandLine,
  required,
  takesOnly,
} from '../operator/arguments.ts';
import { CommandError } from '../operator/command-error.ts';
import { PARTS, type Part } from './copy-back.ts';

export type RestoreCommand =
  | { readonly kind: 'help' }
  | (Common & { readonly kind: Part; readonly from: string });

export const HELP = `Usage: npm run restore -- keys|everything --from TABLE [options]

Copies items that are missing from a stage's table out of another one, which a restore has made
(docs/aws.md, "Backup and restore"). What is there is never overwritten, so it may run again.

  keys                         API keys and tenants
  everything                   batches too
  --from TABLE                 the restored table
${COMMON_HELP}`;

/** @throws CommandError */
export function readArguments(args: readonly string[]): RestoreCommand {
  const line = readCommandLine(args, ['from']);
  if (line.kind === null) return { kind: 'help' };
  const part = PARTS.find((known) => known === line.kind);
  if (part === undefined)
    throw new CommandError(`there is no "${line.kind}"; use ${PARTS.join(', ')}`);
  takesOnly(line, 'from');
  return { kind: part, ...line.common, from: required(line.given.from, '--from') };
}
