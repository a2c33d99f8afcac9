import { inspect, isDeepStrictEqual } from 'node:util';
import { type Batch, isFinal } from '../../../lambdas/domain/batch/batch.ts';
import type { OutboxEvent } from '../../../lambdas/domain/delivery/outbox.ts';
import type { BatchId } from '../../../lambdas/domain/identity.ts';
import type { JobRecord } from '../../../lambdas/domain/job/job.ts';
import type { ObservedStorage } from './storage.ts';
import { RUNNING } from './world-ports.ts';

interface Snapshot {
  readonly batch: Batch;
  readonly jobs: readonly JobRecord[];
  readonly event: OutboxEvent | null;
}

const ORDER = { pending: 0, processing: 1, completed: 2, failed: 2, partial: 2 } as const;

/** Checks every batch after each call that may change it. */
export class Observer {
  /** Violations are collected rather than thrown, because a step might catch an error. */
  readonly violations: unknown[] = [];
  checks = 0;
  private readonly storage: ObservedStorage;
  private readonly latest = new Map<BatchId, Snapshot>();
  /** Checks run one after another, so that each compares with the previous one. */
  private queue: Promise<void> = Promise.resolve();

  constructor(storage: ObservedStorage) {
    this.storage = storage;
  }

  check(): Promise<void> {
    this.queue = this.queue
      .then(() => this.checkAll())
      .catch((violation: unknown) => void this.violations.push(violation));
    return this.queue;
  }

  private async checkAll(): Promise<void> {
    this.checks += 1;
    const held = await this.storage.slots.readHeld();
    assert(held.length <= RUNNING.inAll, 'slots held', held);
    for (const batchId of this.storage.created) {
      // Read the event first, because a batch with an event must be final, and read the batch before its jobs.
      const event = await this.storage.outbox.read(batchId, 'batch.completed');
      const batch = await this.storage.batches.readBatch(batchId);
      const jobs = await this.storage.jobs.list(batchId);
      if (batch === null) {
        const isEmpty = event === null && jobs.length === 0;
        assert(isEmpty, 'no items of a batch that does not exist', { event, jobs });
        continue;
      }
      const snapshot = { batch, jobs, event };
      checkSnapshot(snapshot);
      const before = this.latest.get(batchId);
      if (before !== undefined) compareSnapshots(before, snapshot);
      this.latest.set(batchId, snapshot);
    }
  }
}

/**
 * Asserts without cost if the condition holds, because Vitest's `expect` is slow.
 * @param values shown if the condition does not hold
 */
function assert(condition: boolean, what: string, ...values: readonly unknown[]): void {
  if (!condition) throw new Error(`${what}: ${values.map((one) => inspect(one)).join(', then ')}`);
}

function checkSnapshot({ batch, jobs, event }: Snapshot): void {
  const indexes = jobs.map(({ job_index }) => job_index);
  assert(new Set(indexes).size === jobs.length, 'each job once', indexes);
  assert(Math.max(-1, ...indexes) < batch.total_jobs, 'there are only jobs of the batch', indexes);
  const { completed, failed } = countStates(jobs);
  const settled = new Set(
    jobs.filter(({ status }) => status !== 'processing').map(({ job_index }) => job_index),
  );
  const pending = Array.from({ length: batch.total_jobs }, (_, index) => index).filter(
    (index) => !settled.has(index),
  ).length;
  const total = completed + failed + pending;
  assert(total === batch.total_jobs, 'completed + failed + pending', total, batch.total_jobs);
  if (isFinal(batch)) assert(pending === 0, 'no pending jobs of a final batch', pending);
  if (event !== null) assert(isFinal(batch), 'an event of a final batch', batch.status);
  for (const job of jobs) {
    if (job.model === undefined) continue;
    const { total_patch_batches = 0, completed_patch_batches = 0 } = job;
    assert(completed_patch_batches <= total_patch_batches, 'progress', job);
    const { point_count = 0, completed_points = 0 } = job;
    assert(completed_points <= point_count, 'progress in points', job);
  }
}

function compareSnapshots(before: Snapshot, after: Snapshot): void {
  const [was, is] = [before.batch, after.batch];
  assert(ORDER[is.status] >= ORDER[was.status], 'the status only advances', was, is);
  if (isFinal(was)) assert(isDeepStrictEqual(is, was), 'a final batch', was, is);
  const [had, has] = [countStates(before.jobs), countStates(after.jobs)];
  assert(has.completed >= had.completed, 'completed jobs', had, has);
  assert(has.failed >= had.failed, 'failed jobs', had, has);
  for (const job of before.jobs) {
    const now = after.jobs.find(({ job_index }) => job_index === job.job_index);
    assert(now !== undefined, 'a job that existed', job);
    const isFinalJob = job.status !== 'processing';
    if (isFinalJob) assert(isDeepStrictEqual(now, job), 'a final job', job, now);
    const done = now?.completed_patch_batches ?? 0;
    assert(done >= (job.completed_patch_batches ?? 0), 'patch-batches', job, now);
  }
  if (before.event !== null) compareEvents(before.event, after.event);
}

function compareEvents(before: OutboxEvent, after: OutboxEvent | null): void {
  assert((after?.attempts ?? -1) >= before.attempts, 'attempts', before, after);
  // The client requested a redelivery.
  if (after?.redelivery?.number !== before.redelivery?.number) return;
  assert(after?.event_id === before.event_id, 'the event', before, after);
  if (before.state !== 'due') {
    assert(isDeepStrictEqual(after, before), 'a settled event', before, after);
  }
}

function countStates(jobs: readonly JobRecord[]) {
  const countJobsWith = (status: string) => jobs.filter((job) => job.status === status).length;
  return { completed: countJobsWith('completed'), failed: countJobsWith('failed') };
}
