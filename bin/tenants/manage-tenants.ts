import { type Clock, timestamp } from '../../lambdas/domain/clock.ts';
import {
  type LimitChanges,
  limitsOf,
  type TenantRecord,
  type TenantRecords,
} from '../../lambdas/domain/tenant/tenant.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import type { StageName } from '../../lib/stages.ts';
import { CommandError, type Result } from '../operator/command.ts';
import type { TenantsCommand } from './tenants-command.ts';

interface Ports {
  readonly tenants: TenantRecords;
  readonly clock: Clock;
}

export async function runTenants(
  command: Exclude<TenantsCommand, { kind: 'help' }>,
  ports: Ports,
): Promise<Result> {
  if (command.kind === 'list') {
    const rows = (await ports.tenants.list()).map((record) => toTenantRow(record, command.stage));
    const text = rows.length === 0 ? 'No tenants.' : rows.map(formatTenantLine).join('\n');
    return { data: { tenants: rows }, text };
  }
  await changeTenant(command, ports);
  const record = await ports.tenants.find(command.tenant);
  if (record === null) throw new CommandError(`the tenant ${command.tenant} has no record`);
  const row = toTenantRow(record, command.stage);
  return { data: row, text: formatTenantLine(row) };
}

async function changeTenant(
  command: Extract<TenantsCommand, { tenant: string }>,
  { tenants, clock }: Ports,
): Promise<void> {
  const { kind, tenant } = command;
  const now = timestamp(clock());
  switch (kind) {
    case 'create': {
      const limits = omitDefaults(command.limits);
      const created = await tenants.create({ tenant, createdAt: now, disabledAt: null, limits });
      if (created === 'exists')
        throw new CommandError(`the tenant ${tenant} already has a record; use set`);
      return;
    }
    case 'set': {
      const set = await tenants.setLimits(tenant, command.limits);
      if (set === 'unknown')
        throw new CommandError(`the tenant ${tenant} has no record; use create`);
      return;
    }
    case 'disable':
      return tenants.disable(tenant, now);
    case 'enable':
      return tenants.enable(tenant);
  }
}

function omitDefaults(changes: LimitChanges): TenantRecord['limits'] {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null));
}

function toTenantRow(record: TenantRecord, stage: StageName) {
  const limits = limitsOf(record);
  return {
    tenant: record.tenant,
    state: record.disabledAt === null ? 'enabled' : 'disabled',
    jobs_per_day: limits.jobsPerDay,
    hectares_per_day: limits.hectaresPerDay,
    hectares_per_job: limits.hectaresPerJob,
    requests_per_minute: limits.requestsPerMinute,
    running_batches: limits.runningBatches ?? readStageConfig(stage).runningBatches.perTenant,
    created_at: record.createdAt,
    disabled_at: record.disabledAt,
  };
}

function formatTenantLine(row: ReturnType<typeof toTenantRow>): string {
  return [
    row.tenant,
    row.state,
    `${row.jobs_per_day} ${row.jobs_per_day === 1 ? 'job' : 'jobs'} and ${row.hectares_per_day} ha a day`,
    `${row.hectares_per_job} ha a job`,
    `${row.requests_per_minute} requests a minute`,
    `${row.running_batches} ${row.running_batches === 1 ? 'batch' : 'batches'} at a time`,
    `created ${row.created_at}`,
  ].join('  ');
}
