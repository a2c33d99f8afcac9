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

const TABLE_ACTIONS = {
  get: ['dynamodb:GetItem'],
  query: ['dynamodb:Query'],
  put: ['dynamodb:PutItem'],
  update: ['dynamodb:UpdateItem'],
  /** A condition on one item of a transaction that writes others. */
  check: ['dynamodb:ConditionCheckItem'],
} as const;
export type TableVerb = keyof typeof TABLE_ACTIONS;

/**
 * The state table, with its key: DynamoDB uses that in the caller's name.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
export function table(
  { table: { tableArn, tableName }, dataKey }: Storage,
  ...verbs: TableVerb[]
): Access {
  return {
    environment: { TABLE_NAME: tableName },
    statements: [
      statement(
        verbs.flatMap((verb) => TABLE_ACTIONS[verb]),
        [tableArn],
      ),
      throughService(dataKey, 'dynamodb', dataKey.keyArn, [
        'kms:Decrypt',
        'kms:DescribeKey',
        ...(verbs.some((verb) => verb === 'put' || verb === 'update')
          ? ['kms:Encrypt', 'kms:GenerateDataKey']
          : []),
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
  const variable = inResults ? 'RESULTS_BUCKET' : 'WORK_BUCKET';
  return {
    environment: { [variable]: bucket.bucketName },
    statements: [
      statement(
        verbs.flatMap((verb) => OBJECT_ACTIONS[verb].s3),
        [bucket.arnForObjects(`${prefix}*`)],
      ),
      throughService(
        dataKey,
        's3',
        dataKey.keyArn,
        verbs.flatMap((verb) => OBJECT_ACTIONS[verb].kms),
      ),
    ],
  };
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
