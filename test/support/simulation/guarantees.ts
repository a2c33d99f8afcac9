import { createHmac } from 'node:crypto';
import { v5 } from 'uuid';
import { expect } from 'vitest';
import { dayOf } from '../../../lambdas/domain/admission/quota.ts';
import { decideFinalStatus, isFinal } from '../../../lambdas/domain/batch/batch.ts';
import { timestamp } from '../../../lambdas/domain/clock.ts';
import { destinationKeys, formatUri } from '../../../lambdas/domain/destination/destination.ts';
import { type BatchId, jobIdOf } from '../../../lambdas/domain/identity.ts';
import { isServiceFault, type JobRecord } from '../../../lambdas/domain/job/job.ts';
import { SECRET } from './step-input.ts';
import type { World } from './world.ts';

/** How a job ended: `completed`, or its error code. */
export type JobResult = string;

export interface Outcome {
  /** The results of each batch's jobs, by index. */
  readonly batches: readonly (readonly JobResult[])[];
}

export async function checkGuarantees(world: World): Promise<Outcome> {
  expect(world.observer.violations, 'violations at any time').toEqual([]);
  expect(world.storage.created.size > 0, 'a batch').toBe(true);
  const batches: (readonly JobResult[])[] = [];
  for (const batchId of world.storage.created) {
    const jobs = await checkBatch(world, batchId);
    if (jobs === null) continue;
    await checkDelivery(world, batchId, jobs);
    await checkPublished(world, batchId);
    await checkCopies(world, batchId, jobs);
    for (const { job_index: index, status, uploads = [] } of jobs) {
      const exists = world.results.has(batchId, jobIdOf(batchId, index));
      expect(exists, `raster of job ${index}, ${status}`).toBe(status === 'completed');
      const open = uploads.filter((upload) => world.results.files.isOpen(upload));
      expect(open, `open uploads of job ${index}`).toEqual([]);
    }
    batches.push(jobs.map(expectedResultOf));
  }
  for (const [raster, versions] of world.results.versions) {
    expect(new Set(versions).size, `${raster}: the same bytes at every write`).toBe(1);
  }
  await checkQuota(world);
  expect(await world.storage.slots.readHeld(), 'slots still held').toEqual([]);
  return { batches };
}

/**
 * Checks that the client's bucket holds the recorded copies and, once the batch is copied, those of all results and
 * tables.
 */
async function checkCopies(world: World, batchId: BatchId, jobs: readonly JobRecord[]) {
  const batch = await world.storage.batches.readBatch(batchId);
  if (batch?.destination === undefined) return;
  const { copied, complete } = await world.storage.copies.readCopies(batchId);
  const keys = destinationKeys(batch.destination, batchId);
  const read = (key: string) =>
    world.ports.clientBuckets.files.get(formatUri(batch.destination ?? { bucket: '' }, key));
  for (const index of copied) {
    const jobId = jobIdOf(batchId, index);
    const raster = world.results.files.read(batchId, jobId);
    const copy = Buffer.from(read(keys.raster(jobId)) ?? []);
    expect(copy.equals(raster ?? Buffer.alloc(0)), `copy of job ${index}`).toBe(true);
    expect(read(keys.item(jobId)), `Item of job ${index}`).toBeDefined();
  }
  if (!complete) return;
  const completed = jobs.filter(({ status }) => status === 'completed');
  expect([...copied].sort(), 'copied jobs').toEqual(completed.map(({ job_index }) => job_index));
  expect(read(keys.csv) && read(keys.geojson), 'tables').toBeDefined();
}

/** Checks that the day's quota counts exactly the jobs of the existing batches, minus refunds. */
async function checkQuota({ storage, tenant, time }: World): Promise<void> {
  const { used } = await storage.quotas.use(tenant, dayOf(timestamp(time.clock())));
  let charged = 0;
  for (const batchId of storage.created) {
    const jobs = await storage.jobs.list(batchId);
    charged += jobs.filter((job) => !isRefunded(job)).length;
  }
  expect(used.jobs, 'jobs of the day’s quota').toBe(charged);
}

function isRefunded(job: JobRecord): boolean {
  if (job.status !== 'failed') return false;
  const isUnplanned = job.model === undefined;
  return isServiceFault(job.error.code) || (job.error.code === 'cancelled' && isUnplanned);
}

/** @returns the jobs; null if the batch was never created, in which case it must not have an execution */
async function checkBatch(world: World, batchId: BatchId): Promise<readonly JobRecord[] | null> {
  const { storage } = world;
  const batch = await storage.batches.readBatch(batchId);
  if (batch === null) {
    expect(world.executions.all.has(batchId), 'no execution without a batch').toBe(false);
    return null;
  }
  const jobs = await storage.jobs.list(batchId);
  expect(jobs, 'all jobs').toHaveLength(batch.total_jobs);
  const countJobsWith = (status: string) => jobs.filter((job) => job.status === status).length;
  const status = decideFinalStatus({
    completed: countJobsWith('completed'),
    failed: countJobsWith('failed'),
  });
  expect(batch.status, 'status of the batch').toBe(status);
  if (!isFinal(batch)) throw new Error('the batch is not final');
  expect(batch.completed_jobs, 'stored completed jobs').toBe(countJobsWith('completed'));
  const lastOfJobs = jobs.map(({ updated_at }) => updated_at).reduce((a, b) => (a > b ? a : b));
  const last = lastOfJobs > batch.completed_at ? lastOfJobs : batch.completed_at;
  expect(batch.updated_at, 'stored last change').toBe(last);
  expect(storage.finishes.get(batchId), 'times the batch was finished').toBe(1);
  return jobs;
}

async function checkDelivery(
  world: World,
  batchId: BatchId,
  jobs: readonly JobRecord[],
): Promise<void> {
  const event = await world.storage.outbox.read(batchId, 'batch.completed');
  if (event === null) throw new Error('the outbox has no event');
  const attempts = (await world.storage.outbox.attempts(batchId, 'batch.completed')).length;
  expect(attempts, 'attempts in the log').toBe(event.attempts);
  expect(attempts).toBeGreaterThanOrEqual(1);
  const batch = await world.storage.batches.readBatch(batchId);
  const completedAt = batch !== null && isFinal(batch) ? batch.completed_at : '';
  const ids = new Set(listEventIds(batchId, completedAt, event.redelivery?.number ?? 0));
  expect(ids.has(event.event_id), 'an id of the event').toBe(true);
  let requests = 0;
  for (const id of ids) requests += checkRequests(world, id, jobs);
  expect(requests, 'requests').toBeGreaterThanOrEqual(attempts);
  const exhausted = event.state === 'exhausted' ? 1 : 0;
  const deadLetters = world.queue.deadLetters.filter((letter) => letter.batch_id === batchId);
  expect(deadLetters.length, 'dead letters').toBeGreaterThanOrEqual(exhausted);
}

/** Checks that the bus got the event at least once, and the same event each time. */
async function checkPublished({ bus, storage }: World, batchId: BatchId): Promise<void> {
  const events = bus.received.filter((event) => event.batch_id === batchId);
  expect(events.length, 'at least one event').toBeGreaterThanOrEqual(1);
  expect(new Set(events.map((event) => JSON.stringify(event))).size, 'one event').toBe(1);
  const batch = await storage.batches.readBatch(batchId);
  const event_id = v5('batch.finished', batchId);
  expect(events[0]).toMatchObject({ event_id, status: batch?.status });
}

/** Returns the ID of the first delivery, and of each redelivery. */
function listEventIds(
  batchId: BatchId,
  completedAt: string,
  redeliveries: number,
): readonly string[] {
  const suffixes = Array.from({ length: redeliveries }, (_, i) => `#redelivery-${i + 1}`);
  return [` ${completedAt}`, ...suffixes].map((suffix) => v5(`batch.completed${suffix}`, batchId));
}

/** Checks that all requests with this event ID are the same. @returns their number */
function checkRequests(world: World, eventId: string, jobs: readonly JobRecord[]): number {
  const sent = world.receiver.received.filter(({ headers }) => headers['webhook-id'] === eventId);
  expect(sent.length, 'at least one delivery').toBeGreaterThanOrEqual(1);
  const bodies = sent.map(({ body }) => Buffer.from(body).toString('utf8'));
  expect(new Set(bodies).size, 'the same bytes at every attempt').toBe(1);
  const [body = ''] = bodies;
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  for (const { headers } of sent) expect(headers['X-Service-Signature']).toBe(signature);
  const webhook = JSON.parse(body) as { readonly jobs: readonly { readonly status: string }[] };
  expect(webhook.jobs.map(({ status }) => status)).toEqual(jobs.map(({ status }) => status));
  const completed = jobs.filter(({ status }) => status === 'completed').length;
  expect(body.split('https://results.example.org/').length - 1, 'URLs').toBe(completed);
  return sent.length;
}

function expectedResultOf(job: JobRecord): JobResult {
  return job.status === 'failed' ? job.error.code : job.status;
}
