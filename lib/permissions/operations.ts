import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  type Access,
  accessIndex,
  accessItems,
  accessObjects,
  sendToQueue,
  setVariables,
  useWebhookKey,
} from '../access.ts';
import { isOriginShared } from '../config/stage-config.ts';
import type { Foundation } from '../stateful-stack.ts';
import {
  type Grants,
  grantCursors,
  grantDispatching,
  grantExecutions,
  grantSigningUrls,
  grantStarting,
  setMemory,
  setModelPacks,
  setReceivers,
  setResultsBucket,
  setRetention,
  setRunningPerTenant,
  type WebhookQueues,
} from './grants.ts';

// Permissions of the functions behind the APIs.

export function grantAuthorizer({ storage }: Foundation): Grants {
  return [accessItems(storage, 'keys', 'get')];
}

/** Counts the requests of every operation with a key. */
export function grantRequestRate({ storage }: Foundation): Access {
  return accessItems(storage, 'requests', 'update');
}

/** Creates, estimates and retries batches: for an estimate also how long recent batches took. */
export function grantCreations(foundation: Foundation, stateMachine: StateMachine): Grants {
  const { config, storage, secrets } = foundation;
  return [
    accessItems(
      storage,
      'new batches, tenants and slots',
      'get',
      'query',
      'put',
      'update',
      'check',
    ),
    ...grantRecentTimes(foundation),
    grantCursors(storage, secrets),
    setModelPacks(config),
    accessObjects(storage, 'requests/', 'read', 'write'),
    useWebhookKey(storage, 'kms:Encrypt'),
    ...grantDispatching(foundation, stateMachine.stateMachineArn),
    setVariables({ PATCH_BATCHES_AT_ONCE: String(config.concurrency.patchBatches) }),
    setMemory(config),
    setRetention(config),
    setReceivers(config),
  ];
}

/** How long recent batches took, to estimate how long others will. */
function grantRecentTimes({ config, storage }: Pick<Foundation, 'config' | 'storage'>): Grants {
  return [
    accessItems(storage, 'times', 'get'),
    setVariables({ JOBS_AT_ONCE: String(config.concurrency.jobs) }),
  ];
}

/** Reads batches, rasters and their errors, signs URLs, cancels and redelivers. It creates and finishes no batch. */
export function grantBatches(
  foundation: Foundation,
  stateMachine: StateMachine,
  { queue }: WebhookQueues,
): Grants {
  const { config, storage, secrets, version } = foundation;
  return [
    accessItems(storage, 'batches', 'get', 'get many', 'query', 'update'),
    accessItems(storage, 'tenants', 'get'),
    ...grantRecentTimes(foundation),
    accessIndex(storage, 'by_tenant'),
    accessObjects(storage, 'requests/', 'read'),
    accessObjects(storage, 'results/', 'read'),
    accessObjects(storage, 'totals/', 'read'),
    sendToQueue('WEBHOOK_QUEUE_URL', queue),
    ...grantSigningUrls(storage, secrets),
    grantCursors(storage, secrets),
    grantExecutions(stateMachine, 'states:StopExecution'),
    grantStarting(stateMachine.stateMachineArn),
    setModelPacks(config),
    setRetention(config),
    setRunningPerTenant(config),
    setVariables({ SERVICE_VERSION: version }),
  ];
}

/** Counts tests with {@link grantRequestRate}. The secret to sign with comes with the request. */
export function grantTestWebhook({ config, version }: Foundation): Grants {
  return [setReceivers(config), setVariables({ SERVICE_VERSION: version })];
}

/** It names the origin of results in the console's content policy, and may not read them. */
export function grantOpen({ config, storage, version }: Foundation): Grants {
  return [
    setResultsBucket(storage),
    setVariables({
      SERVICE_VERSION: version,
      CONSOLE_BACKGROUNDS: JSON.stringify(config.console.backgrounds),
      CONSOLE_ORIGIN_SHARED: String(isOriginShared(config)),
    }),
  ];
}
