import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { EVENT_SOURCE, EVENT_TYPE } from '../../lambdas/domain/delivery/batch-finished.ts';
import {
  type Access,
  accessItems,
  accessObjects,
  allowActions,
  readSecretValue,
  sendToQueue,
  setVariables,
} from '../access.ts';
import { listS3ObjectsOfPacks } from '../build/model-packs.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { Secrets } from '../secrets.ts';
import type { Foundation } from '../stateful-stack.ts';
import type { Storage } from '../storage.ts';

export type Grants = readonly Access[];

export interface WebhookQueues {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
}

/**
 * Lets a function finish batches, which frees their slots, publishes their events and starts queued batches.
 * @param batchesArn the ARN of the state machine
 */
export function grantFinishingAndDispatching(
  foundation: Foundation,
  { queue }: WebhookQueues,
  batchesArn: string,
): Grants {
  const { config, storage } = foundation;
  return [
    accessItems(storage, 'batches', 'get', 'query'),
    accessItems(storage, 'batches, tenants and slots', 'put', 'update'),
    accessObjects(storage, 'requests/', 'read'),
    accessObjects(storage, 'results/', 'discard'),
    // The prediction errors of jobs are read here, joined, and written below `totals/`.
    accessObjects(storage, 'work/', 'read'),
    accessObjects(storage, 'totals/', 'write'),
    sendToQueue('WEBHOOK_QUEUE_URL', queue),
    setMemory(config),
    setVariables({ EVENT_BUS_ARN: formatEventBusArn(storage, config) ?? 'none' }),
    ...grantPublishing(foundation),
    accessItems(storage, 'tenants', 'get'),
    ...grantDispatching(foundation, batchesArn),
  ];
}

/** Lets a function put events about finished batches, and no others, on the operator's bus. */
function grantPublishing({ config, storage }: Foundation): Grants {
  const busArn = formatEventBusArn(storage, config);
  if (busArn === undefined) return [];
  const put = new PolicyStatement({
    actions: ['events:PutEvents'],
    resources: [busArn],
    conditions: {
      // One request can put several events, all of which must match.
      'ForAllValues:StringEquals': {
        'events:source': EVENT_SOURCE,
        'events:detail-type': EVENT_TYPE,
      },
    },
  });
  return [{ environment: {}, statements: [put] }];
}

function formatEventBusArn(scope: Construct, { eventBus }: StageConfig): string | undefined {
  if (eventBus !== 'default') return eventBus;
  const bus = { service: 'events', resource: 'event-bus', resourceName: 'default' };
  return Stack.of(scope).formatArn(bus);
}

/** Lets a function start queued batches. To claim their slots, it also needs write access to batches and slots. */
export function grantDispatching({ config, storage }: Foundation, batchesArn: string): Grants {
  return [
    accessItems(storage, 'dispatch', 'get', 'query', 'put', 'update', 'delete'),
    setVariables({
      RUNNING_BATCHES: String(config.runningBatches.inAll),
      RUNNING_BATCHES_RESERVED: String(config.runningBatches.reserved),
    }),
    setRunningPerTenant(config),
    grantStarting(batchesArn),
  ];
}

export function grantStarting(batchesArn: string): Access {
  return allowActions({ STATE_MACHINE_ARN: batchesArn }, ['states:StartExecution'], batchesArn);
}

export function grantSigningUrls(storage: Storage, secrets: Secrets): Grants {
  return [grantSigningSecret(storage, secrets), setResultsBucket(storage)];
}

/** Names the results bucket without permission to read it: signed URLs have the rights of the signing user. */
export function setResultsBucket({ resultsBucket }: Storage): Access {
  return setVariables({ RESULTS_BUCKET: resultsBucket.bucketName });
}

export function grantSigningSecret(storage: Storage, secrets: Secrets): Access {
  const arn = secrets.signingSecretArn;
  return readSecretValue(storage, { SIGNING_SECRET_ARN: arn }, arn);
}

export function grantCursors(storage: Storage, secrets: Secrets): Access {
  const arn = secrets.cursorSecretArn;
  return readSecretValue(storage, { CURSOR_SECRET_ARN: arn }, arn);
}

/**
 * Allows access to all executions of the state machine, because an execution is named after its batch, which is unknown
 * at deployment.
 */
export function grantExecutions(
  batches: StateMachine,
  ...actions: readonly ('states:DescribeExecution' | 'states:StopExecution')[]
): Access {
  const named = Stack.of(batches).formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${batches.stateMachineName}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return allowActions({}, actions, named);
}

export function setRunningPerTenant({ runningBatches }: StageConfig): Access {
  return setVariables({ RUNNING_BATCHES_PER_TENANT: String(runningBatches.perTenant) });
}

export function setMemory({ memoryMb }: StageConfig): Access {
  return setVariables({ MEMORY_MB: JSON.stringify(memoryMb) });
}

export function setRetention({ retentionDays }: StageConfig): Access {
  return setVariables({ RETENTION_DAYS: String(retentionDays) });
}

/** Clients' roles trust the account, not one of its roles, because a role that is created again has another ID. */
export function setTrust({ stage, destinationAccounts }: StageConfig): Access {
  return setVariables({
    DESTINATION_ACCOUNTS: JSON.stringify(destinationAccounts ?? null),
    SERVICE_PRINCIPAL: `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:root`,
    EXTERNAL_ID_SCOPE: `soil-batch/${Aws.REGION}/${stage}`,
  });
}

export function setReceivers({ webhooks }: StageConfig): Access {
  return setVariables({
    WEBHOOK_SCHEMES: webhooks.schemes.join(','),
    WEBHOOK_PRIVATE_RECEIVERS: webhooks.privateReceivers,
    WEBHOOK_PORTS: typeof webhooks.ports === 'string' ? webhooks.ports : webhooks.ports.join(','),
  });
}

export function grantCovariatesInS3(config: StageConfig): Grants {
  const arns = listS3ObjectsOfPacks(config).map(
    ({ bucket, key }) => `arn:${Aws.PARTITION}:s3:::${bucket}/${key}`,
  );
  return arns.length === 0 ? [] : [allowActions({}, ['s3:GetObject'], ...arns)];
}

export function setModelPacks(config: StageConfig): Access {
  return setVariables({ MODEL_PACKS: config.modelPacks.join(',') });
}
