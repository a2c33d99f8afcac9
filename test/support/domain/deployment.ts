import { createPackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import { loadPack, type Pack } from '../../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../../engine/model/pack/pack-folder.ts';
import type { Batch } from '../../../lambdas/domain/batch/batch.ts';
import type { DeliveryMessage } from '../../../lambdas/domain/delivery/outbox.ts';
import type { BatchId } from '../../../lambdas/domain/identity.ts';
import type { SparseJob } from '../../../local/in-memory/files.ts';
import { inMemoryPorts, withRuns } from '../../../local/in-memory/ports.ts';
import { Executions } from '../simulation/executions.ts';
import { aBatch, tickingClock } from './builders.ts';

export type Deployment = ReturnType<typeof aDeployment>;

export const meuse: Pack = await loadPack(openPackFolder('models/meuse-soc'));

/** Creates the ports of every step, which record what they send to the outside, with real model packs. */
export function aDeployment(packs: readonly Pack[] = [meuse]) {
  const scheduled: DeliveryMessage[] = [];
  const left: { readonly batchId: BatchId; readonly error: unknown }[] = [];
  const onFault = (batchId: BatchId, error: unknown) => left.push({ batchId, error });
  return withRuns({
    ...inMemoryPorts(tickingClock(), createPackCatalogue(packs), { onFault }),
    runner: new Executions(),
    runningLimits: { inAll: 10, reserved: 0, perTenant: 10 },
    deliveryQueue: { enqueue: async (message: DeliveryMessage) => void scheduled.push(message) },
    scheduled,
    left,
  });
}

/** Stores a batch as the API leaves it behind. */
export async function postBatch(
  deployment: Deployment,
  jobs: readonly SparseJob[],
  changes: Partial<Batch> = {},
): Promise<Batch> {
  const batch = aBatch({ total_jobs: jobs.length, ...changes });
  await deployment.jobRequests.put(batch.batch_id, jobs);
  await deployment.batches.create(batch, null);
  return batch;
}
