import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { batchStatusResponse } from '../../lambdas/api/operations/batch/batch-status.ts';
import type { Answer } from './contract/answer.ts';
import { type HttpClient, httpClient } from './contract/http-client.ts';
import * as spec from './contract/spec-schemas.ts';

const service = inject('service');
const large = httpClient(service.v2_url, service.api_key);
const small = httpClient(service.v2_url, service.other_tenant_api_key);

/** Half a hectare in the pack's coverage: one patch-batch. */
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

const accepted = (answer: Answer): string => spec.created.parse(answer.json).batch_id;

/** Under the ten requests a second that a tenant may make. */
const POLL_MS = 120;

async function until(
  call: HttpClient,
  batchId: string,
  wanted: (status: ReturnType<typeof batchStatusResponse.parse>) => boolean,
): Promise<void> {
  for (;;) {
    const answer = await call(`/v1/batch/${batchId}/status?jobs=none`);
    if (answer.status === 429) {
      await sleep(Number(answer.headers.get('retry-after')) * 1_000);
      continue;
    }
    if (wanted(batchStatusResponse.parse(answer.json))) return;
    await sleep(POLL_MS);
  }
}

const operations = z.record(z.string(), z.number());

async function transitions(): Promise<number> {
  const answer = await fetch(new URL('/_operations', service.endpoint_url));
  return operations.parse(await answer.json())['states.transitions'] ?? 0;
}

/** An execution that was stopped goes on in the emulator, without work: other suites want it quiet. */
afterAll(async () => {
  let before = -1;
  for (let now = await transitions(); now !== before; now = await transitions()) {
    before = now;
    await sleep(2_000);
  }
});

const isFinished = ({ completed_at }: { completed_at: string | null }) => completed_at !== null;

/** From the request to the end, in milliseconds. */
async function timeOfOne(): Promise<number> {
  const begun = performance.now();
  await until(small, accepted(await post(small, 1)), isFinished);
  return performance.now() - begun;
}

/** The least of several times: whatever else the machine does only adds to them. */
async function leastTime(times: number): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) taken.push(await timeOfOne());
  return Math.min(...taken);
}

/** So many creations at once, of two tenants in turn. */
function rush(count: number) {
  const tenants = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? large : small));
  return Promise.all(tenants.map(async (call) => ({ call, answer: await post(call, 1) })));
}

describe('a flood of two hundred creations of two tenants at once', () => {
  it('is answered 202, or told to come again later, and every 202 comes to its end', async () => {
    // The gateway remembers for a minute that it knows these keys, and functions stay started.
    for (const call of [large, small]) await call('/v1/batch?limit=1');
    const before = await rush(16);
    await sleep(2_000);
    const answers = [...before, ...(await rush(200))];
    const made = answers.filter(({ answer }) => answer.status === 202);
    const refused = answers.filter(({ answer }) => answer.status !== 202);
    for (const { answer } of refused) {
      expect([429, 503]).toContain(answer.status);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(made.length).toBeGreaterThan(0);
    for (const { call, answer } of made) await until(call, accepted(answer), isFinished);
    for (const { call, answer } of made) {
      const status = await call(`/v1/batch/${accepted(answer)}/status?jobs=none`);
      expect(batchStatusResponse.parse(status.json).status).toBe('completed');
    }
  });
});

describe('a batch of one beside another tenant’s batch of a thousand', () => {
  it('takes at most twice its time alone', async () => {
    // Each function has been started by then, as it has been on any day.
    await leastTime(3);
    const alone = await leastTime(5);
    const thousand = accepted(await post(large, 1_000));
    try {
      await until(large, thousand, ({ completed_tasks }) => completed_tasks >= 10);
      await leastTime(2);
      const beside = await leastTime(5);
      const status = await large(`/v1/batch/${thousand}/status?jobs=none`);
      expect(batchStatusResponse.parse(status.json).completed_at, 'it still runs').toBeNull();
      expect(beside / alone).toBeLessThan(2);
    } finally {
      await large(`/v1/batch/${thousand}/cancel`, { method: 'POST' });
    }
  });
});
