import { createPackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import type { Batch } from '../../../lambdas/domain/batch/batch.ts';
import { addSeconds, type Timestamp } from '../../../lambdas/domain/clock.ts';
import type { DeliveryMessage, OutboxEvent } from '../../../lambdas/domain/delivery/outbox.ts';
import type { EventBus } from '../../../lambdas/domain/delivery/publish-event.ts';
import type { JobRecord } from '../../../lambdas/domain/job/job.ts';
import type { ReconcilePorts } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { inMemoryPorts } from '../../../local/in-memory/ports.ts';
import { completedJob } from '../../support/api/job-records.ts';
import { storedRecords } from '../../support/stores/stored-records.ts';

export const NOW: Timestamp = '2026-03-01T12:00:00.000Z';
/** The batch of {@link event}. */
export const DELIVERED = '0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70';
export const IN_TIME = new Date(addSeconds(NOW, 40));

interface World {
  readonly batches?: readonly Batch[];
  readonly runs?: Readonly<Record<string, 'absent' | 'running' | 'ended'>>;
  readonly events?: readonly OutboxEvent[];
  /** Batches for which finishing throws. */
  readonly stubborn?: readonly string[];
  readonly bus?: EventBus;
  /** Job records, the same of every batch. */
  readonly jobs?: readonly JobRecord[];
}

/** A deployment with these items, and what reconciling asked of the outside. */
export async function world({
  batches = [],
  runs = {},
  events = [],
  stubborn = [],
  jobs = [],
  bus,
}: World) {
  const started: [string, number][] = [];
  const finished: string[] = [];
  const scheduled: [DeliveryMessage, number, string][] = [];
  const looked: string[] = [];
  const joined: string[] = [];
  const time = { now: NOW };
  const inMemory = inMemoryPorts(() => new Date(time.now), createPackCatalogue([]));
  const records = storedRecords(inMemory.table);
  for (const [place, batch] of batches.entries()) {
    const slot = { ofAll: place, ofTenant: place };
    await records.storeBatch(batch.slot === undefined ? batch : { ...batch, slot });
    if (batch.slot !== undefined) await records.storeSlot({ ...slot, ...batch });
    for (const job of jobs) await records.storeJob(batch.batchId, job);
  }
  for (const event of events) await records.storeEvent(event);
  const { batchQueue } = inMemory;
  const ports: ReconcilePorts = {
    ...inMemory,
    batchQueue: {
      ...batchQueue,
      enqueue: async (batch) => {
        joined.push(batch.batchId);
        await batchQueue.enqueue(batch);
      },
    },
    runner: {
      start: async (batchId, totalJobs) => void started.push([batchId, totalJobs]),
      state: async (batchId) => {
        looked.push(batchId);
        return runs[batchId] ?? 'absent';
      },
      stop: async () => {},
    },
    finishAndReport: async (batchId) => {
      if (stubborn.includes(batchId)) throw new Error(`${batchId} can't be finished`);
      finished.push(batchId);
    },
    timer: { schedule: async (...asked) => void scheduled.push(asked) },
    dispatch: async () => 0,
    publishing: bus === undefined ? null : { ...inMemory, bus },
  };
  return { ports, records, started, finished, scheduled, looked, joined, time };
}

/** A batch with a slot. */
export function batch(
  batchId: string,
  ageSeconds: number,
  state: Batch['state'] = { status: 'pending' },
) {
  const slot = { ofAll: 0, ofTenant: 0 };
  return { ...waiting(batchId, ageSeconds), state, ...('completedAt' in state ? {} : { slot }) };
}

export function waiting(batchId: string, ageSeconds: number): Batch {
  const createdAt = addSeconds(NOW, -ageSeconds);
  return {
    batchId,
    tenant: 'farm',
    totalJobs: 3,
    model: null,
    webhook: null,
    hectaresPerJob: 5_000,
    createdAt,
    updatedAt: createdAt,
    resultsExpireAt: addSeconds(NOW, 86_400),
    state: { status: 'pending' },
  };
}

export function event(overdueSeconds: number, state: OutboxEvent['state'] = 'due'): OutboxEvent {
  const nextAttemptAt = addSeconds(NOW, -overdueSeconds);
  const event = 'batch.completed';
  return {
    batch_id: DELIVERED,
    event,
    event_id: '0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b77',
    state,
    attempts: 2,
    next_attempt_at: nextAttemptAt,
  };
}

export const PROCESSING = { status: 'processing', startedAt: NOW } as const;
export const JOBS_DONE = [0, 1, 2].map(
  (index): JobRecord => ({
    ...completedJob(index),
    completed_at: NOW,
    updated_at: addSeconds(NOW, -300),
  }),
);
export const DONE = {
  status: 'completed',
  startedAt: NOW,
  completedAt: NOW,
  completedJobs: 1,
} as const;
