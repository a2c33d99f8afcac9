import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { httpClient } from '../../support/api/http-client.ts';
import { newTenant } from '../../support/deployed/new-tenant.ts';

const service = inject('service');

const CLIENTS = 20;
const REQUESTS = 4;

/** Far less than the clients ask for, even while other tests use the processors. */
const PER_MINUTE = 120;

it('twenty clients that wait as Retry-After says are not throttled a second time', async () => {
  const key = await newTenant('obedient', { requestsPerMinute: PER_MINUTE });
  const client = httpClient(service.v2_url, key);
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
