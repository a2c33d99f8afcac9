import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  type Access,
  allowed,
  index,
  items,
  objects,
  secretValue,
  sendTo,
  throughService,
  told,
  webhookKey,
} from './access.ts';
import type { StageConfig } from './config.ts';
import { s3ObjectsOfPacks } from './model-packs.ts';
import type { Secrets } from './secrets.ts';
import type { Storage } from './storage.ts';

/** What the stateless stack is given by the stateful one, and what it was configured with. */
export interface Foundation {
  readonly config: StageConfig;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly version: string;
}

export interface WebhookQueues {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
}

type Grants = readonly Access[];

/** The one place that says, function by function, what each may do. */

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
      MEMORY_MB: JSON.stringify(config.memoryMb),
    }),
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
    objects(foundation.storage, 'requests/', 'read'),
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

/** Of a tenant it counts tests, nothing else; the secret it signs with comes with the request. */
export function testWebhook({ config, storage, version }: Foundation): Grants {
  return [
    items(storage, 'tenants', 'update'),
    receivers(config),
    told({ SERVICE_VERSION: version }),
  ];
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

export function planJob({ config, storage }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'put', 'update'),
    objects(storage, 'requests/', 'read'),
    modelPacks(config),
  ];
}

export function predictPatchBatch({ config, storage }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'update', 'check'),
    objects(storage, 'requests/', 'read'),
    // A retry's blocks are copied from those of the batch it retries.
    objects(storage, 'work/', 'read', 'write'),
    modelPacks(config),
    ...covariatesInS3(config),
  ];
}

export function failPatchBatch({ storage }: Foundation): Grants {
  return [items(storage, 'batches', 'get', 'update', 'check')];
}

export function assembleRaster({ config, storage }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query', 'update'),
    objects(storage, 'requests/', 'read'),
    objects(storage, 'work/', 'read'),
    objects(storage, 'results/', 'upload'),
    modelPacks(config),
  ];
}

export function finishJob({ storage }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query', 'update'),
    objects(storage, 'results/', 'look'),
  ];
}

/** @param batchesArn of the state machine, which itself calls this function */
export function finishBatch(
  foundation: Foundation,
  queues: WebhookQueues,
  batchesArn: string,
): Grants {
  return [
    ...finishing(foundation, queues),
    items(foundation.storage, 'tenants', 'get'),
    ...dispatching(foundation, batchesArn),
  ];
}

/** Whoever finishes a batch frees its slots; who has them next is for others to say. */
function finishing({ storage }: Foundation, { queue }: WebhookQueues): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    items(storage, 'batches, tenants and slots', 'put', 'update'),
    objects(storage, 'requests/', 'read'),
    objects(storage, 'results/', 'withdraw'),
    sendTo('WEBHOOK_QUEUE_URL', queue),
  ];
}

/** Starts batches that wait for their turn; its claims stand among the writes on batches and slots. */
function dispatching({ config, storage }: Foundation, batchesArn: string): Grants {
  return [
    items(storage, 'dispatch', 'get', 'query', 'put', 'update', 'delete'),
    told({ RUNNING_BATCHES: String(config.runningBatches.inAll) }),
    runningPerTenant(config),
    allowed({ STATE_MACHINE_ARN: batchesArn }, ['states:StartExecution'], batchesArn),
  ];
}

export function deliverWebhook(
  { config, storage, secrets, version }: Foundation,
  { queue, deadLetterQueue }: WebhookQueues,
): Grants {
  return [
    items(storage, 'batches', 'get', 'query', 'put', 'update'),
    objects(storage, 'requests/', 'read'),
    objects(storage, 'deliveries/', 'read', 'write'),
    webhookKey(storage, 'kms:Decrypt'),
    ...signUrls(storage, secrets),
    sendTo('WEBHOOK_QUEUE_URL', queue),
    sendTo('WEBHOOK_DEAD_LETTER_QUEUE_URL', deadLetterQueue),
    receivers(config),
    told({
      SERVICE_VERSION: version,
      WEBHOOK_SCHEDULE_FACTOR: String(config.webhooks.scheduleFactor),
    }),
  ];
}

export function reconcile(
  foundation: Foundation,
  batches: StateMachine,
  queues: WebhookQueues,
): Grants {
  const { config, storage } = foundation;
  return [
    ...finishBatch(foundation, queues, batches.stateMachineArn),
    index(storage, 'unfinished'),
    index(storage, 'undelivered'),
    items(storage, 'sweeps', 'get', 'put'),
    executions(batches, 'states:DescribeExecution', 'states:StopExecution'),
    told({ DEADLINE_HOURS: String(config.deadlineHours) }),
  ];
}

/** Reads, for operators, what every tenant's batches are doing. */
export function showProgress({ storage }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    index(storage, 'unfinished'),
    objects(storage, 'requests/', 'read'),
  ];
}

/** Makes keys of the one signing user, tries them on the bucket, keeps them in the one secret. */
export function makeSigningKeys(foundation: Foundation): Grants {
  const { storage, secrets } = foundation;
  return [
    ...removeSigningKeys(foundation),
    told({ RESULTS_BUCKET: storage.resultsBucket.bucketName }),
    allowed({}, ['iam:CreateAccessKey'], secrets.signingUser.userArn),
    allowed({}, ['secretsmanager:PutSecretValue'], secrets.signingSecretArn),
    {
      environment: {},
      statements: [
        throughService(storage, 'secretsmanager', storage.dataKey.keyArn, ['kms:GenerateDataKey']),
      ],
    },
  ];
}

export function removeSigningKeys({ storage, secrets }: Foundation): Grants {
  return [
    allowed(
      { SIGNING_USER_NAME: secrets.signingUser.userName },
      ['iam:DeleteAccessKey', 'iam:ListAccessKeys'],
      secrets.signingUser.userArn,
    ),
    signingSecret(storage, secrets),
    allowed(
      {},
      ['secretsmanager:DescribeSecret', 'secretsmanager:UpdateSecretVersionStage'],
      secrets.signingSecretArn,
    ),
  ];
}

function signUrls(storage: Storage, secrets: Secrets): Grants {
  return [
    signingSecret(storage, secrets),
    told({ RESULTS_BUCKET: storage.resultsBucket.bucketName }),
  ];
}

function signingSecret(storage: Storage, secrets: Secrets): Access {
  const arn = secrets.signingSecretArn;
  return secretValue(storage, { SIGNING_SECRET_ARN: arn }, arn);
}

function cursors(storage: Storage, secrets: Secrets): Access {
  const arn = secrets.cursorSecretArn;
  return secretValue(storage, { CURSOR_SECRET_ARN: arn }, arn);
}

/** An execution is named by its batch, unknown here: the machine's name is the narrowest there is. */
function executions(
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

function runningPerTenant({ runningBatches }: StageConfig): Access {
  return told({ RUNNING_BATCHES_PER_TENANT: String(runningBatches.perTenant) });
}

function retention({ retentionDays }: StageConfig): Access {
  return told({ RETENTION_DAYS: String(retentionDays) });
}

function receivers({ webhooks }: StageConfig): Access {
  return told({
    WEBHOOK_SCHEMES: webhooks.schemes.join(','),
    WEBHOOK_PRIVATE_RECEIVERS: webhooks.privateReceivers,
    WEBHOOK_PORTS: webhooks.ports === 'any' ? 'any' : webhooks.ports.join(','),
  });
}

/** The very objects that the packs' manifests name, whoever's bucket they are in. */
function covariatesInS3(config: StageConfig): Grants {
  const arns = s3ObjectsOfPacks(config).map(
    ({ bucket, key }) => `arn:${Aws.PARTITION}:s3:::${bucket}/${key}`,
  );
  return arns.length === 0 ? [] : [allowed({}, ['s3:GetObject'], ...arns)];
}

function modelPacks(config: StageConfig): Access {
  return told({ MODEL_PACKS: config.modelPacks.join(',') });
}
