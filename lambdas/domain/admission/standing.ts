import { limitsOf, type TenantRecords } from '../tenant/tenant.ts';
import type { TenantLimits } from '../tenant/tenant-limits.ts';
import { type Allowance, allowanceOf, type Day, type Quotas } from './quota.ts';

export interface StandingPorts {
  readonly tenants: Pick<TenantRecords, 'find'>;
  readonly quotas: Quotas;
}

export interface Standing {
  readonly limits: TenantLimits;
  readonly allowance: Allowance;
}

/** What a tenant may ask for, and what it took of a day. */
export async function standingOn(
  { tenants, quotas }: StandingPorts,
  tenant: string,
  day: Day,
): Promise<Standing> {
  const [record, use] = await Promise.all([tenants.find(tenant), quotas.use(tenant, day)]);
  const limits = limitsOf(record);
  return { limits, allowance: allowanceOf(day, limits, use) };
}

export async function allowanceOn(...asked: Parameters<typeof standingOn>): Promise<Allowance> {
  return (await standingOn(...asked)).allowance;
}
