import { dynamoQuotas } from '../adapters/dynamodb/quotas.ts';
import { dynamoTenantRecords } from '../adapters/dynamodb/tenants.ts';
import { dayOf } from '../domain/admission/quota.ts';
import { allowanceOn, type StandingPorts } from '../domain/admission/standing.ts';
import { type Clock, timestamp } from '../domain/clock.ts';
import { readQuery } from './contract/query.ts';
import { usageView } from './contract/usage-view.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
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

export const handler = handleKeyed('usage', (table) =>
  usageOperation({
    tenants: dynamoTenantRecords(table),
    quotas: dynamoQuotas(table),
    clock: table.clock,
  }),
);
