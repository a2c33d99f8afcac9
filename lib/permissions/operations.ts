import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { type Access, env, index, items, objects, sendTo, webhookKey } from '../access.ts';
import type { Foundation, WebhookQueues } from '../foundation.ts';
import {
  cursors,
  dispatching,
  executions,
  finishing,
  type Grants,
  memory,
  modelPacks,
  receivers,
  resultsBucketName,
  retention,
  runningPerTenant,
  signUrls,
} from './grants.ts';

// Permissions of the functions behind the APIs.

export function authorizer({ storage }: Foundation): Grants {
  return [items(storage, 'keys', 'get')];
}

/** Counts the requests of every operation with a key. */
export function requestRate({ storage }: Foundation): Access {
  return items(storage, 'requests', 'update');
}

export function createBatch(foundation: Foundation, batches: StateMachine): Grants {
  const { config, storage, secrets } = foundation;
  return [
    items(storage, 'new batches, tenants and slots', 'get', 'put', 'update'),
    cursors(storage, secrets),
    modelPacks(config),
    objects(storage, 'requests/', 'write'),
    webhookKey(storage, 'kms:Encrypt'),
    ...dispatching(foundation, batches.stateMachineArn),
    retention(config),
    receivers(config),
  ];
}

/** Stores nothing: it may only read the tenant's limits and quota, and how long recent batches took. */
export function estimateBatch({ config, storage }: Foundation): Grants {
  return [
    items(storage, 'tenants', 'get'),
    ...recentTimes({ config, storage }),
    modelPacks(config),
    env({ PATCH_BATCHES_AT_ONCE: String(config.concurrency.patchBatches) }),
    memory(config),
    retention(config),
    receivers(config),
  ];
}

/** How long recent batches took, to estimate how long others will. */
function recentTimes({ config, storage }: Pick<Foundation, 'config' | 'storage'>): Grants {
  return [items(storage, 'times', 'get'), env({ JOBS_AT_ONCE: String(config.concurrency.jobs) })];
}

export function cancelBatch(
  foundation: Foundation,
  batches: StateMachine,
  queues: WebhookQueues,
): Grants {
  return [
    ...finishing(foundation, queues),
    env({ STATE_MACHINE_ARN: batches.stateMachineArn }),
    executions(batches, 'states:StopExecution'),
  ];
}

export function retryBatch(foundation: Foundation, batches: StateMachine): Grants {
  const { config, storage } = foundation;
  return [
    items(storage, 'new batches, tenants and slots', 'get', 'query', 'put', 'update', 'check'),
    objects(storage, 'requests/', 'read', 'write'),
    ...dispatching(foundation, batches.stateMachineArn),
    retention(config),
  ];
}

/** Read operations whose responses have no signed URLs. */
export function reads({ config, storage, secrets }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    items(storage, 'tenants', 'get'),
    ...recentTimes({ config, storage }),
    index(storage, 'by_tenant'),
    cursors(storage, secrets),
    modelPacks(config),
    retention(config),
    runningPerTenant(config),
  ];
}

/** Separate from other reads, so that only these functions have the signing key. */
export function signedReads({ config, storage, secrets }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    ...recentTimes({ config, storage }),
    objects(storage, 'requests/', 'read'),
    ...signUrls(storage, secrets),
    cursors(storage, secrets),
    modelPacks(config),
    retention(config),
  ];
}

/**
 * Separate from other reads, so that only this function reads rasters. It does not have the key that
 * signs their URLs.
 */
export function resultReads({ config, storage, secrets, version }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    objects(storage, 'requests/', 'read'),
    objects(storage, 'results/', 'read'),
    objects(storage, 'totals/', 'read'),
    cursors(storage, secrets),
    modelPacks(config),
    retention(config),
    env({ SERVICE_VERSION: version }),
  ];
}

export function redeliver({ storage }: Foundation, { queue }: WebhookQueues): Grants {
  return [items(storage, 'batches', 'get', 'query', 'update'), sendTo('WEBHOOK_QUEUE_URL', queue)];
}

/** Counts tests with {@link requestRate}. The secret to sign with comes with the request. */
export function testWebhook({ config, version }: Foundation): Grants {
  return [receivers(config), env({ SERVICE_VERSION: version })];
}

/** It names the origin of results in its page's content policy, and may not read them. */
export function consolePage({ config, storage }: Foundation): Grants {
  const { tileUrl = 'none', tileAttribution = 'none' } = config.console;
  return [
    resultsBucketName(storage),
    env({ CONSOLE_TILE_URL: tileUrl, CONSOLE_TILE_ATTRIBUTION: tileAttribution }),
  ];
}

/** Health, documents and the fallback: they need no resource. */
export function open({ version }: Foundation): Grants {
  return [env({ SERVICE_VERSION: version })];
}
