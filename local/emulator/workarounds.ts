import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DeleteBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { CfnResource, type IAspect, Lazy, Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnBucketPolicy } from 'aws-cdk-lib/aws-s3';
import { CfnTopicPolicy } from 'aws-cdk-lib/aws-sns';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { clientConfiguration, type Emulator } from './emulator.ts';

// What MiniStack 1.5.33 lacks, and what stands in for it. Production code and templates know nothing of
// this; each entry says when it can go. Others stand in Python beside it,
// where they must: ministack_errors.py, few_at_a_time.py, throttles.py, whole_logs.py.

/**
 * Resource types whose presence makes MiniStack refuse the whole template. None is needed here: the
 * first signing key comes from a custom resource, rotation is tested by calling its function, nobody
 * is called at night or looks into Logs Insights, and aliases are shifted by hand.
 * Can go when CloudFormation on MiniStack accepts these types.
 */
const REFUSED_TYPES: ReadonlySet<string> = new Set([
  'AWS::SecretsManager::RotationSchedule',
  'AWS::SecretsManager::ResourcePolicy',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::Logs::QueryDefinition',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
]);

/** Resource policies in which `enforceSSL` writes its rule. */
type ResourcePolicy = CfnBucketPolicy | CfnQueuePolicy | CfnTopicPolicy;

/**
 * Fits the application's templates to the emulator. It takes out
 * - the types it refuses;
 * - the rule of resource policies that refuses plain http, for the emulator speaks nothing else on an
 *   address that every client trusts (can go if it ever serves TLS with a certificate that they trust);
 * - the expressions of alarms, which it refuses: those watch a metric that nobody emits (can go when
 *   alarms of CloudFormation may have `Metrics`).
 * Every other statement stays.
 */
export class FitToEmulator implements IAspect {
  visit(node: IConstruct): void {
    if (CfnResource.isCfnResource(node) && REFUSED_TYPES.has(node.cfnResourceType)) {
      node.node.scope?.node.tryRemoveChild(node.node.id);
    }
    if (node instanceof CfnAlarm && node.metrics !== undefined) withoutExpression(node);
    if (isResourcePolicy(node)) {
      const written = node.policyDocument;
      node.policyDocument = Lazy.any({
        produce: () => withoutTlsRule(Stack.of(node).resolve(written)),
      });
    }
  }
}

/** Dashboards name the alarm, so it stays. */
function withoutExpression(alarm: CfnAlarm): void {
  alarm.metrics = undefined;
  alarm.namespace = 'NotOnTheEmulator';
  alarm.metricName = alarm.node.path.replaceAll('/', '-');
  alarm.statistic = 'Sum';
  alarm.period = 300;
}

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

function withoutTlsRule(policy: PolicyText): PolicyText {
  const tlsOnly = JSON.stringify({ Bool: { 'aws:SecureTransport': 'false' } });
  return {
    ...policy,
    Statement: policy.Statement.filter(({ Condition }) => JSON.stringify(Condition) !== tlsOnly),
  };
}

/**
 * Fits a synthesised assembly to the emulator, where an Aspect comes too early:
 * - secrets are named by their ARN. `Ref` is the ARN on AWS, but the bare name on MiniStack, which no
 *   policy matches; the attribute `Id` is the ARN on both (can go when `Ref` is the ARN there).
 * - conditions on KMS's encryption context are taken out: the emulator's IAM knows none of these keys,
 *   so they never hold. Its KMS does check the context on decryption (can go when
 *   `kms:EncryptionContext:…` is among its condition keys).
 * - paths of method settings are written plainly: a JSON pointer's `~1` for `/`, as CloudFormation
 *   wants it, is never found (can go when a method's own throttle holds without this).
 */
export function fitAssembly(assemblyFolder: string): void {
  for (const file of readdirSync(assemblyFolder)) {
    if (!file.endsWith('.template.json')) continue;
    const templateFile = path.join(assemblyFolder, file);
    const template: Template = JSON.parse(readFileSync(templateFile, 'utf8'));
    const isSecret = (id: unknown) =>
      typeof id === 'string' && template.Resources[id]?.Type === 'AWS::SecretsManager::Secret';
    const text = JSON.stringify(template, (name, value: unknown) => {
      if (isReference(value) && isSecret(value.Ref)) return { 'Fn::GetAtt': [value.Ref, 'Id'] };
      if (name === 'ResourcePath' && typeof value === 'string') return plainPath(value);
      return name === 'Condition' ? withoutEncryptionContext(value) : value;
    });
    writeFileSync(templateFile, text);
  }
}

/** `/~1v1~1batch` → `/v1/batch` */
function plainPath(pointer: string): string {
  return pointer.replace(/^\/(?=~1)/, '').replaceAll('~1', '/');
}

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}

function isReference(value: unknown): value is { readonly Ref: unknown } {
  return typeof value === 'object' && value !== null && 'Ref' in value;
}

/** A statement's conditions, by operator and key; undefined when none is left. */
function withoutEncryptionContext(conditions: unknown): unknown {
  if (typeof conditions !== 'object' || conditions === null) return conditions;
  const kept = Object.entries(conditions)
    .map(([operator, keys]) => [operator, keysWithoutContext(keys)] as const)
    .filter(([, keys]) => Object.keys(keys).length > 0);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function keysWithoutContext(keys: object): object {
  const isKept = ([key]: [string, unknown]) => !key.startsWith('kms:EncryptionContext');
  return Object.fromEntries(Object.entries(keys).filter(isKept));
}

/**
 * Lets the CDK publish assets over plain http: the policy of the bootstrap bucket does nothing but
 * refuse it. Can go together with the rule above.
 */
export async function openBootstrapBucket(emulator: Emulator): Promise<void> {
  const s3 = new S3Client({ ...clientConfiguration(emulator), forcePathStyle: true });
  // The default qualifier of the CDK's bootstrap stack.
  const Bucket = `cdk-hnb659fds-assets-${emulator.accountId}-${emulator.region}`;
  try {
    await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
  } finally {
    s3.destroy();
  }
}
