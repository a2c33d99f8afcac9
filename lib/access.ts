import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { IndexName, Storage } from './storage.ts';

/**
 * What a function is told of a resource and what it may do with it: given together, so that there is
 * no name without a permission and no permission without a name.
 */
export interface Access {
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: readonly PolicyStatement[];
}

/** Facts without any permission. */
export function told(environment: Readonly<Record<string, string>>): Access {
  return { environment, statements: [] };
}

export function allowed(
  environment: Readonly<Record<string, string>>,
  actions: readonly string[],
  ...resources: readonly string[]
): Access {
  return { environment, statements: [statement(actions, resources)] };
}

/** A key used by a service in our name, never by us: a stolen role can't decrypt bytes by itself. */
export function throughService(
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

/** A transaction is no action of its own: each of its writes is checked as what it is. */
const TABLE_ACTIONS = {
  get: ['dynamodb:GetItem'],
  query: ['dynamodb:Query'],
  put: ['dynamodb:PutItem'],
  update: ['dynamodb:UpdateItem'],
  check: ['dynamodb:ConditionCheckItem'],
  delete: ['dynamodb:DeleteItem'],
} as const;
export type TableVerb = keyof typeof TABLE_ACTIONS;

/**
 * The parts of the table: a step of a batch can't reach a key, the authorizer reaches no batch. A
 * transaction over several is judged with all its keys at once, so whoever makes, starts or finishes
 * a batch, counts it for its tenant and gives it its slots, is granted its writes on them together.
 */
const PARTITIONS = {
  batches: ['BATCH#*', 'JOB#*'],
  keys: ['KEY#*', 'TENANT#*'],
  tenants: ['TENANT#*'],
  requests: ['REQUESTS#*'],
  'new batches, tenants and slots': ['BATCH#*', 'TENANT#*', 'DISPATCH'],
  'batches, tenants and slots': ['BATCH#*', 'JOB#*', 'TENANT#*', 'DISPATCH'],
  /** Slots, the line of batches that wait, and whose turn it is. */
  dispatch: ['DISPATCH', 'LINE#*'],
  sweeps: ['SWEEPS'],
} as const;

/**
 * Items of one part of the state table, with the table's key: DynamoDB uses that in the caller's name.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
export function items(
  { table: { tableArn, tableName }, dataKey }: Storage,
  of: keyof typeof PARTITIONS,
  ...verbs: TableVerb[]
): Access {
  const writes = verbs.some((verb) => verb !== 'get' && verb !== 'query');
  return {
    environment: { TABLE_NAME: tableName },
    statements: [
      new PolicyStatement({
        actions: verbs.flatMap((verb) => TABLE_ACTIONS[verb]),
        resources: [tableArn],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': PARTITIONS[of] } },
      }),
      throughService(dataKey, 'dynamodb', dataKey.keyArn, [
        'kms:Decrypt',
        'kms:DescribeKey',
        ...(writes ? ['kms:Encrypt', 'kms:GenerateDataKey'] : []),
      ]),
    ],
  };
}

export function index({ table: { tableArn, tableName } }: Storage, name: IndexName): Access {
  return allowed({ TABLE_NAME: tableName }, ['dynamodb:Query'], `${tableArn}/index/${name}`);
}

const OBJECT_ACTIONS = {
  read: { s3: ['s3:GetObject'], kms: ['kms:Decrypt'] },
  write: { s3: ['s3:PutObject'], kms: ['kms:GenerateDataKey'] },
  /** Parts are decrypted when the upload is completed: multipart under KMS needs both. */
  upload: {
    s3: ['s3:PutObject', 's3:AbortMultipartUpload'],
    kms: ['kms:GenerateDataKey', 'kms:Decrypt'],
  },
  /** What was begun is given up, what is there is deleted: no byte is read or written. */
  withdraw: { s3: ['s3:AbortMultipartUpload', 's3:DeleteObject'], kms: [] },
  /** Whether it is there; {@link objects} lets this one list too, or S3 would answer 403 for 404. */
  look: { s3: ['s3:GetObject'], kms: ['kms:Decrypt'] },
} as const;
export type ObjectVerb = keyof typeof OBJECT_ACTIONS;

/** Objects under one prefix of a bucket, e.g. `requests/`. */
export function objects(
  { dataKey, workBucket, resultsBucket }: Storage,
  prefix: 'requests/' | 'work/' | 'deliveries/' | 'results/',
  ...verbs: ObjectVerb[]
): Access {
  const inResults = prefix === 'results/';
  const bucket = inResults ? resultsBucket : workBucket;
  const actionsOf = (service: 's3' | 'kms') =>
    verbs.flatMap((verb): readonly string[] => OBJECT_ACTIONS[verb][service]);
  return {
    environment: { [inResults ? 'RESULTS_BUCKET' : 'WORK_BUCKET']: bucket.bucketName },
    statements: [
      statement(actionsOf('s3'), [bucket.arnForObjects(`${prefix}*`)]),
      ...(verbs.includes('look') ? [listing(bucket.bucketArn, prefix)] : []),
      ...(actionsOf('kms').length === 0
        ? []
        : [throughService(dataKey, 's3', dataKey.keyArn, actionsOf('kms'))]),
    ],
  };
}

function listing(bucketArn: string, prefix: string): PolicyStatement {
  return new PolicyStatement({
    actions: ['s3:ListBucket'],
    resources: [bucketArn],
    // HeadObject sends no prefix: only a listing that names another one is refused.
    conditions: { StringLikeIfExists: { 's3:prefix': `${prefix}*` } },
  });
}

export function secretValue(
  { dataKey }: Storage,
  environment: Readonly<Record<string, string>>,
  secretArn: string,
): Access {
  return {
    environment,
    statements: [
      statement(['secretsmanager:GetSecretValue'], [secretArn]),
      throughService(dataKey, 'secretsmanager', dataKey.keyArn, ['kms:Decrypt']),
    ],
  };
}

/**
 * The key of webhook secrets, under a context that names tenant and batch: a ciphertext moved to
 * another batch's item can't be decrypted there.
 */
export function webhookKey(
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

export function sendTo(variable: string, { queueUrl, queueArn }: IQueue): Access {
  return allowed({ [variable]: queueUrl }, ['sqs:SendMessage'], queueArn);
}

function statement(actions: readonly string[], resources: readonly string[]): PolicyStatement {
  return new PolicyStatement({ actions: [...new Set(actions)], resources: [...resources] });
}
