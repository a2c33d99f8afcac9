import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { EVENT_SOURCE, EVENT_TYPE } from '../../lambdas/domain/delivery/batch-finished.ts';
import { type Access, allowed, env, items, objects, secretValue, sendTo } from '../access.ts';
import { s3ObjectsOfPacks } from '../build/model-packs.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { Secrets } from '../secrets.ts';
import type { Foundation } from '../stateful-stack.ts';
import type { Storage } from '../storage.ts';

export type Grants = readonly Access[];

export interface WebhookQueues {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
}

/** Finishes a batch and frees its slots; {@link dispatching} gives them to queued batches. */
export function finishing({ config, storage }: Foundation, { queue }: WebhookQueues): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    items(storage, 'batches, tenants and slots', 'put', 'update'),
    objects(storage, 'requests/', 'read'),
    objects(storage, 'results/', 'discard'),
    // The step reads here the errors of its jobs, which are joined.
    objects(storage, 'work/', 'read'),
    objects(storage, 'totals/', 'write'),
    sendTo('WEBHOOK_QUEUE_URL', queue),
    memory(config),
    env({ EVENT_BUS_ARN: eventBusArn(storage, config) ?? 'none' }),
  ];
}

/**
 * Finishes batches, publishes their events and starts queued batches.
 * @param batchesArn of the state machine
 */
export function finishingAndDispatching(
  foundation: Foundation,
  queues: WebhookQueues,
  batchesArn: string,
): Grants {
  return [
    ...finishing(foundation, queues),
    ...publishing(foundation),
    items(foundation.storage, 'tenants', 'get'),
    ...dispatching(foundation, batchesArn),
  ];
}

/** Puts the events of finished batches, and no others, on the operator's bus. */
function publishing({ config, storage }: Foundation): Grants {
  const busArn = eventBusArn(storage, config);
  if (busArn === undefined) return [];
  const put = new PolicyStatement({
    actions: ['events:PutEvents'],
    resources: [busArn],
    conditions: {
      // One request can put several events.
      'ForAllValues:StringEquals': {
        'events:source': EVENT_SOURCE,
        'events:detail-type': EVENT_TYPE,
      },
    },
  });
  return [{ environment: {}, statements: [put] }];
}

function eventBusArn(scope: Construct, { eventBus }: StageConfig): string | undefined {
  if (eventBus !== 'default') return eventBus;
  const bus = { service: 'events', resource: 'event-bus', resourceName: 'default' };
  return Stack.of(scope).formatArn(bus);
}

/** Starts queued batches. Claiming a slot is one of the writes on batches and slots. */
export function dispatching({ config, storage }: Foundation, batchesArn: string): Grants {
  return [
    items(storage, 'dispatch', 'get', 'query', 'put', 'update', 'delete'),
    env({
      RUNNING_BATCHES: String(config.runningBatches.inAll),
      RUNNING_BATCHES_RESERVED: String(config.runningBatches.reserved),
    }),
    runningPerTenant(config),
    allowed({ STATE_MACHINE_ARN: batchesArn }, ['states:StartExecution'], batchesArn),
  ];
}

export function signUrls(storage: Storage, secrets: Secrets): Grants {
  return [signingSecret(storage, secrets), resultsBucketName(storage)];
}

/** The function may not read results itself: signed URLs have the rights of the signing user. */
export function resultsBucketName({ resultsBucket }: Storage): Access {
  return env({ RESULTS_BUCKET: resultsBucket.bucketName });
}

export function signingSecret(storage: Storage, secrets: Secrets): Access {
  const arn = secrets.signingSecretArn;
  return secretValue(storage, { SIGNING_SECRET_ARN: arn }, arn);
}

export function cursors(storage: Storage, secrets: Secrets): Access {
  const arn = secrets.cursorSecretArn;
  return secretValue(storage, { CURSOR_SECRET_ARN: arn }, arn);
}

/** All executions of the state machine: an execution's name is its batch's id, unknown at deployment. */
export function executions(
  batches: StateMachine,
  ...actions: readonly ('states:DescribeExecution' | 'states:StopExecution')[]
): Access {
  const named = Stack.of(batches).formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${batches.stateMachineName}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return allowed({}, actions, named);
}

export function runningPerTenant({ runningBatches }: StageConfig): Access {
  return env({ RUNNING_BATCHES_PER_TENANT: String(runningBatches.perTenant) });
}

/** The function needs the memory of the steps to calculate the cost of a batch. */
export function memory({ memoryMb }: StageConfig): Access {
  return env({ MEMORY_MB: JSON.stringify(memoryMb) });
}

export function retention({ retentionDays }: StageConfig): Access {
  return env({ RETENTION_DAYS: String(retentionDays) });
}

export function receivers({ webhooks }: StageConfig): Access {
  return env({
    WEBHOOK_SCHEMES: webhooks.schemes.join(','),
    WEBHOOK_PRIVATE_RECEIVERS: webhooks.privateReceivers,
    WEBHOOK_PORTS: typeof webhooks.ports === 'string' ? webhooks.ports : webhooks.ports.join(','),
  });
}

/** Exactly the objects that the packs' manifests name, in any bucket. */
export function covariatesInS3(config: StageConfig): Grants {
  const arns = s3ObjectsOfPacks(config).map(
    ({ bucket, key }) => `arn:${Aws.PARTITION}:s3:::${bucket}/${key}`,
  );
  return arns.length === 0 ? [] : [allowed({}, ['s3:GetObject'], ...arns)];
}

export function modelPacks(config: StageConfig): Access {
  return env({ MODEL_PACKS: config.modelPacks.join(',') });
}
