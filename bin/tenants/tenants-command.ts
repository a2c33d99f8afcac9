import type { LimitChanges, TenantLimits } from '../../lambdas/domain/tenant/tenant.ts';
import { CommandError } from '../operator/command.ts';
import {
  acceptOnly,
  COMMON_HELP,
  type CommandLine,
  type Common,
  parseTenant,
  readCommandLine,
} from '../operator/command-line.ts';

export type TenantsCommand =
  | { readonly kind: 'help' }
  | (Common & { readonly kind: 'list' })
  | (Common & {
      readonly kind: 'create' | 'set';
      readonly tenant: string;
      readonly limits: LimitChanges;
    })
  | (Common & { readonly kind: 'disable' | 'enable'; readonly tenant: string });

interface LimitOption {
  readonly option: string;
  readonly says: string;
  readonly least: number;
  readonly most: number;
}

/** This many hectares are far fewer than 2^53 square metres, so that sums stay precise. */
const MOST = 1_000_000_000;

const LIMIT_OPTIONS: Readonly<Required<Record<keyof TenantLimits, LimitOption>>> = {
  jobsPerDay: { option: 'jobs-per-day', says: 'jobs in a UTC day', least: 0, most: MOST },
  hectaresPerDay: {
    option: 'hectares-per-day',
    says: 'hectares of charged area in a UTC day',
    least: 0,
    most: MOST,
  },
  hectaresPerJob: {
    option: 'hectares-per-job',
    says: 'hectares of charged area of one job',
    least: 1,
    // A square with edges of 22,360 cells of 10 m.
    most: 5_000_000,
  },
  requestsPerMinute: {
    option: 'requests-per-minute',
    says: 'requests of any kind in a minute',
    least: 1,
    // One item counts the requests, and DynamoDB allows 1,000 writes per second and partition.
    most: 60_000,
  },
  runningBatches: {
    option: 'running-batches',
    says: 'batches that run at the same time',
    least: 1,
    // The Step Functions quota for an account's open map runs.
    most: 1_000,
  },
};

const LIMIT_NAMES = Object.keys(LIMIT_OPTIONS) as readonly (keyof TenantLimits)[];

const LIMIT_HELP = Object.values(LIMIT_OPTIONS)
  .map(({ option, says }) => `  ${`--${option} N`.padEnd(27)}  ${says}`)
  .join('\n');

export const HELP = `Usage: npm run tenants -- <command> [options]

Commands
  create --tenant T [limits]   create a record; a tenant without one has the default limits
  set --tenant T limits        change limits; effective within a minute
  list                         list tenants with a record
  disable --tenant T           reject its keys with 403; effective within a minute
  enable --tenant T            accept its keys again

Limits, each a whole number or "default"
${LIMIT_HELP}

Options
${COMMON_HELP}`;

const OPTIONS = ['tenant', ...Object.values(LIMIT_OPTIONS).map(({ option }) => option)] as const;

/** @throws CommandError */
export function parseTenantsCommand(args: readonly string[]): TenantsCommand {
  const line = readCommandLine<string>(args, OPTIONS);
  const { kind, common, given } = line;
  switch (kind) {
    case null:
      return { kind: 'help' };
    case 'list':
      acceptOnly(line);
      return { ...common, kind };
    case 'create':
      return { ...common, kind, tenant: parseTenant(given['tenant']), limits: parseLimits(given) };
    case 'set': {
      const limits = parseLimits(given);
      if (Object.keys(limits).length === 0)
        throw new CommandError('set requires at least one limit');
      return { ...common, kind, tenant: parseTenant(given['tenant']), limits };
    }
    case 'disable':
    case 'enable':
      acceptOnly(line, 'tenant');
      return { ...common, kind, tenant: parseTenant(given['tenant']) };
    default:
      throw new CommandError(`unknown command: ${kind} (create, set, list, disable or enable)`);
  }
}

function parseLimits(given: CommandLine<string>['given']): LimitChanges {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const limit = LIMIT_OPTIONS[name];
      const text = given[limit.option];
      return text === undefined ? [] : [[name, parseLimit(limit, text)]];
    }),
  );
}

function parseLimit({ option, least, most }: LimitOption, text: string): number | null {
  if (text === 'default') return null;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new CommandError(
    `--${option} must be a whole number from ${least} to ${most}, or "default"; got ${text}`,
  );
}
