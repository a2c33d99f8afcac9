import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { listCovariateFiles } from '#engine/model/covariates/covariate-files.ts';
import { createPackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { openPack, remoteSources } from '../../bin/packs/remote-sources.ts';
import { withSources } from '../../lambdas/adapters/packs/deployed-packs.ts';
import { httpReceiver } from '../../lambdas/adapters/webhook/http-receiver.ts';
import { createAuthorizer } from '../../lambdas/api/functions/authorizer.ts';
import { addSeconds, type Clock, timestamp } from '../../lambdas/domain/clock.ts';
import { deliver } from '../../lambdas/domain/delivery/deliver.ts';
import type { DeliveryQueue, OutboxEvent } from '../../lambdas/domain/delivery/outbox.ts';
import type { BatchId } from '../../lambdas/domain/identity.ts';
import type { ResultSigner } from '../../lambdas/domain/job/reading/result-signer.ts';
import { SIGNED_URL_SECONDS } from '../../lambdas/domain/limits.ts';
import { type ApiKeys, hashApiKey } from '../../lambdas/domain/tenant/api-key.ts';
import type { TenantLimits } from '../../lambdas/domain/tenant/tenant.ts';
import { listPackFolders } from '../../lib/build/model-packs.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import { inMemoryPorts, withRuns } from '../in-memory/ports.ts';
import { inProcessRunner } from './pipeline.ts';

/** The timeout of the delivery function. */
const DELIVERY_SECONDS = 30;
const TENANT = 'dev';

export interface DevServiceOptions {
  readonly config: StageConfig;
  readonly version: string;
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly onFault: (batchId: BatchId, error: unknown) => void;
  readonly limits: Partial<TenantLimits>;
  readonly clock?: Clock;
}

export type DevService = Awaited<ReturnType<typeof devService>>;

export async function devService(options: DevServiceOptions) {
  const { config, apiKey, version, onFault, limits, clock = () => new Date() } = options;
  const sources = remoteSources();
  const packs = listPackFolders(config).map((folder) => openPack(folder, sources));
  const inMemory = inMemoryPorts(clock, createPackCatalogue(await Promise.all(packs)), { onFault });
  const createdAt = timestamp(clock());
  await inMemory.tenants.create({ tenant: TENANT, createdAt, disabledAt: null, limits });
  await createKey(inMemory.keys, apiKey, clock);
  const { schemes, ports, privateReceivers, scheduleFactor } = config.webhooks;
  const receiverPolicy = { schemes, ports, privateReceivers };
  const outside = {
    ...inMemory,
    signer: unsignedUrls(options.baseUrl, clock),
    receiver: httpReceiver({
      policy: receiverPolicy,
      userAgent: `soil-batch-webhook/${version}`,
    }),
    deadLetters: {
      send: async ({ batch_id }: OutboxEvent) =>
        onFault(batch_id, new Error('the webhook was not delivered')),
    },
    scheduleFactor,
    pause: (seconds: number) => sleep(seconds * 1_000),
    version,
    covariateFiles: (pack: Pack) => listCovariateFiles(withSources(pack, remoteSources())),
    publishesEvents: false,
    retentionDays: config.retentionDays,
    runningLimits: config.runningBatches,
  };
  const deliveryQueue: DeliveryQueue = {
    enqueue: async (message, delaySeconds) => {
      const attempt = () => {
        const deadline = new Date(Date.now() + DELIVERY_SECONDS * 1_000);
        deliver({ ...outside, deliveryQueue }, { message, receivedBefore: false, deadline }).catch(
          (error: unknown) => onFault(message.batch_id, error),
        );
      };
      setTimeout(attempt, delaySeconds * 1_000).unref();
    },
  };
  const pipeline = { ...outside, deliveryQueue };
  const runner = inProcessRunner(pipeline, config.concurrency);
  return {
    config,
    baseUrl: options.baseUrl,
    ports: withRuns({ ...pipeline, receiverPolicy, runner }),
    cursorKey: createSecretReader(),
    authorize: createAuthorizer(() => inMemory),
  };
}

async function createKey(keys: ApiKeys, apiKey: string, clock: Clock): Promise<void> {
  await keys.create({
    digest: hashApiKey(apiKey),
    id: 'key_dev',
    tenant: TENANT,
    name: 'npm run dev',
    createdAt: timestamp(clock()),
    expiresAt: null,
    revokedAt: null,
  });
}

/** Returns URLs that are not signed: any process on this machine that knows the IDs can read the results. */
function unsignedUrls(baseUrl: string, clock: Clock): ResultSigner {
  return {
    async sign(batchId, jobId, fileName) {
      const createdAt = timestamp(clock());
      const expiresAt = addSeconds(createdAt, SIGNED_URL_SECONDS);
      const url = new URL(`${baseUrl}/results/${batchId}/${jobId}.tif`);
      // S3 names a download with the same parameter.
      url.searchParams.set('response-content-disposition', `attachment; filename="${fileName}"`);
      return { url: url.href, createdAt, expiresAt };
    },
  };
}

function createSecretReader(): () => Promise<Uint8Array> {
  const secret = new Uint8Array(randomBytes(32));
  return async () => secret;
}
