import { parseArgs } from 'node:util';
import { type LimitChanges, TENANT_NAME } from '../../lambdas/domain/tenant/tenant.ts';
import { STAGES, type StageName } from '../../lib/stages.ts';
import { UsageError } from '../keys/arguments.ts';

interface Common {
  readonly stage: StageName;
  readonly json: boolean;
}

export type TenantsCommand =
  | { readonly kind: 'help' }
  | (Common & { readonly kind: 'list' })
  | (Common & {
      readonly kind: 'create' | 'set';
      readonly tenant: string;
      readonly limits: LimitChanges;
    })
  | (Common & { readonly kind: 'disable' | 'enable'; readonly tenant: string });

export const HELP = `Usage: npm run tenants -- <command> [options]

Commands
  create --tenant T [limits]   write down a tenant; one that is not has the defaults
  set --tenant T limits        change its limits
  list                         the tenants written down
  disable --tenant T           its keys are answered 403, within a minute
  enable --tenant T            its keys are good again

Limits, for a UTC day
  --jobs-per-day N             or "default"
  --hectares-per-day N         or "default"

Options
  --stage local|dev|prod       whose tenants (default: local, the service of "npm start")
  --json                       print JSON
  --help                       print this

dev and prod use the AWS credentials and region of your environment.`;

/** @throws UsageError */
export function readArguments(args: readonly string[]): TenantsCommand {
  const { values, positionals } = parse(args);
  const [kind, ...rest] = positionals;
  if (values.help === true || kind === undefined) return { kind: 'help' };
  if (rest.length > 0) throw new UsageError(`unexpected argument: ${rest.join(' ')}`);
  const common = { stage: stageOf(values.stage), json: values.json === true };
  const limits = limitsOf(values);
  const limited = Object.keys(limits).length > 0;
  switch (kind) {
    case 'list':
      if (values.tenant !== undefined) throw new UsageError('list takes no --tenant');
      if (limited) throw new UsageError('list takes no limits');
      return { ...common, kind };
    case 'create':
      return { ...common, kind, tenant: tenantOf(values.tenant), limits };
    case 'set':
      if (!limited) throw new UsageError('set needs a limit to set');
      return { ...common, kind, tenant: tenantOf(values.tenant), limits };
    case 'disable':
    case 'enable':
      if (limited) throw new UsageError(`${kind} takes no limits`);
      return { ...common, kind, tenant: tenantOf(values.tenant) };
    default:
      throw new UsageError(`unknown command: ${kind} (create, set, list, disable or enable)`);
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        tenant: { type: 'string' },
        'jobs-per-day': { type: 'string' },
        'hectares-per-day': { type: 'string' },
        stage: { type: 'string', default: 'local' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function limitsOf(values: ReturnType<typeof parse>['values']): LimitChanges {
  const jobs = values['jobs-per-day'];
  const hectares = values['hectares-per-day'];
  return {
    ...(jobs === undefined ? {} : { jobsPerDay: limitOf('--jobs-per-day', jobs) }),
    ...(hectares === undefined ? {} : { hectaresPerDay: limitOf('--hectares-per-day', hectares) }),
  };
}

/** Square metres of the largest still add up exactly. */
const MOST = 1_000_000_000;

function limitOf(option: string, text: string): number | null {
  if (text === 'default') return null;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= MOST) return value;
  throw new UsageError(
    `${option} must be a whole number from 0 to ${MOST}, or "default"; got ${text}`,
  );
}

function stageOf(text: string): StageName {
  const stage = STAGES.find((name) => name === text);
  if (stage === undefined)
    throw new UsageError(`--stage must be ${STAGES.join(', ')}; got ${text}`);
  return stage;
}

function tenantOf(text: string | undefined): string {
  if (text === undefined || text === '') throw new UsageError('--tenant is required');
  if (TENANT_NAME.test(text)) return text;
  throw new UsageError(
    '--tenant must be 1 to 63 letters, digits, "-" and "_", beginning with a letter or digit',
  );
}
