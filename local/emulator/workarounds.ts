import { CfnResource, Lazy, Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnBucketPolicy } from 'aws-cdk-lib/aws-s3';
import { CfnTopicPolicy } from 'aws-cdk-lib/aws-sns';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';

// Workarounds for MiniStack 1.5.33. Production code and templates do not depend on them. Local runs cannot show the
// behaviour that a workaround hides, so each names a test that does; test/infra/workarounds.test.ts requires this.

export interface Workaround {
  /** Behaviour of AWS that the emulator lacks. */
  readonly hides: string;
  /** A test of this behaviour, or of the template that relies on it. */
  readonly test: { readonly file: string; readonly title: string };
  readonly until: string;
}

const ACCESS = 'test/infra/access.test.ts';
const ALARMS = 'test/infra/alarms.test.ts';

const WHEN_ACCEPTED = 'CloudFormation on MiniStack accepts the type';
/** Resource types that make MiniStack reject the whole template; they are removed. */
export const REJECTED_TYPES: Readonly<Record<string, Workaround>> = {
  'AWS::SecretsManager::RotationSchedule': {
    hides: 'Secrets Manager invokes the rotation function on schedule',
    test: {
      file: 'test/infra/schedules.test.ts',
      title: 'is rotated every 30 days, but not at deployment',
    },
    until: WHEN_ACCEPTED,
  },
  'AWS::Logs::QueryDefinition': {
    hides: 'Logs Insights runs the saved queries',
    test: {
      file: 'test/infra/saved-queries.test.ts',
      title: 'reads the logs of every function, or both access logs',
    },
    until: WHEN_ACCEPTED,
  },
};

export interface ConstructWorkaround extends Workaround {
  adapt(node: IConstruct): void;
}

export const CONSTRUCT_WORKAROUNDS: readonly ConstructWorkaround[] = [
  ...Object.entries(REJECTED_TYPES).map(([type, workaround]) => ({
    ...workaround,
    adapt(node: IConstruct) {
      if (!CfnResource.isCfnResource(node) || node.cfnResourceType !== type) return;
      node.node.scope?.node.tryRemoveChild(node.node.id);
    },
  })),
  {
    hides: 'buckets (including the CDK bucket), queues and topics deny plain HTTP',
    test: {
      file: ACCESS,
      title: 'granted requests if they use plain HTTP or, to S3, an old TLS version',
    },
    until: 'the emulator has TLS with a certificate that clients trust',
    adapt(node) {
      if (!isResourcePolicy(node)) return;
      const original = node.policyDocument;
      node.policyDocument = Lazy.any({
        produce: () => removeTlsStatement(Stack.of(node).resolve(original)),
      });
    },
  },
  {
    hides: 'an alarm watches an expression over several metrics',
    test: { file: ALARMS, title: '%s has an expression that CloudWatch can evaluate' },
    until: 'alarms of CloudFormation on MiniStack may have `Metrics`',
    adapt(node) {
      if (node instanceof CfnAlarm && node.metrics !== undefined) removeExpression(node);
    },
  },
];

export interface TemplateWorkaround extends Workaround {
  /**
   * @param name the property that has the value
   * @param isSecret whether a logical ID belongs to a secret
   */
  adapt(name: string, value: unknown, isSecret: (id: unknown) => boolean): unknown;
}

/** These workarounds change the synthesised template, because an Aspect would run too early. */
export const TEMPLATE_WORKAROUNDS: readonly TemplateWorkaround[] = [
  {
    hides: '`Ref` of a secret is its ARN, which policies match; the emulator returns the name',
    test: {
      file: ACCESS,
      title: 'every call except AssumeRole that lib/ grants to a role or the signing user',
    },
    until: '`Ref` of a secret is the ARN on MiniStack',
    // The attribute `Id` is the ARN on both AWS and the emulator.
    adapt: (_name, value, isSecret) =>
      isReference(value) && isSecret(value.Ref) ? { 'Fn::GetAtt': [value.Ref, 'Id'] } : value,
  },
  {
    hides:
      'IAM evaluates conditions on the KMS encryption context; on the emulator only KMS checks it',
    test: {
      file: ACCESS,
      title: 'use of the webhook key unless the encryption context is exactly tenant and batch',
    },
    until: "MiniStack's IAM supports `kms:EncryptionContext:…`",
    adapt: (name, value) =>
      name === 'Condition' ? removePrefixed('kms:EncryptionContext', value) : value,
  },
  {
    hides:
      'IAM evaluates the source and the type of an event, so that functions can publish only events of the service',
    test: {
      file: 'test/infra/events.test.ts',
      title:
        'may be published only by the step that finishes a batch and by the reconciler, and have a single type',
    },
    until: "MiniStack's IAM supports `events:source` and `events:detail-type`",
    adapt: (name, value) => (name === 'Condition' ? removePrefixed('events:', value) : value),
  },
  {
    hides: 'API Gateway decodes `~1` in the path of a method’s throttle',
    test: { file: 'test/infra/apis.test.ts', title: 'is traced and throttled' },
    until: 'a method’s throttle works on MiniStack without this workaround',
    adapt: (name, value) =>
      name === 'ResourcePath' && typeof value === 'string' ? parsePlainPath(value) : value,
  },
];

/** Python modules that patch MiniStack, by the name under which run_ministack.py imports them. */
export const PATCHES: Readonly<Record<string, Workaround>> = {
  complete_logs: {
    hides: 'Lambda logs each line that an invocation writes',
    test: {
      file: 'test/infra/every-resource.test.ts',
      title: 'every function writes to its own log group',
    },
    until: "MiniStack waits for the end of an invocation's output",
  },
  compression: {
    hides: 'API Gateway compresses responses; on the emulator this patch does',
    test: {
      file: 'test/infra/apis.test.ts',
      title: 'passes on exact bytes and compresses responses over 1 kB',
    },
    until: 'MiniStack applies `minimumCompressionSize`',
  },
  limit_concurrency: {
    hides: 'Lambda limits an account’s concurrency, and rejects invocations beyond the limit',
    test: {
      file: 'test/infra/every-resource.test.ts',
      title: 'allows a deployment of dev: no concurrency is reserved or provisioned',
    },
    until: 'MiniStack can queue invocations instead of rejecting them',
  },
  ministack_errors: {
    hides: 'Lambda reports a thrown error’s name, which retriers match',
    test: {
      file: 'test/infra/state-machine.test.ts',
      title: 'is retried only on the listed errors, and not by a retrier that the CDK adds',
    },
    until: "MiniStack reports a thrown error's name",
  },
  own_https: {
    hides: 'a function’s HTTPS requests stay HTTPS, whatever their host',
    test: {
      file: 'test/e2e/model-packs.test.ts',
      title:
        'has the cells that GDAL reads from its layers in each period and place, and each result names its period',
    },
    until: 'MiniStack turns only requests to its own port into plain HTTP',
  },
  throttles: {
    hides: 'Step Functions sees a throttled invocation as Lambda.TooManyRequestsException',
    test: {
      file: 'test/infra/state-machine.test.ts',
      title: '%s retries throttles with a separate, first retrier',
    },
    until: 'MiniStack applies reserved concurrency to versions, and reports a throttle by its name',
  },
};

/** The alarm itself stays, because dashboards refer to it. */
function removeExpression(alarm: CfnAlarm): void {
  alarm.metrics = undefined;
  alarm.namespace = 'NotOnTheEmulator';
  alarm.metricName = alarm.node.path.replaceAll('/', '-');
  alarm.statistic = 'Sum';
  alarm.period = 300;
}

/** Resource policies to which `enforceSSL` adds a statement. */
type ResourcePolicy = CfnBucketPolicy | CfnQueuePolicy | CfnTopicPolicy;

function isResourcePolicy(node: IConstruct): node is ResourcePolicy {
  return (
    node instanceof CfnBucketPolicy ||
    node instanceof CfnQueuePolicy ||
    node instanceof CfnTopicPolicy
  );
}

interface PolicyText {
  readonly Statement: readonly { readonly Condition?: unknown }[];
}

function removeTlsStatement(policy: PolicyText): PolicyText {
  const tlsOnly = JSON.stringify({ Bool: { 'aws:SecureTransport': 'false' } });
  return {
    ...policy,
    Statement: policy.Statement.filter(({ Condition }) => JSON.stringify(Condition) !== tlsOnly),
  };
}

/** Converts the pointer `/~1v1~1batch` to the path `/v1/batch`. */
function parsePlainPath(pointer: string): string {
  return pointer.replace(/^\/(?=~1)/, '').replaceAll('~1', '/');
}

function isReference(value: unknown): value is { readonly Ref: unknown } {
  return typeof value === 'object' && value !== null && 'Ref' in value;
}

/** Returns a statement's conditions except those on keys with the prefix; undefined if none remain. */
function removePrefixed(prefix: string, conditions: unknown): unknown {
  if (typeof conditions !== 'object' || conditions === null) return conditions;
  const kept = Object.entries(conditions)
    .map(([operator, keys]) => [operator, omitPrefixed(prefix, keys)] as const)
    .filter(([, keys]) => Object.keys(keys).length > 0);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function omitPrefixed(prefix: string, keys: object): object {
  return Object.fromEntries(Object.entries(keys).filter(([key]) => !key.startsWith(prefix)));
}
