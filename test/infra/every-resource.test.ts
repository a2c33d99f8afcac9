import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { toList, valueAtPath } from '../../local/json.ts';
import { synthesiseEverything } from '../support/infra/everything.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const stages = [
  ['dev', synthesise('dev')],
  ['prod with every option', synthesiseEverything()],
] as const;

describe.each(stages)('every resource of %s', (_stage, synthesised) => {
  const { ofType, text } = synthesised;
  const named = (type: string) => ofType(type).map((resource) => [resource.id, resource] as const);

  it.each(named('AWS::S3::Bucket'))('bucket %s blocks public access', (_, { properties }) => {
    expect(properties['PublicAccessBlockConfiguration']).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
  });

  it.each(named('AWS::S3::Bucket'))('bucket %s encrypts with a KMS key', (_, { properties }) => {
    const rules = toList(
      valueAtPath(properties, 'BucketEncryption', 'ServerSideEncryptionConfiguration'),
    );
    expect(rules).toHaveLength(1);
    expect(valueAtPath(rules[0], 'ServerSideEncryptionByDefault', 'SSEAlgorithm')).toBe('aws:kms');
    expect(valueAtPath(rules[0], 'BucketKeyEnabled')).toBe(true);
  });

  it.each(named('AWS::S3::Bucket'))(
    'bucket %s expires objects and abandoned uploads',
    (_, { properties }) => {
      const rules = toList(valueAtPath(properties, 'LifecycleConfiguration', 'Rules'));
      expect(rules.some((rule) => valueAtPath(rule, 'ExpirationInDays') !== undefined)).toBe(true);
      expect(
        rules.some((rule) => valueAtPath(rule, 'AbortIncompleteMultipartUpload') !== undefined),
      ).toBe(true);
    },
  );

  it.each(named('AWS::S3::Bucket'))('bucket %s denies requests without TLS', (id) => {
    expect(deniesPlainHttp('AWS::S3::BucketPolicy', 'Bucket', id)).toBe(true);
  });

  it.each(named('AWS::SQS::Queue'))(
    'queue %s has a dead-letter queue or is one',
    (id, { properties }) => {
      const target = text(valueAtPath(properties, 'RedrivePolicy', 'deadLetterTargetArn'));
      const targets = ofType('AWS::SQS::Queue').map((queue) =>
        text(valueAtPath(queue.properties, 'RedrivePolicy', 'deadLetterTargetArn')),
      );
      if (targets.includes(`<${id}.Arn>`)) {
        // A dead-letter queue has the longest retention, because a message's age counts from its first queue.
        expect(valueAtPath(properties, 'MessageRetentionPeriod')).toBe(14 * 24 * 3_600);
      } else {
        expect(ofType('AWS::SQS::Queue').map((queue) => `<${queue.id}.Arn>`)).toContain(target);
        expect(valueAtPath(properties, 'RedrivePolicy', 'maxReceiveCount')).toBeGreaterThanOrEqual(
          5,
        );
      }
    },
  );

  it.each(named('AWS::SQS::Queue'))(
    'queue %s encrypts and denies requests without TLS',
    (id, { properties }) => {
      expect(properties['SqsManagedSseEnabled']).toBe(true);
      expect(deniesPlainHttp('AWS::SQS::QueuePolicy', 'Queues', id)).toBe(true);
    },
  );

  it.each(named('AWS::SNS::Topic'))(
    'topic %s encrypts with a key that CloudWatch may use',
    (_, { properties }) => {
      const key = ofType('AWS::KMS::Key').find(({ id }) =>
        text(properties['KmsMasterKeyId']).includes(id),
      );
      const statements = toList(valueAtPath(key?.properties, 'KeyPolicy', 'Statement'));
      const forAlarms = statements.find(
        (statement) =>
          valueAtPath(statement, 'Principal', 'Service') === 'cloudwatch.amazonaws.com',
      );
      expect(valueAtPath(forAlarms, 'Action')).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
      expect(
        valueAtPath(forAlarms, 'Condition', 'StringEquals', 'aws:SourceAccount'),
      ).toBeDefined();
    },
  );

  it.each(named('AWS::KMS::Key'))('key %s is rotated', (_, { properties }) => {
    expect(properties['EnableKeyRotation']).toBe(true);
  });

  it.each(named('AWS::SecretsManager::Secret'))(
    'secret %s has a customer managed key',
    (_, { properties }) => {
      expect(text(properties['KmsKeyId'])).toMatch(/DataKey/);
    },
  );

  it.each(named('AWS::Logs::LogGroup'))(
    'log group %s has a retention period',
    (_, { properties }) => {
      expect(properties['RetentionInDays']).toBeTypeOf('number');
    },
  );

  it('every function writes to its own log group', () => {
    const groups = ofType('AWS::Lambda::Function').map(({ properties }) =>
      text(valueAtPath(properties, 'LoggingConfig', 'LogGroup')),
    );
    const existing = ofType('AWS::Logs::LogGroup').map(({ id }) => `<${id}>`);
    expect(new Set(groups).size).toBe(groups.length);
    for (const group of groups) expect(existing).toContain(group);
  });

  it.each(
    // The CDK's own function runs only during a deployment, and has no option for tracing.
    named('AWS::Lambda::Function').filter(([id]) => !id.includes('frameworkonEvent')),
  )('function %s is traced', (_, { properties }) => {
    expect(valueAtPath(properties, 'TracingConfig', 'Mode')).toBe('Active');
  });

  it.each(named('AWS::CloudWatch::Alarm'))(
    'alarm %s notifies a target independently of other alarms, and has a description',
    (_, { properties }) => {
      expect(toList(properties['AlarmActions'])).toHaveLength(1);
      expect(text(properties['AlarmDescription']).length).toBeGreaterThan(15);
    },
  );

  it.each(named('AWS::DynamoDB::Table'))(
    'table %s encrypts and deletes expired items',
    (_, { properties }) => {
      expect(valueAtPath(properties, 'SSESpecification', 'SSEType')).toBe('KMS');
      expect(properties['TimeToLiveSpecification']).toEqual({
        AttributeName: 'expires_at',
        Enabled: true,
      });
      expect(properties['BillingMode']).toBe('PAY_PER_REQUEST');
    },
  );

  it('contains no secrets: neither access keys nor values of secrets', () => {
    expect(ofType('AWS::IAM::AccessKey')).toEqual([]);
    for (const { properties } of ofType('AWS::SecretsManager::Secret')) {
      expect(properties).not.toHaveProperty('SecretString');
    }
    for (const template of synthesised.templates) {
      const whole = JSON.stringify(template.toJSON());
      expect(whole).not.toMatch(/\b(AKIA|ASIA)[A-Z0-9]{16}\b/);
      expect(whole).not.toContain('{{resolve:secretsmanager');
    }
  });

  it('starts with an empty signing secret', () => {
    const signing = ofType('AWS::SecretsManager::Secret').filter(
      ({ properties }) => properties['GenerateSecretString'] === undefined,
    );
    expect(signing.map(({ id }) => id)).toEqual([expect.stringContaining('SigningSecret')]);
  });

  function deniesPlainHttp(type: string, member: string, id: string): boolean {
    return ofType(type)
      .filter(({ properties }) => toList(properties[member]).map(text).includes(`<${id}>`))
      .flatMap(({ properties }) => toList(valueAtPath(properties, 'PolicyDocument', 'Statement')))
      .some(
        (statement) =>
          valueAtPath(statement, 'Effect') === 'Deny' &&
          valueAtPath(statement, 'Condition', 'Bool', 'aws:SecureTransport') === 'false',
      );
  }
});

describe('production data:', () => {
  const { ofType, templates } = synthesise('prod');

  it('the table has point-in-time recovery and deletion protection', () => {
    templates[0]?.allResourcesProperties('AWS::DynamoDB::Table', {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
    });
  });

  it.each([
    'AWS::DynamoDB::Table',
    'AWS::S3::Bucket',
    'AWS::SecretsManager::Secret',
    'AWS::IAM::User',
  ])('%s is kept when its stack is deleted, but not when its creation fails', (type) => {
    expect(ofType(type).length).toBeGreaterThan(0);
    for (const { whole } of ofType(type)) {
      expect(whole).toMatchObject({
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
      });
    }
  });

  it('the keys that encrypt it are retained', () => {
    const kept = ofType('AWS::KMS::Key').filter(({ id }) => id.startsWith('Storage'));
    expect(kept).toHaveLength(3);
    for (const { whole } of kept) expect(whole['DeletionPolicy']).toBe('RetainExceptOnCreate');
  });

  it('the log of callers is retained, but no other log', () => {
    const kept = ofType('AWS::Logs::LogGroup').filter(
      ({ whole }) => whole['DeletionPolicy'] === 'RetainExceptOnCreate',
    );
    expect(kept.map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual([
      'ApiV1AccessLogs',
      'ApiV2AccessLogs',
    ]);
  });
});

describe('a removed stage', () => {
  it('retains only the role and setting with which other APIs of the account write logs', () => {
    const { resources } = synthesise('dev');
    const left = resources
      .filter(({ whole }) => /^Retain/.test(String(whole['DeletionPolicy'])))
      // A version is deleted with its function.
      .filter(({ type }) => type !== 'AWS::Lambda::Version')
      .map(({ type, id }) => `${type} ${id.replace(/[0-9A-F]{8}$/, '')}`);
    expect(left.sort()).toEqual([
      'AWS::ApiGateway::Account ApiAccount',
      'AWS::IAM::Role ApiAccessLogRole',
    ]);
  });
});

describe('the results bucket', () => {
  it('allows range requests from browsers', () => {
    const [stateful] = synthesise('prod').templates;
    stateful?.hasResourceProperties('AWS::S3::Bucket', {
      CorsConfiguration: {
        CorsRules: [
          Match.objectLike({
            AllowedMethods: ['GET', 'HEAD'],
            ExposedHeaders: ['Content-Range', 'Accept-Ranges', 'Content-Length', 'ETag'],
          }),
        ],
      },
    });
  });

  it('keeps rasters two days longer than they are readable, so that the last URL is valid for 24 hours', () => {
    const rules = synthesise('prod')
      .ofType('AWS::S3::Bucket')
      .flatMap(({ properties }) =>
        toList(valueAtPath(properties, 'LifecycleConfiguration', 'Rules')),
      );
    const days = Object.fromEntries(
      rules.map((rule) => [
        String(valueAtPath(rule, 'Prefix')),
        valueAtPath(rule, 'ExpirationInDays'),
      ]),
    );
    expect(days).toMatchObject({
      'results/': 32,
      'totals/': 32,
      'requests/': 32,
      'work/': 14,
      'deliveries/': 2,
    });
  });
});

// Lambda keeps 100 executions unreserved (in a smaller account all), and rejects a reservation that leaves
// fewer: "decreases account's UnreservedConcurrentExecution below its minimum value".
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
describe('a new account, whose Lambda concurrency is 10,', () => {
  it('allows a deployment of dev: no concurrency is reserved or provisioned', () => {
    const { ofType } = synthesise('dev');
    for (const { id, properties } of ofType('AWS::Lambda::Function')) {
      expect(properties, id).not.toHaveProperty('ReservedConcurrentExecutions');
    }
    for (const { id, properties } of ofType('AWS::Lambda::Version')) {
      expect(properties, id).not.toHaveProperty('ProvisionedConcurrencyConfig');
    }
  });
});
