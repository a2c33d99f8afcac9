import { REGION } from './deployed.ts';
import type { Context } from './may.ts';
import { OF_A_WEBHOOK_SECRET } from './own-calls.ts';

/** Finds the ARN of the only resource of a type whose logical ID contains a text. */
export type Find = (type: string, part: string) => string;

export type Guarded = readonly [action: string, on: string, context?: Context];

export interface Guard {
  readonly what: string;
  readonly calls: readonly Guarded[];
  /** The roles, users and services that may do this; all others must not. Suffixes of logical IDs are left out. */
  readonly only: readonly string[];
}

export const NOBODY: readonly string[] = [];

export function guardsOfSecrets(find: Find): readonly Guard[] {
  const signingSecret = find('AWS::SecretsManager::Secret', 'SigningSecret');
  const webhookKey = find('AWS::KMS::Key', 'WebhookKey');
  const dataKey = find('AWS::KMS::Key', 'DataKey');
  const resultsKey = find('AWS::KMS::Key', 'ResultsKey');
  const through = (service: string) => ({ 'kms:ViaService': `${service}.amazonaws.com` });
  return [
    {
      what: 'read the key that signs results',
      calls: [['secretsmanager:GetSecretValue', signingSecret]],
      only: [
        'ApiBatches',
        'SigningKeyFirstKey',
        'SigningKeyRemoveReplacedKeys',
        'SigningKeyRotateKey',
        'WebhooksDeliverWebhook',
      ],
    },
    {
      what: 'replace the key that signs results',
      calls: [['secretsmanager:PutSecretValue', signingSecret]],
      only: ['SigningKeyFirstKey', 'SigningKeyRotateKey'],
    },
    {
      what: 'read the cursor key',
      calls: [
        ['secretsmanager:GetSecretValue', find('AWS::SecretsManager::Secret', 'CursorSecret')],
      ],
      only: ['ApiBatches', 'ApiCreations'],
    },
    {
      what: 'decrypt a webhook secret',
      calls: [['kms:Decrypt', webhookKey, OF_A_WEBHOOK_SECRET]],
      only: ['WebhooksDeliverWebhook'],
    },
    {
      what: 'encrypt a webhook secret',
      calls: [['kms:Encrypt', webhookKey, OF_A_WEBHOOK_SECRET]],
      only: ['ApiCreations'],
    },
    {
      what: 'use the data and results keys directly, through another service or in another Region',
      calls: [{}, through(`ebs.${REGION}`), through('s3.us-east-1')].flatMap((context) =>
        [dataKey, resultsKey].flatMap((key): Guarded[] => [
          ['kms:Decrypt', key, context],
          ['kms:GenerateDataKey', key, context],
        ]),
      ),
      only: NOBODY,
    },
    {
      what: 'assume the role of a client',
      calls: [['sts:AssumeRole', 'arn:aws:iam::999999999999:role/7']],
      only: ['PipelineCopyResults'],
    },
    {
      what: 'assume a role of this account',
      calls: [['sts:AssumeRole', 'arn:aws:iam::111122223333:role/7']],
      only: NOBODY,
    },
    {
      what: 'decrypt results',
      calls: [['kms:Decrypt', resultsKey, through(`s3.${REGION}`)]],
      only: [
        'ApiBatches',
        'PipelineAssembleRaster',
        'PipelineCopyResults',
        'PipelineFinishJob',
        'SecretsSigningUser',
      ],
    },
    {
      what: 'encrypt results and the errors of totals',
      calls: [['kms:GenerateDataKey', resultsKey, through(`s3.${REGION}`)]],
      only: ['PipelineAssembleRaster', 'PipelineFinishBatch', 'ReconcilerReconcile'],
    },
  ];
}

export function guardsOfData(find: Find): readonly Guard[] {
  const table = find('AWS::DynamoDB::Table', 'Table');
  const work = find('AWS::S3::Bucket', 'WorkBucket');
  const results = find('AWS::S3::Bucket', 'ResultsBucket');
  const queue = find('AWS::SQS::Queue', 'WebhooksQueue');
  const deadLetters = find('AWS::SQS::Queue', 'DeadLetterQueue');
  const partition = (key: string) => ({ 'dynamodb:LeadingKeys': [key] });
  const objects = (action: string, ...keys: readonly string[]) =>
    keys.map((key): Guarded => [`s3:${action}`, key]);
  return [
    {
      what: 'read API keys',
      calls: [['dynamodb:GetItem', table, partition('KEY#7')]],
      only: ['ApiAuthorizer'],
    },
    {
      what: 'list, write or delete API keys',
      calls: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'].map(
        (action): Guarded => [`dynamodb:${action}`, table, partition('KEY#7')],
      ),
      only: NOBODY,
    },
    {
      what: 'read API keys together with permitted items',
      calls: [['dynamodb:GetItem', table, { 'dynamodb:LeadingKeys': ['BATCH#7', 'KEY#7'] }]],
      only: NOBODY,
    },
    {
      what: 'delete the items of batches or tenants',
      calls: ['BATCH#7', 'JOB#7', 'TENANT#7'].map(
        (key): Guarded => ['dynamodb:DeleteItem', table, partition(key)],
      ),
      only: NOBODY,
    },
    {
      what: 'scan the table, or change it as a whole',
      calls: ['Scan', 'DeleteTable', 'UpdateTable', 'UpdateTimeToLive'].map(
        (action): Guarded => [`dynamodb:${action}`, table],
      ),
      only: NOBODY,
    },
    {
      what: 'read rasters',
      calls: objects('GetObject', `${results}/results/7`),
      only: [
        'ApiBatches',
        'PipelineAssembleRaster',
        'PipelineCopyResults',
        'PipelineFinishJob',
        'SecretsSigningUser',
      ],
    },
    {
      what: 'write rasters',
      calls: objects('PutObject', `${results}/results/7`),
      only: ['PipelineAssembleRaster'],
    },
    {
      what: 'delete rasters',
      calls: objects('DeleteObject', `${results}/results/7`),
      only: ['PipelineFinishBatch', 'ReconcilerReconcile'],
    },
    {
      what: 'read or write webhook bodies',
      calls: ['GetObject', 'PutObject'].flatMap((action) =>
        objects(action, `${work}/deliveries/7`),
      ),
      only: ['WebhooksDeliverWebhook'],
    },
    {
      what: 'write the jobs of a batch',
      calls: objects('PutObject', `${work}/requests/7`),
      only: ['ApiCreations'],
    },
    {
      what: "read the steps' intermediate objects",
      calls: objects('GetObject', `${work}/work/7`),
      only: [
        'PipelineAssembleRaster',
        'PipelineFinishBatch',
        'PipelinePredictPatchBatch',
        'ReconcilerReconcile',
      ],
    },
    {
      what: "write the steps' intermediate objects",
      calls: objects('PutObject', `${work}/work/7`),
      only: ['PipelineAssembleRaster', 'PipelinePredictPatchBatch'],
    },
    {
      what: 'delete from the work bucket, or use an object outside the prefixes of a bucket',
      calls: [
        ...objects('DeleteObject', `${work}/requests/7`, `${work}/work/7`, `${work}/deliveries/7`),
        ...['GetObject', 'PutObject', 'DeleteObject'].flatMap((action) =>
          objects(action, `${work}/7`, `${results}/7`),
        ),
      ],
      only: NOBODY,
    },
    {
      what: 'list all objects',
      calls: [
        ['s3:ListBucket', work],
        ['s3:ListBucket', results, { 's3:prefix': '' }],
        ['s3:ListBucket', results, { 's3:prefix': 'other/' }],
      ],
      only: NOBODY,
    },
    {
      what: 'schedule deliveries',
      calls: [['sqs:SendMessage', queue]],
      only: ['ApiBatches', 'PipelineFinishBatch', 'ReconcilerReconcile', 'WebhooksDeliverWebhook'],
    },
    {
      what: 'send deliveries to the dead-letter queue',
      calls: [['sqs:SendMessage', deadLetters]],
      only: ['WebhooksDeliverWebhook'],
    },
    {
      what: 'receive deliveries',
      calls: [['sqs:ReceiveMessage', queue]],
      only: ['WebhooksDeliverWebhook'],
    },
    {
      what: 'receive or delete dead letters, or purge a queue',
      calls: [
        ['sqs:ReceiveMessage', deadLetters],
        ['sqs:DeleteMessage', deadLetters],
        ['sqs:PurgeQueue', deadLetters],
        ['sqs:PurgeQueue', queue],
      ],
      only: NOBODY,
    },
  ];
}
