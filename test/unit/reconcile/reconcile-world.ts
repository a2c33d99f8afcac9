import { createPackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import { type Batch, batchRecord } from '../../../lambdas/domain/batch/batch.ts';
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
  /** Job records, the same for every batch. */
  readonly jobs?: readonly JobRecord[];
}

/** A deployment with these items that records the calls to other services. */
export async function makeWorld({
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
    const { batch_id: batchId, tenant, slot } = batch;
    const slots = slot === undefined ? {} : { slot: place, tenant_slot: place };
    await records.storeBatch({ ...batch, ...slots });
    const held = { ofAll: place, ofTenant: place, tenant, batchId };
    if (slot !== undefined) await records.storeSlot(held);
    for (const job of jobs) await records.storeJob(batchId, job);
  }
  for (const event of events) await records.storeEvent(event);
  const { batchQueue } = inMemory;
  const ports: ReconcilePorts = {
    ...inMemory,
    batchQueue: {
      ...batchQueue,
      enqueue: async (batch) => {
        joined.push(batch.batch_id);
        await batchQueue.enqueue(batch);
      },
    },
    runner: {
      start: async ({ batch_id, total_jobs }) => void started.push([batch_id, total_jobs]),
      startCopies: async () => {},
      state: async (name) => {
        looked.push(name);
        return runs[name] ?? 'absent';
      },
      stop: async () => 'stopped',
    },
    finishAndReport: async (batchId) => {
      if (stubborn.includes(batchId)) throw new Error(`${batchId} can't be finished`);
      finished.push(batchId);
    },
    deliveryQueue: { enqueue: async (...asked) => void scheduled.push(asked) },
    dispatch: async () => 0,
    publishing: bus === undefined ? null : { ...inMemory, bus },
  };
  return { ports, records, started, finished, scheduled, looked, joined, time };
}

export function batch(batchId: string, ageSeconds: number, state: Partial<Batch> = {}): Batch {
  const slots = 'completed_at' in state ? {} : { slot: 0, tenant_slot: 0 };
  return batchRecord.parse({ ...makeWaitingBatch(batchId, ageSeconds), ...slots, ...state });
}

export function makeWaitingBatch(batchId: string, ageSeconds: number): Batch {
  const createdAt = addSeconds(NOW, -ageSeconds);
  return {
    batch_id: batchId,
    tenant: 'farm',
    total_jobs: 3,
    model: null,
    webhook: null,
    hectares_per_job: 5_000,
    created_at: createdAt,
    updated_at: createdAt,
    results_expire_at: addSeconds(NOW, 86_400),
    status: 'pending',
    started_at: null,
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

export const PROCESSING = { status: 'processing', started_at: NOW } as const;
export const JOBS_DONE = [0, 1, 2].map(
  (index): JobRecord => ({
    ...completedJob(index),
    completed_at: NOW,
    updated_at: addSeconds(NOW, -300),
  }),
);
export const DONE = {
  status: 'completed',
  started_at: NOW,
  completed_at: NOW,
  completed_jobs: 1,
} as const;
