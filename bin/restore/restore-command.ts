import { CommandError } from '../operator/command.ts';
import {
  acceptOnly,
  COMMON_HELP,
  type Common,
  readCommandLine,
  requireOption,
} from '../operator/command-line.ts';
import { PARTS, type Part } from './copy-back.ts';

export type RestoreCommand =
  | { readonly kind: 'help' }
  | (Common & { readonly kind: Part; readonly from: string });

export const HELP = `Usage: npm run restore -- keys|everything --from TABLE [options]

Copies items from a restored table to a stage's table (docs/aws.md, "Backup and restore").
Never overwrites existing items, and is safe to repeat.

  keys                         API keys and tenants
  everything                   API keys, tenants and batches
  --from TABLE                 the restored table
${COMMON_HELP}`;

/** @throws CommandError */
export function parseRestoreCommand(args: readonly string[]): RestoreCommand {
  const line = readCommandLine(args, ['from']);
  if (line.kind === null) return { kind: 'help' };
  const part = PARTS.find((known) => known === line.kind);
  if (part === undefined)
    throw new CommandError(`unknown command: ${line.kind} (${PARTS.join(' or ')})`);
  acceptOnly(line, 'from');
  return { kind: part, ...line.common, from: requireOption(line.given.from, '--from') };
}
