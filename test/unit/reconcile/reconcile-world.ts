import { dynamoScanPositions } from '../../../lambdas/adapters/dynamodb/sparse-index.ts';
import type { Batch } from '../../../lambdas/domain/batch/batch.ts';
import { addSeconds, type Timestamp } from '../../../lambdas/domain/clock.ts';
import type { DeliveryMessage, OutboxEvent } from '../../../lambdas/domain/delivery/outbox.ts';
import type { JobRecord } from '../../../lambdas/domain/job/job.ts';
import type { ReconcilePorts } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';
import { completedJob } from '../../support/api/job-records.ts';
import { inPages } from './pages.ts';

export const NOW: Timestamp = '2026-03-01T12:00:00.000Z';
export const IN_TIME = new Date(addSeconds(NOW, 40));

interface World {
  readonly batches?: readonly Batch[];
  readonly runs?: Readonly<Record<string, 'absent' | 'running' | 'ended'>>;
  readonly events?: readonly OutboxEvent[];
  /** Batches for which finishing throws. */
  readonly stubborn?: readonly string[];
  readonly publishing?: ReconcilePorts['publishing'];
  /** Job records, the same of every batch. */
  readonly jobs?: readonly JobRecord[];
}

/** The given items, and what reconciling did to them. */
export function world({
  batches = [],
  runs = {},
  events = [],
  stubborn = [],
  jobs = [],
  ...rest
}: World) {
  const started: [string, number][] = [];
  const finished: string[] = [];
  const scheduled: [DeliveryMessage, number, string][] = [];
  const looked: string[] = [];
  const joined: string[] = [];
  const freed: string[] = [];
  const time = { now: NOW };
  const reminders = new Map<string, Timestamp>();
  const ports: ReconcilePorts = {
    batches: {
      read: async (id) => batches.find(({ batchId }) => batchId === id) ?? null,
      claimRestart: async () => 'unchanged',
      unfinished: ({ from = '', before }, after) =>
        inPages(
          batches
            .filter(({ createdAt }) => createdAt >= from && createdAt < before)
            .map(({ batchId }) => batchId),
          after,
        ),
    },
    jobs: { list: async () => jobs },
    runner: {
      start: async (batchId, totalJobs) => void started.push([batchId, totalJobs]),
      state: async (batchId) => {
        looked.push(batchId);
        return runs[batchId] ?? 'absent';
      },
      stop: async () => {},
    },
    finish: async (batchId) => {
      if (stubborn.includes(batchId)) throw new Error(`${batchId} can't be finished`);
      finished.push(batchId);
    },
    outbox: {
      read: async (id) => events.find(({ batch_id: batchId }) => batchId === id) ?? null,
      remind: async ({ batch_id: batchId }, until, now) => {
        if ((reminders.get(batchId) ?? '') > now) return 'unchanged';
        reminders.set(batchId, until);
        return 'changed';
      },
      undelivered: (before, after) =>
        inPages(
          events
            .filter(({ next_attempt_at: nextAttemptAt }) => nextAttemptAt < before)
            .map(({ batch_id: batchId, event }) => ({ batchId, event })),
          after,
        ),
    },
    timer: { schedule: async (...asked) => void scheduled.push(asked) },
    slots: {
      readHeld: async () =>
        batches.flatMap(({ batchId, tenant, slot }) =>
          slot === undefined ? [] : [{ ...slot, batchId, tenant }],
        ),
      free: async ({ batchId }) => {
        freed.push(batchId);
        return 'changed';
      },
    },
    batchQueue: {
      contains: async (_tenant, batchId) => joined.includes(batchId),
      enqueue: async ({ batchId }) => void joined.push(batchId),
    },
    scanPositions: dynamoScanPositions(inMemoryTable(() => new Date(time.now))),
    dispatch: async () => 0,
    clock: () => new Date(time.now),
    deadlineHours: 24,
    publishing: rest.publishing ?? null,
  };
  return { ports, started, finished, scheduled, looked, joined, freed, time, reminders };
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
    batch_id: 'b-1',
    event,
    event_id: 'e-1',
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
