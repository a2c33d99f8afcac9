import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { type Access, env, index, items, objects, webhookKey } from '../access.ts';
import type { Foundation } from '../stateful-stack.ts';
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
  type WebhookQueues,
} from './grants.ts';

// Permissions of the functions behind the APIs.

export function authorizer({ storage }: Foundation): Grants {
  return [items(storage, 'keys', 'get')];
}

/** Counts the requests of every operation with a key. */
export function requestRate({ storage }: Foundation): Access {
  return items(storage, 'requests', 'update');
}

/** Creates, estimates and retries batches: for an estimate also how long recent batches took. */
export function createBatch(foundation: Foundation, stateMachine: StateMachine): Grants {
  const { config, storage, secrets } = foundation;
  return [
    items(storage, 'new batches, tenants and slots', 'get', 'query', 'put', 'update', 'check'),
    ...recentTimes(foundation),
    cursors(storage, secrets),
    modelPacks(config),
    objects(storage, 'requests/', 'read', 'write'),
    webhookKey(storage, 'kms:Encrypt'),
    ...dispatching(foundation, stateMachine.stateMachineArn),
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

/** Reads batches, rasters and their errors, signs URLs, cancels and redelivers. It creates no batch. */
export function batches(
  foundation: Foundation,
  stateMachine: StateMachine,
  queues: WebhookQueues,
): Grants {
  const { config, storage, secrets, version } = foundation;
  return [
    ...finishing(foundation, queues),
    items(storage, 'batches', 'get many'),
    items(storage, 'tenants', 'get'),
    ...recentTimes(foundation),
    index(storage, 'by_tenant'),
    objects(storage, 'results/', 'read'),
    objects(storage, 'totals/', 'read'),
    ...signUrls(storage, secrets),
    cursors(storage, secrets),
    executions(stateMachine, 'states:StopExecution'),
    modelPacks(config),
    retention(config),
    runningPerTenant(config),
    env({ STATE_MACHINE_ARN: stateMachine.stateMachineArn, SERVICE_VERSION: version }),
  ];
}

/** Counts tests with {@link requestRate}. The secret to sign with comes with the request. */
export function testWebhook({ config, version }: Foundation): Grants {
  return [receivers(config), env({ SERVICE_VERSION: version })];
}

/** It names the origin of results in the console's content policy, and may not read them. */
export function open({ config, storage, version }: Foundation): Grants {
  const { tileUrl = 'none', tileAttribution = 'none' } = config.console;
  return [
    resultsBucketName(storage),
    env({
      SERVICE_VERSION: version,
      CONSOLE_TILE_URL: tileUrl,
      CONSOLE_TILE_ATTRIBUTION: tileAttribution,
    }),
  ];
}
