import { createHmac } from 'node:crypto';
import { v5 } from 'uuid';
import { expect } from 'vitest';
import { dayOf } from '../../lambdas/domain/admission/quota.ts';
import { finalStatusOf, isFinal } from '../../lambdas/domain/batch/batch.ts';
import { timestamp } from '../../lambdas/domain/clock.ts';
import { type BatchId, jobIdOf } from '../../lambdas/domain/identity.ts';
import { isServiceFault, type JobRecord } from '../../lambdas/domain/job/job.ts';
import { SECRET } from './step-input.ts';
import type { World } from './world.ts';

/** How a job ended: `completed`, or the code it failed with. */
export type Ending = string;

/** What a world that came to rest looks like. */
export interface Outcome {
  /** Of every batch there is, its jobs' endings by index. */
  readonly batches: readonly (readonly Ending[])[];
}

/** Holds a world at rest to every promise. */
export async function holdsItsPromises(world: World): Promise<Outcome> {
  expect(world.observer.violations, 'at every moment').toEqual([]);
  expect(world.storage.made.size > 0, 'a batch').toBe(true);
  const batches: (readonly Ending[])[] = [];
  for (const batchId of world.storage.made) {
    const jobs = await endedOnce(world, batchId);
    if (jobs === null) continue;
    await wasDelivered(world, batchId, jobs);
    for (const { index, state } of jobs) {
      const isThere = world.results.has(batchId, jobIdOf(batchId, index));
      expect(isThere, `raster of job ${index}, ${state.status}`).toBe(state.status === 'completed');
    }
    batches.push(jobs.map(endingOf));
  }
  for (const [raster, versions] of world.results.versions) {
    expect(new Set(versions).size, `${raster}: the same bytes whenever written`).toBe(1);
  }
  await quotaIsExact(world);
  expect(await world.storage.slots.readHeld(), 'slots held when all is over').toEqual([]);
  return { batches };
}

/** The day's quota counts exactly the batches that exist, less refunds, to the square metre. */
async function quotaIsExact({ storage, tenant, time }: World): Promise<void> {
  const { used } = await storage.quotas.use(tenant, dayOf(timestamp(time.clock())));
  let owed = 0;
  for (const batchId of storage.made) {
    const jobs = await storage.jobs.list(batchId);
    owed += jobs.filter(
      ({ state }) => !(state.status === 'failed' && isServiceFault(state.error.code)),
    ).length;
  }
  expect(used.jobs, 'jobs of the day’s quota').toBe(owed);
}

/** Null when the batch never came to be: then nothing of it may be there. */
async function endedOnce(world: World, batchId: BatchId): Promise<readonly JobRecord[] | null> {
  const { storage } = world;
  const batch = await storage.batches.read(batchId);
  if (batch === null) {
    expect(world.executions.all.has(batchId), 'no run of what is no batch').toBe(false);
    return null;
  }
  const jobs = await storage.jobs.list(batchId);
  expect(jobs, 'all jobs').toHaveLength(batch.totalJobs);
  const having = (status: string) => jobs.filter(({ state }) => state.status === status).length;
  const status = finalStatusOf({ completed: having('completed'), failed: having('failed') });
  expect(batch.state.status, 'what its jobs make of the batch').toBe(status);
  expect(isFinal(batch.state)).toBe(true);
  expect(storage.finishes.get(batchId), 'times the batch was finished').toBe(1);
  expect((await storage.inspect(batchId)).outboxItems, 'outbox items').toBe(1);
  return jobs;
}

async function wasDelivered(
  world: World,
  batchId: BatchId,
  jobs: readonly JobRecord[],
): Promise<void> {
  const event = await world.storage.outbox.read(batchId, 'batch.completed');
  const { attempts } = await world.storage.inspect(batchId);
  expect(attempts, 'attempts in the log').toBe(event?.attempts);
  expect(attempts).toBeGreaterThanOrEqual(1);
  const ids = new Set(eventIdsOf(batchId, event?.redelivery?.number ?? 0));
  expect(ids.has(event?.eventId ?? ''), 'an id of the event').toBe(true);
  let requests = 0;
  for (const id of ids) requests += sameAtEveryAttempt(world, id, jobs);
  expect(requests, 'requests').toBeGreaterThanOrEqual(attempts);
  const ended = event?.state === 'exhausted' ? 1 : 0;
  const dead = world.queue.deadLetters.filter((letter) => letter.batchId === batchId).length;
  expect(dead, 'given up for an operator to see').toBeGreaterThanOrEqual(ended);
}

/** The first delivery's, and one of each redelivery. */
function eventIdsOf(batchId: BatchId, redeliveries: number): readonly string[] {
  const again = Array.from({ length: redeliveries }, (_, i) => `#redelivery-${i + 1}`);
  return ['', ...again].map((suffix) => v5(`batch.completed${suffix}`, batchId));
}

/** @returns the requests under this id */
function sameAtEveryAttempt(world: World, eventId: string, jobs: readonly JobRecord[]): number {
  const sent = world.receiver.received.filter(({ headers }) => headers['webhook-id'] === eventId);
  expect(sent.length, 'at least one delivery').toBeGreaterThanOrEqual(1);
  const bodies = sent.map(({ body }) => Buffer.from(body).toString('utf8'));
  expect(new Set(bodies).size, 'the same bytes at every attempt').toBe(1);
  const [body = ''] = bodies;
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  for (const { headers } of sent) expect(headers['X-Service-Signature']).toBe(signature);
  const told = JSON.parse(body) as { readonly jobs: readonly { readonly status: string }[] };
  expect(told.jobs.map(({ status }) => status)).toEqual(jobs.map(({ state }) => state.status));
  const completed = jobs.filter(({ state }) => state.status === 'completed').length;
  expect(body.split('https://results.example.org/').length - 1, 'URLs').toBe(completed);
  return sent.length;
}

function endingOf({ state }: JobRecord): Ending {
  return state.status === 'failed' ? state.error.code : state.status;
}
