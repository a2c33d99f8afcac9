import { listCovariateFiles } from '#engine/model/covariates/covariate-files.ts';
import { cachePerManifest } from '#engine/model/pack/cache-per-manifest.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import { computeDigests, type PackDigests } from '#engine/model/pack/digests.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { dynamoStores } from '../../lambdas/adapters/dynamodb/stores.ts';
import type { Batch } from '../../lambdas/domain/batch/batch.ts';
import { type FinishBatchPorts, finishBatch } from '../../lambdas/domain/batch/finish-batch.ts';
import type { Clock } from '../../lambdas/domain/clock.ts';
import type { WebhookSecrets } from '../../lambdas/domain/delivery/signature.ts';
import { type DispatchPorts, dispatchBatch } from '../../lambdas/domain/dispatch/dispatch.ts';
import type { BatchId } from '../../lambdas/domain/identity.ts';
import type { JobError } from '../../lambdas/domain/job/job.ts';
import { inMemoryCopies } from './client-buckets.ts';
import { inMemoryTable } from './dynamodb/table.ts';
import {
  inMemoryBlocks,
  inMemoryDeliveryBodies,
  inMemoryPredictionErrors,
  inMemoryRequests,
} from './files.ts';
import { inMemoryRasters } from './rasters.ts';

export type InMemoryPorts = ReturnType<typeof inMemoryPorts>;

/**
 * Creates the ports of a stage in this process, named as operations and steps name them: the functions' stores on
 * a table in memory, and files in maps. The caller adds the external ports (such as runner, delivery queue, signer and
 * receiver) and replaces those that it observes.
 * @param onFault called for each failure that the reconciler repairs
 */
export function inMemoryPorts(
  clock: Clock,
  catalogue: PackCatalogue,
  {
    table = inMemoryTable(clock),
    onFault = () => undefined,
  }: {
    readonly table?: ReturnType<typeof inMemoryTable>;
    readonly onFault?: (batchId: BatchId, error: unknown) => void;
  } = {},
) {
  const blocks = inMemoryBlocks();
  const rasters = inMemoryRasters(blocks);
  return {
    ...dynamoStores(table),
    table,
    clock,
    catalogue,
    packDigests,
    covariateFiles: listCovariateFiles,
    version: '1.2.3',
    jobRequests: inMemoryRequests(),
    blocks,
    rasters,
    ...inMemoryCopies(catalogue, rasters),
    trust: {
      principal: 'arn:aws:iam::000000000000:root',
      externalIdScope: 'soil-batch/local',
      accounts: null,
    },
    ...inMemoryPredictionErrors(),
    bodies: inMemoryDeliveryBodies(),
    webhookSecrets,
    publishesEvents: true,
    retentionDays: 30,
    deadlineHours: 24,
    scheduleFactor: 1,
    onRunning: () => undefined,
    onFault,
    onAttemptNotQueued: onFault,
    onStartFailure: onFault,
    onDispatchFailure: onFault,
    onLeft: onFault,
  };
}

export function withRuns<Ports extends DispatchPorts & FinishBatchPorts>(ports: Ports) {
  return {
    ...ports,
    dispatch: (batch: Batch) => dispatchBatch(ports, batch),
    finishAndReport: (batchId: BatchId, unfinished?: JobError) =>
      finishBatch(ports, batchId, unfinished),
  };
}

const once = cachePerManifest<PackDigests>();

function packDigests(pack: Pack): Promise<PackDigests> {
  return once(pack.manifest, () => computeDigests(pack));
}

/**
 * Encodes secrets without encrypting them, because they never leave this process. Like KMS, it rejects secrets of other
 * tenants and batches.
 */
export const webhookSecrets: WebhookSecrets = {
  encrypt: async (secret, owner) =>
    Buffer.from(JSON.stringify({ ...owner, secret })).toString('base64'),
  async decrypt(ciphertext, owner) {
    const { secret, tenant, batchId } = JSON.parse(Buffer.from(ciphertext, 'base64').toString());
    if (tenant !== owner.tenant || batchId !== owner.batchId) throw new Error('another owner');
    return secret;
  },
};
