import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { type Access, index, items, objects, sendTo, told, webhookKey } from '../access.ts';
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
  retention,
  runningPerTenant,
  signUrls,
} from './grants.ts';

// What each function behind the APIs may do.

export function authorizer({ storage }: Foundation): Grants {
  return [items(storage, 'keys', 'get')];
}

/** What every operation behind a key counts by. */
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

/** Stores nothing: of the table it may read what its tenant has left, no more. */
export function estimateBatch({ config, storage }: Foundation): Grants {
  return [
    items(storage, 'tenants', 'get'),
    modelPacks(config),
    told({
      JOBS_AT_ONCE: String(config.concurrency.jobs),
      PATCH_BATCHES_AT_ONCE: String(config.concurrency.patchBatches),
    }),
    memory(config),
    retention(config),
    receivers(config),
  ];
}

export function listBatches({ storage, secrets }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    index(storage, 'by_tenant'),
    cursors(storage, secrets),
  ];
}

export function cancelBatch(
  foundation: Foundation,
  batches: StateMachine,
  queues: WebhookQueues,
): Grants {
  return [
    ...finishing(foundation, queues),
    told({ STATE_MACHINE_ARN: batches.stateMachineArn }),
    executions(batches, 'states:StopExecution'),
  ];
}

export function retryBatch(foundation: Foundation, batches: StateMachine): Grants {
  const { config, storage } = foundation;
  return [
    items(storage, 'new batches, tenants and slots', 'get', 'query', 'put', 'update'),
    objects(storage, 'requests/', 'read', 'write'),
    ...dispatching(foundation, batches.stateMachineArn),
    retention(config),
  ];
}

export function batchStatus({ storage, secrets }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    objects(storage, 'requests/', 'read'),
    ...signUrls(storage, secrets),
    cursors(storage, secrets),
  ];
}

export const jobStatus = batchStatus;

export function patchBatchStatus({ storage }: Foundation): Grants {
  return [items(storage, 'batches', 'get')];
}

export function batchDeliveries({ storage }: Foundation): Grants {
  return [items(storage, 'batches', 'get', 'query')];
}

export function redeliver({ storage }: Foundation, { queue }: WebhookQueues): Grants {
  return [items(storage, 'batches', 'get', 'query', 'update'), sendTo('WEBHOOK_QUEUE_URL', queue)];
}

/** Counts tests where requests are counted; the secret it signs with comes with the request. */
export function testWebhook({ config, version }: Foundation): Grants {
  return [receivers(config), told({ SERVICE_VERSION: version })];
}

export function usage({ storage }: Foundation): Grants {
  return [items(storage, 'tenants', 'get')];
}

export function limits({ config, storage }: Foundation): Grants {
  return [items(storage, 'tenants', 'get'), retention(config), runningPerTenant(config)];
}

export function models({ config }: Foundation): Grants {
  return [modelPacks(config)];
}

export function health({ version }: Foundation): Grants {
  return [told({ SERVICE_VERSION: version })];
}

export const describeApi = health;
