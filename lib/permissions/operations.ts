import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  type Access,
  accessIndex,
  accessItems,
  accessObjects,
  allowActions,
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
  setTrust,
  type WebhookQueues,
} from './grants.ts';

// Permissions of the functions behind the APIs.

export function grantAuthorizer({ storage }: Foundation): Grants {
  return [accessItems(storage, 'keys', 'get')];
}

export function grantRequestRate({ storage }: Foundation): Access {
  return accessItems(storage, 'requests', 'update');
}

/**
 * Lets a function create, estimate and retry batches, and request copies of missing results. An estimate also reads how
 * long recent batches took.
 */
export function grantCreations(
  foundation: Foundation,
  stateMachine: StateMachine,
  copyResults: IFunction,
): Grants {
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
    // A request to copy missing results checks whether the batch's last execution still runs.
    grantExecutions(stateMachine, 'states:DescribeExecution'),
    setVariables({ PATCH_BATCHES_AT_ONCE: String(config.concurrency.patchBatches) }),
    // The function that copies results also checks destinations, so that no other function may assume clients' roles.
    allowActions(
      { COPY_FUNCTION_NAME: copyResults.functionName },
      ['lambda:InvokeFunction'],
      copyResults.functionArn,
    ),
    setTrust(config),
    setMemory(config),
    setRetention(config),
    setReceivers(config),
  ];
}

function grantRecentTimes({ config, storage }: Pick<Foundation, 'config' | 'storage'>): Grants {
  return [
    accessItems(storage, 'times', 'get'),
    setVariables({ JOBS_AT_ONCE: String(config.concurrency.jobs) }),
  ];
}

/** Lets a function read batches, rasters and prediction errors, sign URLs, cancel batches and redeliver webhooks. */
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
    setTrust(config),
    setRetention(config),
    setRunningPerTenant(config),
    setVariables({ SERVICE_VERSION: version }),
  ];
}

/**
 * Grants no permissions: {@link grantRequestRate} allows counting the requests, and a request contains its webhook
 * secret.
 */
export function grantTestWebhook({ config, version }: Foundation): Grants {
  return [setReceivers(config), setVariables({ SERVICE_VERSION: version })];
}

/** Names the origin of results for the console's content policy, without permission to read them. */
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
