import { CommandError } from '../operator/command.ts';
import {
  acceptOnly,
  COMMON_HELP,
  type CommandLine,
  type Common,
  parseTenant,
  readCommandLine,
  requireOption,
} from '../operator/command-line.ts';

export type KeysCommand =
  | { readonly kind: 'help' }
  | (Common & {
      readonly kind: 'create';
      readonly tenant: string;
      readonly name: string | null;
      readonly expiresAt: string | null;
    })
  | (Common & { readonly kind: 'list'; readonly tenant: string | null })
  | (Common & {
      readonly kind: 'rotate';
      readonly id: string;
      readonly overlapSeconds: number;
      readonly expiresAt: string | null;
    })
  | (Common & { readonly kind: 'revoke'; readonly id: string });

export const HELP = `Usage: npm run keys -- <command> [options]

Commands
  create --tenant T [--name N] [--expires WHEN]   create a key; its text is printed only once
  list [--tenant T]                               list keys without their text
  rotate --id key_… [--overlap TIME] [--expires WHEN]
                                                  replace a key with a new one of the same tenant
  revoke --id key_…                               revoke a key; effective within a minute

Options
  --expires WHEN               days from now, such as 90d, or an ISO 8601 date or time
  --overlap TIME               how long the old key stays valid: 30m, 24h, at most 7d (default: 24h)
${COMMON_HELP}`;

const OPTIONS = ['tenant', 'name', 'expires', 'id', 'overlap'] as const;
type Options = CommandLine<(typeof OPTIONS)[number]>['given'];

/** @throws CommandError */
export function parseKeysCommand(args: readonly string[], now: Date): KeysCommand {
  const line = readCommandLine(args, OPTIONS);
  const { kind, common, given } = line;
  switch (kind) {
    case null:
      return { kind: 'help' };
    case 'create':
      acceptOnly(line, 'tenant', 'name', 'expires');
      return {
        ...common,
        kind,
        tenant: parseTenant(given.tenant),
        name: given.name ?? null,
        expiresAt: parseExpiry(given, now),
      };
    case 'list':
      acceptOnly(line, 'tenant');
      return {
        ...common,
        kind,
        tenant: given.tenant === undefined ? null : parseTenant(given.tenant),
      };
    case 'rotate':
      acceptOnly(line, 'id', 'overlap', 'expires');
      return {
        ...common,
        kind,
        id: requireOption(given.id, '--id'),
        overlapSeconds: parseOverlap(given.overlap ?? '24h'),
        expiresAt: parseExpiry(given, now),
      };
    case 'revoke':
      acceptOnly(line, 'id');
      return { ...common, kind, id: requireOption(given.id, '--id') };
    default:
      throw new CommandError(`unknown command: ${kind} (create, list, rotate or revoke)`);
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

function parseExpiry({ expires: text }: Options, now: Date): string | null {
  if (text === undefined) return null;
  const days = /^([1-9]\d{0,3})d$/.exec(text)?.[1];
  const time =
    days === undefined
      ? ISO_TIME.test(text)
        ? Date.parse(text)
        : Number.NaN
      : now.getTime() + Number(days) * DAY_MS;
  if (Number.isNaN(time)) {
    throw new CommandError(
      `--expires must be a number of days such as 90d, a date such as 2027-01-31, or a time with its zone; got ${text}`,
    );
  }
  if (time <= now.getTime()) throw new CommandError(`--expires is in the past: ${text}`);
  return new Date(time).toISOString();
}

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** Every valid key is a risk, and a week is enough to distribute a new key. */
const LONGEST_OVERLAP = 7 * 86_400;

function parseOverlap(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (SECONDS[unit] ?? Number.NaN);
  if (seconds <= LONGEST_OVERLAP) return seconds;
  throw new CommandError(
    `--overlap must be minutes, hours or days, such as 30m, 24h or 7d, and at most 7d; got ${text}`,
  );
}
