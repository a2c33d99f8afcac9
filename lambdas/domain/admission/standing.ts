import { limitsOf, type TenantRecords } from '../tenant/tenant.ts';
import { type Allowance, allowanceOf, type Day, type Quotas } from './quota.ts';

export interface StandingPorts {
  readonly tenants: Pick<TenantRecords, 'find'>;
  readonly quotas: Quotas;
}

/** What a tenant may take of a day, and has taken. */
export async function allowanceOn(
  { tenants, quotas }: StandingPorts,
  tenant: string,
  day: Day,
): Promise<Allowance> {
  const [record, use] = await Promise.all([tenants.find(tenant), quotas.use(tenant, day)]);
  return allowanceOf(day, limitsOf(record), use);
}
