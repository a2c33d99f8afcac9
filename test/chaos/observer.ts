import { expect } from 'vitest';
import { type Batch, isFinal } from '../../lambdas/domain/batch/batch.ts';
import type { OutboxEvent } from '../../lambdas/domain/delivery/outbox.ts';
import type { BatchId } from '../../lambdas/domain/identity.ts';
import type { JobRecord } from '../../lambdas/domain/job/job.ts';
import type { WatchedStorage } from './storage.ts';
import { RUNNING } from './world-ports.ts';

interface Sight {
  readonly batch: Batch;
  readonly jobs: readonly JobRecord[];
  readonly event: OutboxEvent | null;
}

const ORDER = { pending: 0, processing: 1, completed: 2, failed: 2, partial: 2 } as const;

/** Looks at every batch after each call that may change it, and notes what went back or is wrong. */
export class Observer {
  /** Kept, not thrown: whoever made the call might swallow it. */
  readonly violations: unknown[] = [];
  /** Looks that were taken. */
  looks = 0;
  private readonly storage: WatchedStorage;
  private readonly last = new Map<BatchId, Sight>();
  /** One look after the other, or a later one could be held against an earlier one. */
  private queue: Promise<void> = Promise.resolve();

  constructor(storage: WatchedStorage) {
    this.storage = storage;
  }

  look(): Promise<void> {
    this.queue = this.queue
      .then(() => this.lookAtAll())
      .catch((violation: unknown) => void this.violations.push(violation));
    return this.queue;
  }

  private async lookAtAll(): Promise<void> {
    this.looks += 1;
    const held = await this.storage.slots.readHeld();
    expect(held.length, 'batches that may run').toBeLessThanOrEqual(RUNNING.inAll);
    for (const batchId of this.storage.made) {
      // The event first: who sees it must find the batch final. The batch before its jobs, too.
      const event = await this.storage.outbox.read(batchId, 'batch.completed');
      const batch = await this.storage.batches.read(batchId);
      const jobs = await this.storage.jobs.list(batchId);
      if (batch === null) {
        expect([event, jobs], 'nothing of a batch that is not there').toEqual([null, []]);
        continue;
      }
      const sight = { batch, jobs, event };
      judge(sight);
      const before = this.last.get(batchId);
      if (before !== undefined) compare(before, sight);
      this.last.set(batchId, sight);
    }
  }
}

function judge({ batch, jobs, event }: Sight): void {
  const indexes = jobs.map(({ index }) => index);
  expect(new Set(indexes).size, 'each job once').toBe(jobs.length);
  expect(Math.max(-1, ...indexes), 'no job that was not sent').toBeLessThan(batch.totalJobs);
  const { completed, failed } = countsOf(jobs);
  const pending = Array.from({ length: batch.totalJobs }, (_, index) => index).filter(
    (index) => !jobs.some((job) => job.index === index && job.state.status !== 'processing'),
  ).length;
  expect(completed + failed + pending, 'completed + failed + pending').toBe(batch.totalJobs);
  if (isFinal(batch.state)) expect(pending, 'pending jobs of a final batch').toBe(0);
  if (event !== null) expect(isFinal(batch.state), 'an event of a final batch').toBe(true);
  for (const { progress } of jobs) {
    if (progress === null) continue;
    expect(progress.completedPatchBatches).toBeLessThanOrEqual(progress.totalPatchBatches);
    expect(progress.completedPoints).toBeLessThanOrEqual(progress.pointCount);
  }
}

function compare(before: Sight, after: Sight): void {
  const [was, is] = [before.batch.state, after.batch.state];
  expect(ORDER[is.status], `${was.status} → ${is.status}`).toBeGreaterThanOrEqual(
    ORDER[was.status],
  );
  if (isFinal(was)) expect(is, 'a final batch').toEqual(was);
  const [had, has] = [countsOf(before.jobs), countsOf(after.jobs)];
  expect(has.completed, 'completed jobs').toBeGreaterThanOrEqual(had.completed);
  expect(has.failed, 'failed jobs').toBeGreaterThanOrEqual(had.failed);
  for (const job of before.jobs) {
    const now = after.jobs.find(({ index }) => index === job.index);
    expect(now, 'a job that was there').toBeDefined();
    if (job.state.status !== 'processing') expect(now, 'a final job').toEqual(job);
    expect(now?.progress?.completedPatchBatches ?? 0, 'patch-batches').toBeGreaterThanOrEqual(
      job.progress?.completedPatchBatches ?? 0,
    );
  }
  if (before.event !== null) compareEvents(before.event, after.event);
}

function compareEvents(before: OutboxEvent, after: OutboxEvent | null): void {
  expect(after?.attempts, 'attempts').toBeGreaterThanOrEqual(before.attempts);
  // The client asked for it once more.
  if (after?.redelivery?.number !== before.redelivery?.number) return;
  expect(after?.eventId, 'the event').toBe(before.eventId);
  if (before.state !== 'due') expect(after, 'a settled event').toEqual(before);
}

function countsOf(jobs: readonly JobRecord[]) {
  const having = (status: string) => jobs.filter(({ state }) => state.status === status).length;
  return { completed: having('completed'), failed: having('failed') };
}
