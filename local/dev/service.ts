import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { listCovariateFiles } from '#engine/model/covariates/covariate-files.ts';
import { createPackCatalogue } from '#engine/model/pack/catalogue.ts';
import { computeDigests } from '#engine/model/pack/digests.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { openPack, remoteSources } from '../../bin/packs/remote-sources.ts';
import { dynamoStores } from '../../lambdas/adapters/dynamodb/stores.ts';
import { withSources } from '../../lambdas/adapters/packs/deployed-packs.ts';
import { httpReceiver } from '../../lambdas/adapters/webhook/http-receiver.ts';
import { authorizerOf } from '../../lambdas/api/functions/authorizer.ts';
import { finishBatch } from '../../lambdas/domain/batch/finish-batch.ts';
import { addSeconds, type Clock, timestamp } from '../../lambdas/domain/clock.ts';
import { type DeliveryPorts, deliver } from '../../lambdas/domain/delivery/deliver.ts';
import type { DeliveryTimer } from '../../lambdas/domain/delivery/outbox.ts';
import type { WebhookSecrets } from '../../lambdas/domain/delivery/signature.ts';
import {
  type DispatchPorts,
  dispatchBatch,
  dispatchNext,
} from '../../lambdas/domain/dispatch/dispatch.ts';
import type { BatchId, JobId } from '../../lambdas/domain/identity.ts';
import type { ResultSigner } from '../../lambdas/domain/job/reading/result-signer.ts';
import { SIGNED_URL_SECONDS } from '../../lambdas/domain/limits.ts';
import { type ApiKeys, digestOf } from '../../lambdas/domain/tenant/api-key.ts';
import type { TenantLimits } from '../../lambdas/domain/tenant/tenant.ts';
import { listPackFolders } from '../../lib/build/model-packs.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import { inMemoryTable } from '../in-memory/dynamodb/table.ts';
import {
  inMemoryBlocks,
  inMemoryDeliveryBodies,
  inMemoryPredictionErrors,
  inMemoryRequests,
} from '../in-memory/files.ts';
import { inMemoryRasters } from '../in-memory/rasters.ts';
import { inProcessRunner } from './pipeline.ts';

/** The timeout of the delivery function. */
const DELIVERY_SECONDS = 30;
const TENANT = 'dev';

export interface DevServiceOptions {
  readonly config: StageConfig;
  readonly version: string;
  readonly apiKey: string;
  /** The URL has no trailing slash. */
  readonly baseUrl: string;
  readonly onFault: (batchId: BatchId, error: unknown) => void;
  /** Limits of the tenant, other than the defaults. */
  readonly limits: Partial<TenantLimits>;
  readonly clock?: Clock;
}

export type DevService = Awaited<ReturnType<typeof devService>>;

/** In-memory ports of every operation and step, with the real model packs. */
export async function devService(options: DevServiceOptions) {
  const { config, apiKey, version, onFault, limits, clock = () => new Date() } = options;
  const sources = remoteSources();
  const packs = listPackFolders(config).map((folder) => openPack(folder, sources));
  const catalogue = createPackCatalogue(await Promise.all(packs));
  const stores = dynamoStores(inMemoryTable(clock));
  const { tenants } = stores;
  const createdAt = timestamp(clock());
  await tenants.create({ tenant: TENANT, createdAt, disabledAt: null, limits });
  const blocks = inMemoryBlocks();
  const rasters = inMemoryRasters(blocks);
  const { schemes, ports, privateReceivers, scheduleFactor } = config.webhooks;
  const policy = { schemes, ports, privateReceivers };
  const secrets = secretsInMemory();
  const shared = {
    ...stores,
    rasters,
    ...inMemoryPredictionErrors(),
    catalogue,
    packDigests: computeDigests,
    covariateFiles: (pack: Pack) => listCovariateFiles(withSources(pack, remoteSources())),
    version,
    clock,
    secrets,
    jobRequests: inMemoryRequests(),
    blocks,
    signer: urlsOf(options.baseUrl, clock),
    receiver: httpReceiver({ policy, userAgent: `soil-batch-webhook/${version}` }),
    onAttemptNotQueued: onFault,
    publishesEvents: false,
    retentionDays: config.retentionDays,
  };

  const timer: DeliveryTimer = {
    schedule: async (message, delaySeconds) => {
      const attempt = () => {
        const deadline = new Date(Date.now() + DELIVERY_SECONDS * 1_000);
        deliver(delivering, { message, redelivered: false, deadline }).catch((error: unknown) =>
          onFault(message.batch_id, error),
        );
      };
      setTimeout(attempt, delaySeconds * 1_000).unref();
    },
  };
  const delivering: DeliveryPorts = {
    ...shared,
    timer,
    bodies: inMemoryDeliveryBodies(),
    deadLetters: {
      send: async ({ batch_id: batchId }) =>
        onFault(batchId, new Error('the webhook was not delivered')),
    },
    scheduleFactor,
    pause: (seconds) => sleep(seconds * 1_000),
  };

  const pipeline = { ...shared, timer };
  const runner = inProcessRunner(
    pipeline,
    config.concurrency,
    (batchId) => dispatchNext(dispatching, batchId, onFault),
    onFault,
  );
  const dispatching: DispatchPorts = {
    ...shared,
    runner,
    runningLimits: config.runningBatches,
    onStartFailure: onFault,
  };

  await createKey(stores.keys, apiKey, clock);
  return {
    config,
    version,
    baseUrl: options.baseUrl,
    policy,
    paces: stores.paces,
    allowance: stores.allowance,
    authorize: authorizerOf(() => ({ ...stores, clock })),
    readRaster: (batchId: BatchId, jobId: JobId) => rasters.read(batchId, jobId),
    cursorKey: secretInMemory(),
    ports: {
      ...shared,
      timer,
      runner,
      log: stores.outbox,
      webhookSecrets: secrets,
      dispatch: (batch: Parameters<typeof dispatchBatch>[1]) => dispatchBatch(dispatching, batch),
      finish: (batchId: BatchId) => finishBatch(pipeline, batchId),
      onDispatchFailure: onFault,
      onLeft: onFault,
    },
  };
}

async function createKey(keys: ApiKeys, apiKey: string, clock: Clock): Promise<void> {
  await keys.create({
    digest: digestOf(apiKey),
    id: 'key_dev',
    tenant: TENANT,
    name: 'npm run dev',
    createdAt: timestamp(clock()),
    expiresAt: null,
    revokedAt: null,
  });
}

/** The URLs are not signed: any process on this machine that knows the ids can read the results. */
function urlsOf(baseUrl: string, clock: Clock): ResultSigner {
  return {
    async sign(batchId, jobId, fileName) {
      const createdAt = timestamp(clock());
      const expiresAt = addSeconds(createdAt, SIGNED_URL_SECONDS);
      const url = new URL(`${baseUrl}/results/${batchId}/${jobId}.tif`);
      // As S3 names a download.
      url.searchParams.set('response-content-disposition', `attachment; filename="${fileName}"`);
      return { url: url.href, createdAt, expiresAt };
    },
  };
}

/** The ciphertext is a random reference to the secret. */
function secretsInMemory(): WebhookSecrets {
  const secrets = new Map<string, string>();
  return {
    async encrypt(secret) {
      const reference = randomUUID();
      secrets.set(reference, secret);
      return reference;
    },
    async decrypt(reference) {
      const secret = secrets.get(reference);
      if (secret === undefined) throw new Error('no such webhook secret');
      return secret;
    },
  };
}

function secretInMemory(): () => Promise<Uint8Array> {
  const secret = new Uint8Array(randomBytes(32));
  return async () => secret;
}
