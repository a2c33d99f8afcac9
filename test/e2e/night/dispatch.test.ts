import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { batchStatusResponse } from '../../../lambdas/api/operations/batch-status.ts';
import { type HttpClient, httpClient } from '../../support/api/http-client.ts';
import type { HttpResponse } from '../../support/api/http-response.ts';
import * as spec from '../../support/api/spec-schemas.ts';

const service = inject('service');
const large = httpClient(service.v2_url, service.api_key);
const small = httpClient(service.v2_url, service.other_tenant_api_key);

const TINY = {
  polygon: {
    type: 'Polygon',
    coordinates: [
      [
        [5.73, 50.965],
        [5.731, 50.965],
        [5.731, 50.9656],
        [5.73, 50.9656],
        [5.73, 50.965],
      ],
    ],
  },
  year: 2024,
};

const order = (jobs: number) => JSON.stringify({ jobs: Array.from({ length: jobs }, () => TINY) });

const post = (call: HttpClient, jobs: number) => call('/v1/batch', { body: order(jobs) });

const batchIdOf = (response: HttpResponse): string => spec.created.parse(response.json).batch_id;

/** A poll interval that stays below a tenant's limit of ten requests per second. */
const POLL_MS = 120;

async function waitForStatus(
  call: HttpClient,
  batchId: string,
  wanted: (status: ReturnType<typeof batchStatusResponse.parse>) => boolean,
): Promise<void> {
  for (;;) {
    const response = await call(`/v1/batch/${batchId}/status?jobs=none`);
    if (response.status === 429) {
      await sleep(Number(response.headers.get('retry-after')) * 1_000);
      continue;
    }
    if (wanted(batchStatusResponse.parse(response.json))) return;
    await sleep(POLL_MS);
  }
}

const operations = z.record(z.string(), z.number());

async function countTransitions(): Promise<number> {
  const response = await fetch(new URL('/_operations', service.endpoint_url));
  return operations.parse(await response.json())['states.transitions'] ?? 0;
}

/**
 * Waits until stopped executions end: in the emulator they continue without work, and would disturb other
 * suites.
 */
afterAll(async () => {
  let before = -1;
  for (let now = await countTransitions(); now !== before; now = await countTransitions()) {
    before = now;
    await sleep(2_000);
  }
});

const isFinished = ({ completed_at }: { completed_at: string | null }) => completed_at !== null;

function createMany(count: number) {
  const tenants = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? large : small));
  return Promise.all(tenants.map(async (call) => ({ call, response: await post(call, 1) })));
}

describe('a flood of forty concurrent creations by two tenants', () => {
  it('gets 202, or 429 or 503 with Retry-After, and every accepted batch completes', async () => {
    // Warm up, so that the gateway has cached the authorizer's results, and functions are running.
    for (const call of [large, small]) await call('/v1/batch?limit=1');
    const before = await createMany(16);
    await sleep(2_000);
    const responses = [...before, ...(await createMany(40))];
    const created = responses.filter(({ response }) => response.status === 202);
    const rejected = responses.filter(({ response }) => response.status !== 202);
    for (const { response } of rejected) {
      expect([429, 503]).toContain(response.status);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(created.length).toBeGreaterThan(0);
    for (const { call, response } of created)
      await waitForStatus(call, batchIdOf(response), isFinished);
    for (const { call, response } of created) {
      const status = await call(`/v1/batch/${batchIdOf(response)}/status?jobs=none`);
      expect(batchStatusResponse.parse(status.json).status).toBe('completed');
    }
  });
});

describe('a batch of one job alongside another tenant’s batch of three hundred jobs', () => {
  it('ends while most of the large batch is still unfinished', async () => {
    const many = batchIdOf(await post(large, 300));
    try {
      await waitForStatus(large, many, ({ completed_tasks }) => completed_tasks >= 10);
      await waitForStatus(small, batchIdOf(await post(small, 1)), isFinished);
      const status = await large(`/v1/batch/${many}/status?jobs=none`);
      const { completed_jobs, completed_at } = batchStatusResponse.parse(status.json);
      expect(completed_at).toBeNull();
      expect(completed_jobs).toBeLessThan(150);
    } finally {
      await large(`/v1/batch/${many}/cancel`, { method: 'POST' });
    }
  });
});
