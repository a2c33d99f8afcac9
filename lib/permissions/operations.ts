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

/** Everything that only reads and signs no URL: lists, patch-batches, deliveries, usage, limits, models. */
export function reads({ config, storage, secrets }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    items(storage, 'tenants', 'get'),
    index(storage, 'by_tenant'),
    cursors(storage, secrets),
    modelPacks(config),
    retention(config),
    runningPerTenant(config),
  ];
}

/** Apart from other reads, so that the signing key reaches no function that needs none. */
export function signedReads({ storage, secrets }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    objects(storage, 'requests/', 'read'),
    ...signUrls(storage, secrets),
    cursors(storage, secrets),
  ];
}

export function redeliver({ storage }: Foundation, { queue }: WebhookQueues): Grants {
  return [items(storage, 'batches', 'get', 'query', 'update'), sendTo('WEBHOOK_QUEUE_URL', queue)];
}

/** Counts tests where requests are counted; the secret it signs with comes with the request. */
export function testWebhook({ config, version }: Foundation): Grants {
  return [receivers(config), told({ SERVICE_VERSION: version })];
}

/** Health, documents, and whatever no operation serves: they describe the service and reach nothing. */
export function open({ version }: Foundation): Grants {
  return [told({ SERVICE_VERSION: version })];
}
