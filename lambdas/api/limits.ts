import { dynamoTenantRecords } from '../adapters/dynamodb/tenants.ts';
import { environment } from '../adapters/environment.ts';
import { limitsOf, type TenantRecords } from '../domain/tenant/tenant.ts';
import { type Configured, limitsView } from './contract/limits-view.ts';
import { readQuery } from './contract/query.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { tenantOf } from './http/request.ts';
import { revalidated } from './http/response.ts';

export function limitsOperation(
  tenants: Pick<TenantRecords, 'find'>,
  configured: Configured,
): Operation {
  return async (request) => {
    readQuery(request, []);
    const limits = limitsOf(await tenants.find(tenantOf(request)));
    return revalidated(request, limitsView(limits, configured));
  };
}

export const handler = handleKeyed('limits', (table) => {
  const env = environment('RETENTION_DAYS', 'RUNNING_BATCHES_PER_TENANT');
  return limitsOperation(dynamoTenantRecords(table), {
    retentionDays: env.RETENTION_DAYS,
    runningBatches: env.RUNNING_BATCHES_PER_TENANT,
  });
});
