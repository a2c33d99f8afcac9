import { dynamoQuotas } from '../adapters/dynamodb/quotas.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { dynamoTenantRecords } from '../adapters/dynamodb/tenants.ts';
import { environment } from '../adapters/environment.ts';
import { dayOf } from '../domain/admission/quota.ts';
import { allowanceOn, type StandingPorts } from '../domain/admission/standing.ts';
import { type Clock, timestamp } from '../domain/clock.ts';
import { readQuery } from './contract/parameters.ts';
import { usageView } from './contract/usage-view.ts';
import { handle, type Operation } from './http/handle.ts';
import { tenantOf } from './http/request.ts';
import { revalidated } from './http/response.ts';

export function usageOperation(ports: StandingPorts & { readonly clock: Clock }): Operation {
  return async (request) => {
    readQuery(request, []);
    const today = dayOf(timestamp(ports.clock()));
    const allowance = await allowanceOn(ports, tenantOf(request), today);
    return revalidated(request, usageView(allowance));
  };
}

export const handler = handle('usage', () => {
  const table = openTable(environment('TABLE_NAME').TABLE_NAME);
  return usageOperation({
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    clock: table.clock,
  });
});
