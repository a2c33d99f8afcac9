import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import type { z } from 'zod';
import { batchStatusResponse } from '../../../lambdas/api/operations/batch-status.ts';
import { httpClient } from '../../support/api/http-client.ts';
import * as spec from '../../support/api/spec-schemas.ts';
import { aSquare } from '../../support/box.ts';
import { webhookReceiver } from '../../support/delivery/webhook-receiver.ts';
import { eventually } from '../../support/deployed/eventually.ts';
import { killFunctions } from '../../support/deployed/function-processes.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);
const SECRET = 'a secret of killed functions';
const JOBS = 8;

type Status = z.infer<typeof batchStatusResponse>;

const jobs = Array.from({ length: JOBS }, (_, index) => {
  const [west, south] = [5.73 + index * 0.002, 50.962];
  return { polygon: aSquare(west, south, 0.006), year: 2024 };
});

/** Returns null if the request fails, for example because its function is killed. */
async function statusOf(batchId: string): Promise<Status | null> {
  const response = await fetch(`${service.v2_url}/v1/batch/${batchId}/status`, {
    headers: { Authorization: `Bearer ${service.api_key}` },
  });
  return response.ok ? batchStatusResponse.parse(await response.json()) : null;
}

const waitForStatus = (batchId: string, wanted: (status: Status) => boolean): Promise<Status> =>
  eventually(
    () => statusOf(batchId),
    (status): status is Status => status !== null && wanted(status),
  );

describe('a batch during which the processes of all functions are killed', () => {
  it.skipIf(service.emulator_process_id === null)(
    'ends with one webhook, and its number of completed jobs never falls',
    async () => {
      await using receiver = await webhookReceiver();
      const { deliveries } = receiver;
      const order = { jobs, webhook_url: receiver.url, webhook_secret: SECRET };
      const response = await call('/v1/batch', { body: JSON.stringify(order) });
      const batchId = spec.created.parse(response.json).batch_id;

      let most = 0;
      let killed = 0;
      // Kill at a quarter and at half of the work, so that steps are rarely killed twice.
      for (const share of [0.25, 0.5]) {
        const status = await waitForStatus(batchId, ({ progress, completed_jobs }) => {
          expect(completed_jobs).toBeGreaterThanOrEqual(most);
          most = completed_jobs;
          return progress >= share;
        });
        if (status.completed_at !== null) break;
        killed += await killFunctions(service.emulator_process_id ?? 0);
        await pause(8_000);
      }
      expect(killed).toBeGreaterThan(0);

      const done = await waitForStatus(batchId, ({ completed_at }) => completed_at !== null);
      expect(done).toMatchObject({ total_jobs: JOBS, pending_jobs: 0 });
      for (const { status, error_code } of done.jobs) {
        expect([status, error_code]).toBeOneOf([
          ['completed', null],
          // A job may fail only if its steps were killed too often.
          ['failed', 'internal'],
        ]);
      }
      for (const url of done.jobs.map(({ signed_cog_url }) => signed_cog_url)) {
        if (url !== null) expect((await fetch(url)).status).toBe(200);
      }

      for (let wait = 0; deliveries.length === 0 && wait < 300; wait++) await pause(200);
      const [delivery] = deliveries;
      if (delivery === undefined) throw new Error('nothing was delivered');
      const signature = createHmac('sha256', SECRET).update(delivery.body).digest('hex');
      expect(delivery.headers['x-service-signature']).toBe(signature);
      expect(spec.webhook.parse(JSON.parse(delivery.body.toString('utf8')))).toMatchObject({
        batch_id: batchId,
        status: done.status,
        completed_jobs: done.completed_jobs,
      });
      expect(new Set(deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    },
  );
});
