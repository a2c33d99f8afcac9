import { limitsOf, type TenantRecords } from '../tenant/tenant.ts';
import type { TenantLimits } from '../tenant/tenant-limits.ts';
import { type Allowance, allowanceOf, type Day, type Quotas } from './quota.ts';

export interface TenantQuotaPorts {
  readonly tenants: Pick<TenantRecords, 'find'>;
  readonly quotas: Quotas;
}

export interface TenantQuota {
  readonly limits: TenantLimits;
  readonly allowance: Allowance;
}

/** A tenant's limits, and what it has used on a day. */
export async function readTenantQuota(
  { tenants, quotas }: TenantQuotaPorts,
  tenant: string,
  day: Day,
): Promise<TenantQuota> {
  const [record, use] = await Promise.all([tenants.find(tenant), quotas.use(tenant, day)]);
  const limits = limitsOf(record);
  return { limits, allowance: allowanceOf(day, limits, use) };
}

export async function readAllowance(
  ...args: Parameters<typeof readTenantQuota>
): Promise<Allowance> {
  return (await readTenantQuota(...args)).allowance;
}
