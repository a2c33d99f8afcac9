import { type Json, toList, valueAtPath } from '../../../local/json.ts';
import type { Resource, Synthesised } from '../../support/infra/synthesised.ts';
import { ACCOUNT, type Deployed } from './deployed.ts';
import { MANAGED_POLICIES } from './managed-policies.ts';

/** All policies of a deployment, by the ARN of the role, user or resource. */
export interface Policies {
  /** Empty for principals of other owners. */
  identity(principal: string): readonly Json[];
  /** The policy of the resource itself, or of an object's bucket. */
  resource(arn: string): Json | undefined;
  readonly principals: readonly string[];
}

export function policiesOf({ resources }: Pick<Synthesised, 'resources'>, on: Deployed): Policies {
  const identity = new Map<string, Json[]>();
  const resource = new Map<string, Json[]>();
  for (const each of resources) {
    for (const [principal, policy] of identityPolicies(each, on))
      addStatement(identity, principal, policy);
    for (const [arn, policy] of pairResourcePolicies(each, on)) addStatement(resource, arn, policy);
  }
  const ofResources = new Map([...resource].map(([arn, all]) => [arn, makePolicy(all)]));
  return {
    identity: (principal) => identity.get(principal) ?? [],
    resource: (arn) => ofResources.get(policyHolder(arn)),
    principals: [...identity.keys()].sort(),
  };
}

export function policiesOfOther(principal: string, ...identity: readonly Json[]): Policies {
  return {
    identity: () => identity,
    // Keys of other owners leave access control to IAM, like the keys that the CDK and the AWS console create.
    resource: (arn) => (arn.includes(':kms:') ? KEY_LEFT_TO_IAM : undefined),
    principals: [principal],
  };
}

const KEY_LEFT_TO_IAM: Json = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` },
      Action: 'kms:*',
      Resource: '*',
    },
  ],
};

/** Returns the bucket of an object; other resources, even versions of a function, have separate policies. */
function policyHolder(arn: string): string {
  return arn.startsWith('arn:aws:s3:::') ? arn.replace(/\/.*$/, '') : arn;
}

type Entry = readonly [arn: string, policy: Json];

function identityPolicies({ id, type, properties }: Resource, on: Deployed): readonly Entry[] {
  switch (type) {
    case 'AWS::IAM::Role':
    case 'AWS::IAM::User':
      return [
        ...toList(properties['Policies']).map((policy) =>
          on.policy(valueAtPath(policy, 'PolicyDocument') ?? {}),
        ),
        ...toList(properties['ManagedPolicyArns']).map((arn) => findManagedPolicy(on.text(arn))),
      ].map((policy): Entry => [on.arn(id), policy]);
    case 'AWS::IAM::Policy':
      return ['role', 'user'].flatMap((kind) =>
        toList(properties[kind === 'role' ? 'Roles' : 'Users']).map((name): Entry => {
          const arn = `arn:aws:iam::${ACCOUNT}:${kind}/${on.text(name)}`;
          return [arn, on.policy(properties['PolicyDocument'] ?? {})];
        }),
      );
    default:
      return [];
  }
}

function findManagedPolicy(arn: string): Json {
  const policy = MANAGED_POLICIES[arn.replace('arn:aws:iam::aws:policy/', '')];
  if (policy === undefined) throw new Error(`the document of ${arn} is not known`);
  return policy;
}

/** Pairs each statement with the resource whose policy it is in. */
function pairResourcePolicies({ id, type, properties }: Resource, on: Deployed): readonly Entry[] {
  const statements = (document: Json | undefined) =>
    toList(valueAtPath(document, 'Statement')).map((statement) => on.policy(statement));
  const of = (arns: readonly string[], document: Json | undefined) =>
    arns.flatMap((arn) => statements(document).map((statement): Entry => [arn, statement]));
  const document = properties['PolicyDocument'];
  switch (type) {
    case 'AWS::S3::BucketPolicy':
      return of([`arn:aws:s3:::${on.text(properties['Bucket'])}`], document);
    case 'AWS::SQS::QueuePolicy':
      return of(
        toList(properties['Queues']).map((url) => queueArn(on.text(url))),
        document,
      );
    case 'AWS::SNS::TopicPolicy':
      return of(toList(properties['Topics']).map(on.text), document);
    case 'AWS::KMS::Key':
      return of([on.arn(id)], properties['KeyPolicy']);
    case 'AWS::IAM::Role':
      return of([on.arn(id)], properties['AssumeRolePolicyDocument']);
    case 'AWS::ApiGateway::RestApi':
      return of([on.arn(id)], properties['Policy']);
    case 'AWS::SecretsManager::ResourcePolicy':
      return of([on.text(properties['SecretId'])], properties['ResourcePolicy']);
    case 'AWS::Lambda::Permission':
      return [[on.text(properties['FunctionName']), makePermission(properties, on)]];
    default:
      return [];
  }
}

function queueArn(url: string): string {
  return url.replace(
    /^https:\/\/sqs\.([^.]+)\.amazonaws\.com\/(\d+)\/(.+)$/,
    'arn:aws:sqs:$1:$2:$3',
  );
}

/** Makes a statement as `AddPermission` writes it into a function's policy. */
function makePermission(properties: Resource['properties'], on: Deployed): Json {
  const source = properties['SourceArn'];
  const account = properties['SourceAccount'];
  return {
    Effect: 'Allow',
    Principal: { Service: on.text(properties['Principal']) },
    Action: on.text(properties['Action']),
    Resource: on.text(properties['FunctionName']),
    Condition: {
      ...(source === undefined ? {} : { ArnLike: { 'AWS:SourceArn': on.text(source) } }),
      ...(account === undefined ? {} : { StringEquals: { 'AWS:SourceAccount': on.text(account) } }),
    },
  };
}

function addStatement(map: Map<string, Json[]>, key: string, policy: Json): void {
  map.set(key, [...(map.get(key) ?? []), policy]);
}

function makePolicy(statements: readonly Json[]): Json {
  return { Version: '2012-10-17', Statement: statements };
}
