import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Storage } from './storage.ts';
import type { IndexName } from './table-indexes.ts';

/**
 * The environment variables that name a resource for a function, together with the permissions to use it, so that
 * neither is granted without the other.
 */
export interface Access {
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: readonly PolicyStatement[];
}

export function setVariables(environment: Readonly<Record<string, string>>): Access {
  return { environment, statements: [] };
}

export function allowActions(
  environment: Readonly<Record<string, string>>,
  actions: readonly string[],
  ...resources: readonly string[]
): Access {
  return { environment, statements: [allowStatement(actions, resources)] };
}

/** Allows use of a KMS key only through another AWS service, so that a stolen role cannot decrypt data directly. */
export function allowThroughService(
  scope: Construct,
  service: 's3' | 'dynamodb' | 'secretsmanager',
  keyArn: string,
  actions: readonly string[],
): PolicyStatement {
  const { region } = Stack.of(scope);
  return new PolicyStatement({
    actions: [...actions],
    resources: [keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `${service}.${region}.amazonaws.com` } },
  });
}

/** IAM has no action for a transaction; it checks each write of a transaction by that write's action. */
const TABLE_ACTIONS = {
  get: ['dynamodb:GetItem'],
  'get many': ['dynamodb:BatchGetItem'],
  query: ['dynamodb:Query'],
  put: ['dynamodb:PutItem'],
  update: ['dynamodb:UpdateItem'],
  check: ['dynamodb:ConditionCheckItem'],
  delete: ['dynamodb:DeleteItem'],
} as const;
export type TableVerb = keyof typeof TABLE_ACTIONS;
const READS: ReadonlySet<TableVerb> = new Set(['get', 'get many', 'query']);

/**
 * Parts of the table by partition key. Functions are granted parts, so that a batch step cannot access an API key and
 * the authorizer cannot access a batch. IAM evaluates all partition keys of a transaction together, so a function that
 * creates, starts or finishes a batch is granted batches, tenants and slots together.
 */
const PARTITIONS = {
  batches: ['BATCH#*', 'JOB#*'],
  keys: ['KEY#*', 'TENANT#*'],
  tenants: ['TENANT#*'],
  requests: ['REQUESTS#*'],
  'new batches, tenants and slots': ['BATCH#*', 'TENANT#*', 'DISPATCH'],
  'batches, tenants and slots': ['BATCH#*', 'JOB#*', 'TENANT#*', 'DISPATCH'],
  /** The slots, the queue of batches and the tenant served last. */
  dispatch: ['DISPATCH', 'LINE#*'],
  scans: ['SWEEPS'],
  times: ['TIMES'],
} as const;

/**
 * Also allows use of the KMS key that encrypts the table, because DynamoDB uses it on behalf of the caller.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
export function accessItems(
  { table: { tableArn, tableName }, dataKey }: Storage,
  of: keyof typeof PARTITIONS,
  ...verbs: TableVerb[]
): Access {
  const writes = verbs.some((verb) => !READS.has(verb));
  return {
    environment: { TABLE_NAME: tableName },
    statements: [
      new PolicyStatement({
        actions: verbs.flatMap((verb) => TABLE_ACTIONS[verb]),
        resources: [tableArn],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': PARTITIONS[of] } },
      }),
      allowThroughService(dataKey, 'dynamodb', dataKey.keyArn, [
        'kms:Decrypt',
        'kms:DescribeKey',
        ...(writes ? ['kms:Encrypt', 'kms:GenerateDataKey'] : []),
      ]),
    ],
  };
}

export function accessIndex({ table: { tableArn, tableName } }: Storage, name: IndexName): Access {
  return allowActions({ TABLE_NAME: tableName }, ['dynamodb:Query'], `${tableArn}/index/${name}`);
}

const OBJECT_ACTIONS = {
  read: { s3: ['s3:GetObject'], kms: ['kms:Decrypt'] },
  write: { s3: ['s3:PutObject'], kms: ['kms:GenerateDataKey'] },
  /** Completing a multipart upload decrypts its parts, so KMS needs both actions. */
  upload: {
    s3: ['s3:PutObject', 's3:AbortMultipartUpload'],
    kms: ['kms:GenerateDataKey', 'kms:Decrypt'],
  },
  discard: { s3: ['s3:AbortMultipartUpload', 's3:DeleteObject'], kms: [] },
  /**
   * Lets a function check whether an object exists. {@link accessObjects} adds `s3:ListBucket`, without which S3
   * returns 403 instead of 404.
   */
  exists: { s3: ['s3:GetObject'], kms: ['kms:Decrypt'] },
} as const;
export type ObjectVerb = keyof typeof OBJECT_ACTIONS;

export function accessObjects(
  { dataKey, resultsKey, workBucket, resultsBucket }: Storage,
  prefix: 'requests/' | 'work/' | 'deliveries/' | 'results/' | 'totals/',
  ...verbs: ObjectVerb[]
): Access {
  const inResults = prefix === 'results/' || prefix === 'totals/';
  const [bucket, key] = inResults ? [resultsBucket, resultsKey] : [workBucket, dataKey];
  const listActions = (service: 's3' | 'kms') =>
    verbs.flatMap((verb): readonly string[] => OBJECT_ACTIONS[verb][service]);
  return {
    environment: { [inResults ? 'RESULTS_BUCKET' : 'WORK_BUCKET']: bucket.bucketName },
    statements: [
      allowStatement(listActions('s3'), [bucket.arnForObjects(`${prefix}*`)]),
      ...(verbs.includes('exists') ? [allowListing(bucket.bucketArn, prefix)] : []),
      ...(listActions('kms').length === 0
        ? []
        : [allowThroughService(key, 's3', key.keyArn, listActions('kms'))]),
    ],
  };
}

function allowListing(bucketArn: string, prefix: string): PolicyStatement {
  return new PolicyStatement({
    actions: ['s3:ListBucket'],
    resources: [bucketArn],
    // HeadObject has no prefix, so this denies only listing with another prefix.
    conditions: { StringLikeIfExists: { 's3:prefix': `${prefix}*` } },
  });
}

export function readSecretValue(
  { dataKey }: Storage,
  environment: Readonly<Record<string, string>>,
  secretArn: string,
): Access {
  return {
    environment,
    statements: [
      allowStatement(['secretsmanager:GetSecretValue'], [secretArn]),
      allowThroughService(dataKey, 'secretsmanager', dataKey.keyArn, ['kms:Decrypt']),
    ],
  };
}

/**
 * Allows use of the webhook secrets' key under a context that names tenant and batch, so that a ciphertext moved to
 * another batch's item cannot be decrypted there.
 */
export function useWebhookKey(
  { webhookKey: { keyArn } }: Storage,
  action: 'kms:Encrypt' | 'kms:Decrypt',
): Access {
  return {
    environment: { WEBHOOK_KEY_ARN: keyArn },
    statements: [
      new PolicyStatement({
        actions: [action],
        resources: [keyArn],
        conditions: {
          'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['tenant', 'batch_id'] },
          Null: {
            'kms:EncryptionContext:tenant': 'false',
            'kms:EncryptionContext:batch_id': 'false',
          },
        },
      }),
    ],
  };
}

export function sendToQueue(variable: string, { queueUrl, queueArn }: IQueue): Access {
  return allowActions({ [variable]: queueUrl }, ['sqs:SendMessage'], queueArn);
}

function allowStatement(actions: readonly string[], resources: readonly string[]): PolicyStatement {
  return new PolicyStatement({ actions: [...new Set(actions)], resources: [...resources] });
}
