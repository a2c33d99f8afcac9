import { parseArgs } from 'node:util';
import { TENANT_NAME } from '../../lambdas/domain/tenant/tenant.ts';
import { STAGES, type StageName } from '../../lib/stages.ts';

interface Common {
  readonly stage: StageName;
  readonly json: boolean;
}

export type KeysCommand =
  | { readonly kind: 'help' }
  | (Common & {
      readonly kind: 'create';
      readonly tenant: string;
      readonly name: string | null;
      readonly expiresAt: string | null;
    })
  | (Common & { readonly kind: 'list'; readonly tenant: string | null })
  | (Common & { readonly kind: 'revoke'; readonly id: string });

export const HELP = `Usage: npm run keys -- <command> [options]

Commands
  create --tenant T [--name N] [--expires WHEN]   make a key; it is shown this once
  list [--tenant T]                               the keys known, never their text
  revoke --id key_…                               end a key; it is dead within a minute

Options
  --stage local|dev|prod   whose keys (default: local, the service of "npm start")
  --expires WHEN           days from now, as 90d, or an ISO 8601 date or time
  --json                   print JSON
  --help                   print this

dev and prod use the AWS credentials and region of your environment.`;

/** What the caller did wrong, in words for them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError */
export function readArguments(args: readonly string[], now: Date): KeysCommand {
  const { values, positionals } = parse(args);
  const [command, ...rest] = positionals;
  if (values.help === true || command === undefined) return { kind: 'help' };
  if (rest.length > 0) throw new UsageError(`unexpected argument: ${rest.join(' ')}`);
  const common = { stage: stageOf(values.stage), json: values.json === true };
  switch (command) {
    case 'create':
      refuse(values, ['id'], command);
      return {
        ...common,
        kind: command,
        tenant: tenantOf(required(values.tenant, '--tenant')),
        name: values.name ?? null,
        expiresAt: values.expires === undefined ? null : expiryOf(values.expires, now),
      };
    case 'list':
      refuse(values, ['id', 'name', 'expires'], command);
      return {
        ...common,
        kind: command,
        tenant: values.tenant === undefined ? null : tenantOf(values.tenant),
      };
    case 'revoke':
      refuse(values, ['tenant', 'name', 'expires'], command);
      return { ...common, kind: command, id: required(values.id, '--id') };
    default:
      throw new UsageError(`unknown command: ${command} (create, list or revoke)`);
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        tenant: { type: 'string' },
        name: { type: 'string' },
        expires: { type: 'string' },
        id: { type: 'string' },
        stage: { type: 'string', default: 'local' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function refuse<Name extends string>(
  values: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
  command: string,
): void {
  const given = names.find((name) => values[name] !== undefined);
  if (given !== undefined) throw new UsageError(`${command} takes no --${given}`);
}

function required(value: string | undefined, option: string): string {
  if (value === undefined || value === '') throw new UsageError(`${option} is required`);
  return value;
}

function stageOf(text: string): StageName {
  const stage = STAGES.find((name) => name === text);
  if (stage === undefined)
    throw new UsageError(`--stage must be ${STAGES.join(', ')}; got ${text}`);
  return stage;
}

function tenantOf(text: string): string {
  if (TENANT_NAME.test(text)) return text;
  throw new UsageError(
    '--tenant must be 1 to 63 letters, digits, "-" and "_", beginning with a letter or digit',
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

function expiryOf(text: string, now: Date): string {
  const days = /^([1-9]\d{0,3})d$/.exec(text)?.[1];
  const time =
    days === undefined
      ? ISO_TIME.test(text)
        ? Date.parse(text)
        : Number.NaN
      : now.getTime() + Number(days) * DAY_MS;
  if (Number.isNaN(time)) {
    throw new UsageError(
      `--expires must be days like 90d, a date like 2027-01-31 or a time with its zone; got ${text}`,
    );
  }
  if (time <= now.getTime()) throw new UsageError(`--expires is in the past: ${text}`);
  return new Date(time).toISOString();
}
