import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ListStateMachinesCommand, SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import type { NewBatch } from 'soil-batch-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executionArn } from '../../lambdas/adapters/batch-runner.ts';
import { RETRY_DELAYS_SECONDS } from '../../lambdas/domain/delivery/schedule.ts';
import { ROOT_CREDENTIALS } from '../../local/emulator/emulator.ts';
import { boxRing } from '../support/box.ts';
import {
  checkOneEvent,
  type WebhookReceiver,
  webhookReceiver,
} from '../support/delivery/webhook-receiver.ts';
import { type ChaoticService, chaoticService } from './emulator/chaotic-service.ts';
import { persistentClient, type Status } from './emulator/client.ts';
import { SCHEDULE_FACTOR } from './emulator/schedule-factor.ts';
import { State } from './emulator/state.ts';
import { StatusMonitor } from './emulator/status-monitor.ts';

/** This number of batches needs an idle machine; `CHAOS_BATCHES` sets another number. */
const BATCHES = Number(process.env['CHAOS_BATCHES'] ?? 50);
const JOBS = 20;
const BOW_TIE_ERROR = 'geometry_self_intersection';
const SECRET = 'a secret of the chaos test';
const CRASH_RATE = 0.1;
/** The fractions of table requests that are throttled: normally, and in bursts. */
const THROTTLE_RATE = 0.05;
const STORM_RATE = 0.7;

const BAD_JOB = JOBS - 1;

/** Disjoint fields; the last one crosses itself. */
const jobs = Array.from({ length: JOBS }, (_, index) => {
  const [west, south] = [5.73 + (index % 5) * 0.002, 50.962 + Math.floor(index / 5) * 0.002];
  const box = boxRing(west, south, west + 0.0014, south + 0.0009);
  const [southWest, southEast, northEast, northWest] = box;
  const bowTie = [southWest, northEast, southEast, northWest, southWest];
  const [name, ring] = index === BAD_JOB ? ['bow tie', bowTie] : ['field', box];
  return { polygon: { type: 'Polygon', coordinates: [ring] }, year: 2024, name };
});

let service: ChaoticService;
let sending: ReturnType<typeof persistentClient>;
beforeAll(async () => {
  service = await chaoticService();
  sending = persistentClient(service.description);
});
afterAll(() => service[Symbol.asyncDispose]());

async function createOnce(order: NewBatch, idempotencyKey: string): Promise<string> {
  return (await sending.client.createBatch(order, { idempotencyKey })).batch_id;
}

describe('a receiver that always fails', () => {
  it('gets exactly the scheduled attempts, none too early, all with the same bytes', async () => {
    await using receiver = await webhookReceiver(() => 503);
    const order = { jobs: jobs.slice(BAD_JOB), webhook_url: receiver.url, webhook_secret: SECRET };
    const batchId = await createOnce(order, randomUUID());
    const all = RETRY_DELAYS_SECONDS.length + 1;
    while (receiver.deliveriesOf(batchId).length < all) await pause(500);
    // Leave time for a seventh attempt, which must not happen.
    await pause(Math.max(...RETRY_DELAYS_SECONDS) * SCHEDULE_FACTOR * 1_000);
    const attempts = receiver.deliveriesOf(batchId);
    expect(attempts).toHaveLength(all);
    checkOneEvent(attempts, SECRET);
    RETRY_DELAYS_SECONDS.forEach((seconds, i) => {
      const [failed, next] = [attempts[i], attempts[i + 1]];
      const gap = (next?.at ?? 0) - (failed?.at ?? 0);
      expect(gap, `after attempt ${i + 1}`).toBeGreaterThanOrEqual(
        seconds * SCHEDULE_FACTOR * 1_000,
      );
    });
  }, 240_000);
});

describe(`${BATCHES} batches of ${JOBS} jobs while functions crash, the table throttles and executions are stopped`, () => {
  it('each reach the right final state once, and send their webhook', async () => {
    await using receiver = await webhookReceiver((before) => (before % 10 === 4 ? 500 : 200));
    service.crashFunctions(CRASH_RATE);
    service.table.throttle(THROTTLE_RATE);
    const orders = Array.from({ length: BATCHES }, (_, batch) => ({
      jobs,
      metadata: { batch },
      webhook_url: receiver.url,
      webhook_secret: SECRET,
    }));
    const ids: string[] = [];
    for (const [batch, order] of orders.entries())
      ids.push(await createOnce(order, `chaos-${batch}`));
    expect(new Set(ids).size).toBe(BATCHES);

    const monitor = new StatusMonitor(sending.client);
    const finished = new AbortController();
    const running = runUnderFaults(monitor, ids).finally(() => finished.abort());
    const [{ first, retries }] = await Promise.all([running, monitor.poll(finished.signal)]);
    expect(monitor.violations, 'counts').toEqual([]);
    const everything = [...first, ...retries];
    for (const { batch_id } of everything) await waitUntilAcknowledged(receiver, batch_id);
    await checkStoredState(everything);
    const completed = everything.flatMap(({ jobs: own }) =>
      own.filter(({ status }) => status === 'completed'),
    );
    expect(completed, 'fields').toHaveLength(BATCHES * (JOBS - 1));
    for (const status of everything) {
      const body = checkOneEvent(receiver.deliveriesOf(status.batch_id), SECRET);
      expect(body.status).toBe(status.status);
      expect(body.jobs.map(selectOutcome)).toEqual(status.jobs.map(selectOutcome));
    }
    console.log(summarize(first, retries));
  }, 2_400_000);
});

const selectOutcome = ({
  job_id,
  status,
  error_message,
}: Pick<Status['jobs'][number], 'job_id' | 'status' | 'error_message'>) => ({
  job_id,
  status,
  error_message,
});

/**
 * After every ten seconds, throttles most table requests for a second. Each of the first rounds also kills all
 * functions and stops an execution.
 */
async function injectFaults(ids: readonly string[], signal: AbortSignal): Promise<void> {
  const { endpoint_url: endpoint, region } = service.description;
  const sfn = new SFNClient({ endpoint, region, credentials: ROOT_CREDENTIALS });
  const { stateMachines = [] } = await sfn.send(new ListStateMachinesCommand({}));
  const machine =
    stateMachines.find(({ name }) => name?.includes('Batches'))?.stateMachineArn ?? '';
  for (let round = 0; !signal.aborted; round++) {
    await pause(10_000, undefined, { signal }).catch(() => undefined);
    service.table.throttle(STORM_RATE);
    await pause(1_000);
    service.table.throttle(THROTTLE_RATE);
    if (round < 6) await service.killFunctions();
    const stopped = ids[round * 7];
    if (stopped === undefined) continue;
    // The execution may not have started yet, or may have ended already.
    await sfn
      .send(new StopExecutionCommand({ executionArn: executionArn(machine, stopped) }))
      .catch(() => undefined);
  }
}

/** Injects faults until all batches have ended, then retries the jobs that failed with `internal`. */
async function runUnderFaults(monitor: StatusMonitor, ids: readonly string[]) {
  const faults = new AbortController();
  const injecting = injectFaults(ids, faults.signal);
  const first = await waitUntilAllFinal(monitor, ids).finally(() => faults.abort());
  await injecting;
  return { first, retries: await retryAll(monitor, first) };
}

function waitUntilAllFinal(
  monitor: StatusMonitor,
  ids: readonly string[],
): Promise<readonly Status[]> {
  return Promise.all(ids.map((id) => monitor.untilFinal(id)));
}

/** Retries batches until none has a job that failed with `internal`. */
async function retryAll(
  monitor: StatusMonitor,
  batches: readonly Status[],
): Promise<readonly Status[]> {
  for (const batch of batches) {
    for (const job of batch.jobs) {
      const actual = job.error_code ?? job.status;
      // Repeated crashes of a step fail its job with `internal`.
      const expected = job.name === 'bow tie' ? BOW_TIE_ERROR : 'completed';
      expect([expected, 'internal'], `${batch.batch_id}, job ${job.job_index}`).toContain(actual);
    }
  }
  const ids: string[] = [];
  for (const { batch_id, jobs: own } of batches) {
    if (own.some(({ error_code }) => error_code === 'internal')) {
      const { batch } = await sending.client.batch(batch_id).retry();
      ids.push(batch.id);
    }
  }
  if (ids.length === 0) return [];
  const again = await waitUntilAllFinal(monitor, ids);
  return [...again, ...(await retryAll(monitor, again))];
}

async function waitUntilAcknowledged(receiver: WebhookReceiver, batchId: string): Promise<void> {
  while (!receiver.deliveriesOf(batchId).some(({ status }) => status === 200)) await pause(1_000);
}

async function checkStoredState(everything: readonly Status[]): Promise<void> {
  const state = new State(service.description);
  const items = await state.items();
  const known = new Set(everything.map(({ batch_id }) => batch_id));
  const batches = items.filter(({ sk, total_jobs }) => sk === 'BATCH' && total_jobs !== 1);
  const expected = everything.filter(({ total_jobs }) => total_jobs !== 1);
  expect(batches.map(({ batch_id }) => batch_id).sort()).toEqual(
    expected.map(({ batch_id }) => batch_id).sort(),
  );
  for (const { batch_id, total_jobs } of everything) {
    const own = items.filter(({ pk }) => pk === `BATCH#${batch_id}`);
    expect(
      own.filter(({ sk }) => sk.startsWith('OUTBOX#')),
      'outbox items',
    ).toHaveLength(1);
    expect(
      own.filter(({ sk }) => sk.startsWith('JOB#')),
      'jobs',
    ).toHaveLength(total_jobs);
  }
  const completed = everything.flatMap(({ batch_id, jobs: all }) =>
    all
      .filter(({ status }) => status === 'completed')
      .map(({ job_id }) => `results/${batch_id}/${job_id}.tif`),
  );
  const rasters = (await state.results()).filter((key) => known.has(key.split('/')[1] ?? ''));
  expect([...rasters].sort(), 'rasters').toEqual(completed.sort());
}

function summarize(first: readonly Status[], retries: readonly Status[]): string {
  const of = (all: readonly Status[], status: string) =>
    all.flatMap(({ jobs: own }) => own).filter((job) => job.status === status).length;
  const { throttled, forwarded } = service.table.calls;
  return [
    `${first.length} batches: ${of(first, 'completed')} jobs completed, ${of(first, 'failed')} failed`,
    `${retries.length} retries: ${of(retries, 'completed')} jobs completed`,
    `${service.crashes()} functions crashed; ${throttled} of ${throttled + forwarded} table requests were throttled; ${sending.failures.count} of the client's requests failed`,
  ].join('\n');
}
