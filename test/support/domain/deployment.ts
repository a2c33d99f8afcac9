import {
  type CovariateFile,
  listCovariateFiles,
} from '../../../engine/model/covariates/covariate-files.ts';
import { createPackCatalogue, type PackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import { computeDigests, type PackDigests } from '../../../engine/model/pack/digests.ts';
import { loadPack, type Pack } from '../../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../../engine/model/pack/pack-folder.ts';
import { dynamoStores, type Stores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import type { Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import type { Batch } from '../../../lambdas/domain/batch/batch.ts';
import type { Clock } from '../../../lambdas/domain/clock.ts';
import type { DeliveryMessage, DeliveryTimer } from '../../../lambdas/domain/delivery/outbox.ts';
import type { BatchId } from '../../../lambdas/domain/identity.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';
import {
  type BlockFiles,
  inMemoryBlocks,
  inMemoryPredictionErrors,
  inMemoryRequests,
  type PredictionErrorFiles,
  type RequestFiles,
  type SparseJob,
} from '../../../local/in-memory/files.ts';
import { inMemoryRasters, type RasterFiles } from '../../../local/in-memory/rasters.ts';
import { aBatch, tickingClock } from './builders.ts';

/** Everything a step needs, in memory, around real model packs. */
export interface Deployment extends Stores, PredictionErrorFiles {
  readonly table: Table;
  readonly jobRequests: RequestFiles;
  readonly blocks: BlockFiles;
  readonly rasters: RasterFiles;
  readonly catalogue: PackCatalogue;
  readonly packDigests: (pack: Pack) => Promise<PackDigests>;
  readonly covariateFiles: (pack: Pack) => Promise<readonly CovariateFile[]>;
  readonly version: string;
  readonly timer: DeliveryTimer;
  readonly scheduled: DeliveryMessage[];
  readonly left: { readonly batchId: BatchId; readonly error: unknown }[];
  readonly onAttemptNotQueued: (batchId: BatchId, error: unknown) => void;
  readonly publishesEvents: boolean;
  readonly clock: Clock;
}

export const meuse: Pack = await loadPack(openPackFolder('models/meuse-soc'));

export function aDeployment(packs: readonly Pack[] = [meuse]): Deployment {
  const clock = tickingClock();
  const table = inMemoryTable(clock);
  const blocks = inMemoryBlocks();
  const scheduled: DeliveryMessage[] = [];
  const left: { batchId: BatchId; error: unknown }[] = [];
  return {
    table,
    ...dynamoStores(table),
    jobRequests: inMemoryRequests(),
    blocks,
    rasters: inMemoryRasters(blocks),
    ...inMemoryPredictionErrors(),
    catalogue: createPackCatalogue(packs),
    packDigests: computeDigests,
    covariateFiles: listCovariateFiles,
    version: '1.2.3',
    timer: {
      schedule: async (message) => {
        scheduled.push(message);
      },
    },
    scheduled,
    left,
    onAttemptNotQueued: (batchId, error) => left.push({ batchId, error }),
    publishesEvents: true,
    clock,
  };
}

/** A batch as the API leaves it behind. */
export async function postBatch(
  deployment: Deployment,
  jobs: readonly SparseJob[],
  changes: Partial<Batch> = {},
): Promise<Batch> {
  const batch = aBatch({ totalJobs: jobs.length, ...changes });
  await deployment.jobRequests.put(batch.batchId, jobs);
  await deployment.batches.create(batch, null);
  return batch;
}
