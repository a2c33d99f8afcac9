import { inspect, isDeepStrictEqual } from 'node:util';
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
    holds(held.length <= RUNNING.inAll, 'batches that may run', held);
    for (const batchId of this.storage.made) {
      // The event first: who sees it must find the batch final. The batch before its jobs, too.
      const event = await this.storage.outbox.read(batchId, 'batch.completed');
      const batch = await this.storage.batches.read(batchId);
      const jobs = await this.storage.jobs.list(batchId);
      if (batch === null) {
        const isEmpty = event === null && jobs.length === 0;
        holds(isEmpty, 'nothing of a batch that does not exist', { event, jobs });
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

/**
 * An assertion that costs nothing when it holds: Vitest's `expect` took a quarter of the walk.
 * @param seen shown when it does not hold
 */
function holds(condition: boolean, promise: string, ...seen: readonly unknown[]): void {
  if (!condition) throw new Error(`${promise}: ${seen.map((one) => inspect(one)).join(', then ')}`);
}

function judge({ batch, jobs, event }: Sight): void {
  const indexes = jobs.map(({ index }) => index);
  holds(new Set(indexes).size === jobs.length, 'each job once', indexes);
  holds(Math.max(-1, ...indexes) < batch.totalJobs, 'no job that was not sent', indexes);
  const { completed, failed } = countsOf(jobs);
  const settled = new Set(
    jobs.filter(({ state }) => state.status !== 'processing').map(({ index }) => index),
  );
  const pending = Array.from({ length: batch.totalJobs }, (_, index) => index).filter(
    (index) => !settled.has(index),
  ).length;
  const total = completed + failed + pending;
  holds(total === batch.totalJobs, 'completed + failed + pending', total, batch.totalJobs);
  if (isFinal(batch.state)) holds(pending === 0, 'no pending jobs of a final batch', pending);
  if (event !== null) holds(isFinal(batch.state), 'an event of a final batch', batch.state);
  for (const { progress } of jobs) {
    if (progress === null) continue;
    holds(progress.completedPatchBatches <= progress.totalPatchBatches, 'progress', progress);
    holds(progress.completedPoints <= progress.pointCount, 'progress in points', progress);
  }
}

function compare(before: Sight, after: Sight): void {
  const [was, is] = [before.batch.state, after.batch.state];
  holds(ORDER[is.status] >= ORDER[was.status], 'the status never goes back', was, is);
  if (isFinal(was)) holds(isDeepStrictEqual(is, was), 'a final batch', was, is);
  const [had, has] = [countsOf(before.jobs), countsOf(after.jobs)];
  holds(has.completed >= had.completed, 'completed jobs', had, has);
  holds(has.failed >= had.failed, 'failed jobs', had, has);
  for (const job of before.jobs) {
    const now = after.jobs.find(({ index }) => index === job.index);
    holds(now !== undefined, 'a job that existed', job);
    const isFinalJob = job.state.status !== 'processing';
    if (isFinalJob) holds(isDeepStrictEqual(now, job), 'a final job', job, now);
    const done = now?.progress?.completedPatchBatches ?? 0;
    holds(done >= (job.progress?.completedPatchBatches ?? 0), 'patch-batches', job, now);
  }
  if (before.event !== null) compareEvents(before.event, after.event);
}

function compareEvents(before: OutboxEvent, after: OutboxEvent | null): void {
  holds((after?.attempts ?? -1) >= before.attempts, 'attempts', before, after);
  // The client asked for it once more.
  if (after?.redelivery?.number !== before.redelivery?.number) return;
  holds(after?.eventId === before.eventId, 'the event', before, after);
  if (before.state !== 'due') {
    holds(isDeepStrictEqual(after, before), 'a settled event', before, after);
  }
}

function countsOf(jobs: readonly JobRecord[]) {
  const having = (status: string) => jobs.filter(({ state }) => state.status === status).length;
  return { completed: having('completed'), failed: having('failed') };
}
