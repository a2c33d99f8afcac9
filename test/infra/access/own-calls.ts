import { at, type Json, listOf, textsOf } from '../../support/infra/json.ts';
import type { Synthesised } from '../../support/infra/synthesised.ts';
import { ACCOUNT, type Deployed, REGION } from './deployed.ts';
import { MANAGED_POLICIES } from './managed-policies.ts';
import type { Call, Context } from './may.ts';
import type { Policies } from './policies.ts';

// The calls that roles and users make with what lib/ grants them, and those that AWS makes for them.

const managed = new Set(Object.values(MANAGED_POLICIES));

/** One call for each action, resource and partition that the policies of lib/ name. */
export function grantedCalls(policies: Policies): readonly Call[] {
  return grants(policies).flatMap(({ by, action, on, condition }) =>
    contextsOf(action, condition).map((context) => ({ by, action, on, context })),
  );
}

export interface Grant {
  readonly by: string;
  readonly action: string;
  /** One of the resources that the statement names. */
  readonly on: string;
  readonly condition: Json | undefined;
}

export function grants(policies: Policies): readonly Grant[] {
  return policies.principals.flatMap((by) =>
    policies
      .identity(by)
      .filter((policy) => !managed.has(policy))
      .flatMap((policy) => listOf(at(policy, 'Statement')))
      .flatMap((statement) =>
        evaluable(textsOf(at(statement, 'Action'))).flatMap((action) =>
          textsOf(at(statement, 'Resource')).map((pattern) => ({
            by,
            action,
            on: example(pattern, action),
            condition: at(statement, 'Condition'),
          })),
        ),
      ),
  );
}

/** Its resource is an alias or a version, which have one form: the library cannot tell which. */
function evaluable(actions: readonly string[]): readonly string[] {
  return actions.filter((action) => action !== 'lambda:GetProvisionedConcurrencyConfig');
}

/** A resource that a pattern of lib/ stands for. */
function example(pattern: string, action: string): string {
  if (pattern === '*') return '*';
  if (action.startsWith('logs:')) return pattern.replace(/\*$/, 'log-stream:2026');
  return pattern.replaceAll('*', '7');
}

/** What AWS sends with a call, once for each part of the table that the statement is about. */
function contextsOf(action: string, condition: Json | undefined): readonly Context[] {
  const partitions = textsOf(at(condition, 'ForAllValues:StringLike', 'dynamodb:LeadingKeys')).map(
    (pattern) => pattern.replace('*', '7'),
  );
  if (partitions.length > 0) {
    // IAM evaluates a transaction with all its partition keys at once.
    return [...partitions.map((key) => [key]), partitions].map((keys) => ({
      'dynamodb:LeadingKeys': keys,
    }));
  }
  if (action === 's3:ListBucket') {
    const prefix = String(at(condition, 'StringLikeIfExists', 's3:prefix')).replace('*', '7');
    // HeadObject sends no prefix.
    return [{ 's3:prefix': prefix }, {}];
  }
  const via = at(condition, 'StringEquals', 'kms:ViaService');
  if (via !== undefined) return [{ 'kms:ViaService': String(via) }];
  return [action.startsWith('kms:') ? OF_A_WEBHOOK_SECRET : {}];
}

/** lambdas/adapters/webhook/webhook-secret.ts */
export const OF_A_WEBHOOK_SECRET: Context = {
  'kms:EncryptionContext:tenant': 'acme',
  'kms:EncryptionContext:batch_id': '7',
  'kms:EncryptionContextKeys': ['tenant', 'batch_id'],
};

export type Keys = (resource: string) => string | undefined;

/** The customer managed key of a bucket, table or secret, by its ARN. */
export function keysOf({ resources }: Synthesised, on: Deployed): Keys {
  const keys = new Map(
    resources.flatMap(({ id, type, properties }) => {
      const key = keyOf(type, properties);
      return key === undefined ? [] : [[on.arn(id), on.text(key)] as const];
    }),
  );
  return (resource) =>
    keys.get(resource.replace(/\/(index\/.*)$/, '')) ?? keys.get(bucketOf(resource));
}

function keyOf(type: string, properties: Json): Json | undefined {
  switch (type) {
    case 'AWS::S3::Bucket': {
      const [rule] = listOf(
        at(properties, 'BucketEncryption', 'ServerSideEncryptionConfiguration'),
      );
      return at(rule, 'ServerSideEncryptionByDefault', 'KMSMasterKeyID');
    }
    case 'AWS::DynamoDB::Table':
      return at(properties, 'SSESpecification', 'KMSMasterKeyId');
    case 'AWS::SecretsManager::Secret':
      return at(properties, 'KmsKeyId');
    default:
      return undefined;
  }
}

function bucketOf(arn: string): string {
  return arn.startsWith('arn:aws:s3:::') ? arn.replace(/\/.*$/, '') : arn;
}

/**
 * What a service asks of KMS in the name of the caller.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 * https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
 */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  's3:GetObject': ['kms:Decrypt'],
  's3:PutObject': ['kms:GenerateDataKey'],
  // Completing a multipart upload decrypts its parts.
  's3:PutObject in parts': ['kms:GenerateDataKey', 'kms:Decrypt'],
  'dynamodb:GetItem': ['kms:Decrypt', 'kms:DescribeKey'],
  'dynamodb:Query': ['kms:Decrypt', 'kms:DescribeKey'],
  'dynamodb:PutItem': ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
  'dynamodb:UpdateItem': ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
  'dynamodb:DeleteItem': ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
  'dynamodb:ConditionCheckItem': ['kms:Decrypt', 'kms:DescribeKey'],
  'secretsmanager:GetSecretValue': ['kms:Decrypt'],
  'secretsmanager:PutSecretValue': ['kms:GenerateDataKey', 'kms:Decrypt'],
};

/** The calls of KMS that follow from the calls of a principal on encrypted resources. */
export function impliedCalls(calls: readonly Call[], keys: Keys): readonly Call[] {
  const uploads = new Set(
    calls.filter(({ action }) => action === 's3:AbortMultipartUpload').map(byAndOn),
  );
  return calls.flatMap((call) => {
    const key = keys(call.on);
    if (key === undefined) return [];
    const inParts = call.action === 's3:PutObject' && uploads.has(byAndOn(call));
    const implied = IMPLIED[inParts ? `${call.action} in parts` : call.action] ?? [];
    return implied.map((action) => ({
      by: call.by,
      action,
      on: key,
      context: {
        'kms:ViaService': `${call.action.split(':')[0]}.${REGION}.amazonaws.com`,
        'kms:CallerAccount': ACCOUNT,
        ...(action === 'kms:DescribeKey' ? {} : encryptionContext(call)),
      },
    }));
  });
}

/** With an S3 Bucket Key the context is the bucket's ARN. */
function encryptionContext({ on }: Call): Context {
  const context: Record<string, string> = on.startsWith('arn:aws:s3:::')
    ? { 'aws:s3:arn': bucketOf(on) }
    : on.includes(':secret:')
      ? { SecretARN: on, SecretVersionId: '7' }
      : {
          'aws:dynamodb:tableName': on.replace(/^.*:table\/|\/index\/.*$/g, ''),
          'aws:dynamodb:subscriberId': ACCOUNT,
        };
  return {
    'kms:EncryptionContextKeys': Object.keys(context),
    ...Object.fromEntries(
      Object.entries(context).map(([key, value]) => [`kms:EncryptionContext:${key}`, value]),
    ),
  };
}

function byAndOn({ by, on }: Call): string {
  return `${by} ${on}`;
}

/** Whether a granted call is one of KMS that a service makes in the caller's name. */
export function isThroughService({ context = {} }: Call): boolean {
  return 'kms:ViaService' in context;
}
