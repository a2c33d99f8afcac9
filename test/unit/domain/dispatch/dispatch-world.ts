import { createPackCatalogue } from '../../../../engine/model/pack/catalogue.ts';
import type { Batch } from '../../../../lambdas/domain/batch/batch.ts';
import { timestamp } from '../../../../lambdas/domain/clock.ts';
import type { DispatchPorts } from '../../../../lambdas/domain/dispatch/dispatch.ts';
import type { RunningLimits } from '../../../../lambdas/domain/dispatch/slots.ts';
import { inMemoryPorts } from '../../../../local/in-memory/ports.ts';
import { aBatch, anEnd, tickingClock } from '../../../support/domain/builders.ts';

export function makeDispatchWorld(
  limits: Omit<RunningLimits, 'reserved'> & Partial<RunningLimits>,
) {
  const runningLimits = { reserved: 0, ...limits };
  const clock = tickingClock(new Date('2026-03-01T12:00:00Z'));
  const stores = inMemoryPorts(clock, createPackCatalogue([]));
  const started: string[] = [];
  const failed: string[] = [];
  const faults = { start: false };
  const looks = { tenants: 0, batches: 0 };
  const ports: DispatchPorts = {
    ...stores,
    batchQueue: {
      ...stores.batchQueue,
      readTenants: async (after, count) => {
        const page = await stores.batchQueue.readTenants(after, count);
        looks.tenants += page.length;
        return page;
      },
      readFirst: async (tenant, count) => {
        const first = await stores.batchQueue.readFirst(tenant, count);
        looks.batches += first.length;
        return first;
      },
    },
    runner: {
      start: async ({ batch_id: batchId }) => {
        if (faults.start) throw new Error('StartExecution is throttled');
        if (!started.includes(batchId)) started.push(batchId);
      },
    },
    runningLimits,
    onStartFailure: (batchId) => failed.push(batchId),
  };
  return {
    ...stores,
    ports,
    started,
    failed,
    faults,
    looks,
    make: async (tenant: string): Promise<Batch> => {
      const batch = aBatch({ tenant }, clock());
      await stores.batches.create(batch, null);
      return batch;
    },
    end: (batchId: string) =>
      stores.batches.finish(batchId, anEnd('completed', timestamp(clock())), null),
    turns: async () =>
      Promise.all(started.map(async (id) => (await stores.batches.readBatch(id))?.tenant)),
  };
}
