import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { dynamoApiKeys } from '../../lambdas/adapters/dynamodb/api-keys.ts';
import { dynamoTenantRecords } from '../../lambdas/adapters/dynamodb/tenants.ts';
import { timestamp } from '../../lambdas/domain/clock.ts';
import { issueKey } from '../../lambdas/domain/tenant/issue-key.ts';
import { httpClient } from './contract/http-client.ts';
import { openDeployedTable } from './deployed-table.ts';

const service = inject('service');
const table = await openDeployedTable(service);

const CLIENTS = 20;
const REQUESTS = 8;

/** Far less than the clients ask for. */
const PER_MINUTE = 300;

async function call() {
  const tenant = `obedient-${randomUUID()}`;
  const createdAt = timestamp(table.clock());
  const limits = { requestsPerMinute: PER_MINUTE };
  await dynamoTenantRecords(table).create({ tenant, createdAt, disabledAt: null, limits });
  const order = { tenant, name: null, expiresAt: null };
  const { key } = await issueKey({ keys: dynamoApiKeys(table), clock: table.clock }, order);
  return httpClient(service.v2_url, key);
}

it('twenty clients that wait as Retry-After says are not throttled a second time', async () => {
  const client = await call();
  let [throttled, again] = [0, 0];
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const path = `/v1/batch/${randomUUID()}/status`;
      for (let made = 0; made < REQUESTS; made++) {
        for (let waited = false; ; waited = true) {
          const { status, headers } = await client(path);
          if (status !== 429) {
            expect(status).toBe(404);
            break;
          }
          if (waited) again += 1;
          else throttled += 1;
          await sleep(Number(headers.get('retry-after')) * 1_000);
        }
      }
    }),
  );
  expect(throttled).toBeGreaterThan(CLIENTS);
  expect(again).toBe(0);
});
