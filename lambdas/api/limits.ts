import { dynamoTenantRecords } from '../adapters/dynamodb/tenants.ts';
import { environment } from '../adapters/environment.ts';
import { limitsOf, type TenantRecords } from '../domain/tenant/tenant.ts';
import { limitsView } from './contract/limits-view.ts';
import { readQuery } from './contract/parameters.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { tenantOf } from './http/request.ts';
import { revalidated } from './http/response.ts';

export function limitsOperation(
  tenants: Pick<TenantRecords, 'find'>,
  retentionDays: number,
): Operation {
  return async (request) => {
    readQuery(request, []);
    const limits = limitsOf(await tenants.find(tenantOf(request)));
    return revalidated(request, limitsView(limits, retentionDays));
  };
}

export const handler = handleKeyed('limits', (table) =>
  limitsOperation(dynamoTenantRecords(table), environment('RETENTION_DAYS').RETENTION_DAYS),
);
