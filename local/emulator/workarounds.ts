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

// Workarounds for MiniStack 1.5.33. Production code and templates do not depend on them; each says when
// it can be removed. Those that patch MiniStack itself are in Python: complete_logs.py,
// limit_concurrency.py, ministack_errors.py, throttles.py.

/**
 * Resource types because of which MiniStack rejects the whole template. The local service needs none:
 * a custom resource creates the first signing key, tests invoke the rotation function and shift aliases
 * themselves, and nobody is on call or uses Logs Insights.
 * Remove this when CloudFormation on MiniStack accepts these types.
 */
const REJECTED_TYPES: ReadonlySet<string> = new Set([
  'AWS::SecretsManager::RotationSchedule',
  'AWS::SecretsManager::ResourcePolicy',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::Logs::QueryDefinition',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
]);

/** Resource policies to which `enforceSSL` adds a statement. */
type ResourcePolicy = CfnBucketPolicy | CfnQueuePolicy | CfnTopicPolicy;

/**
 * Adapts the application's templates to the emulator. It removes
 * - the rejected types;
 * - the statement of resource policies that denies plain HTTP, because the emulator has no TLS with a
 *   certificate that clients trust (remove this when it has);
 * - the expressions of alarms, which it rejects; such alarms watch a metric without data instead
 *   (remove this when alarms may have `Metrics`).
 */
export class AdaptToEmulator implements IAspect {
  visit(node: IConstruct): void {
    if (CfnResource.isCfnResource(node) && REJECTED_TYPES.has(node.cfnResourceType)) {
      node.node.scope?.node.tryRemoveChild(node.node.id);
    }
    if (node instanceof CfnAlarm && node.metrics !== undefined) withoutExpression(node);
    if (isResourcePolicy(node)) {
      const original = node.policyDocument;
      node.policyDocument = Lazy.any({
        produce: () => withoutTlsStatement(Stack.of(node).resolve(original)),
      });
    }
  }
}

/** The alarm stays, because dashboards refer to it. */
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

function withoutTlsStatement(policy: PolicyText): PolicyText {
  const tlsOnly = JSON.stringify({ Bool: { 'aws:SecureTransport': 'false' } });
  return {
    ...policy,
    Statement: policy.Statement.filter(({ Condition }) => JSON.stringify(Condition) !== tlsOnly),
  };
}

/**
 * Adapts a synthesised assembly to the emulator, for changes that an Aspect would make too early:
 * - `Ref` of a secret becomes the attribute `Id`. `Ref` is the ARN on AWS, but the name on MiniStack,
 *   which no policy matches; `Id` is the ARN on both (remove this when `Ref` is the ARN there).
 * - Conditions on the KMS encryption context are removed, because they never hold in the emulator's IAM.
 *   Its KMS does check the context on decryption (remove this when its IAM supports
 *   `kms:EncryptionContext:…`).
 * - Paths of method settings get a plain `/`. The emulator does not decode the `~1` that CloudFormation
 *   requires (remove this when a method's throttle works without it).
 */
export function adaptAssembly(assemblyFolder: string): void {
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

/** A statement's conditions by operator and key; undefined if none remains. */
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
 * Deletes the policy of the bootstrap bucket, which only denies plain HTTP, so that the CDK can publish
 * assets. Remove this together with the TLS statement's removal above.
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
