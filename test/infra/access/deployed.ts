import { createHash } from 'node:crypto';
import type { Json } from '../../../local/json.ts';
import {
  evaluateDocument,
  evaluateIntrinsic,
  type Reference,
} from '../../support/infra/intrinsics.ts';
import type { Resource, Synthesised } from '../../support/infra/synthesised.ts';

export const ACCOUNT = '111122223333';
export const OTHER_ACCOUNT = '999999999999';
export const REGION = 'eu-central-1';

const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::URLSuffix': 'amazonaws.com',
};

export interface Deployed {
  arn(id: string): string;
  /** A resolved text, such as an ARN that the template joins. */
  text(value: Json | undefined): string;
  policy(value: Json): Json;
}

export function resolveDeployment({ resources, exported }: Synthesised): Deployed {
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  if (byId.size !== resources.length) throw new Error('two stacks share a logical id');
  const find = (id: string): Resource => {
    const resource = byId.get(id);
    if (resource === undefined) throw new Error(`no resource ${id}`);
    return resource;
  };
  const named: Reference = (id, attribute) => {
    const pseudo = PSEUDO_PARAMETERS[id];
    if (pseudo !== undefined) return pseudo;
    const resource = find(id);
    return attribute === undefined ? refOf(resource, text) : attributeOf(resource, attribute, text);
  };
  const text = (value: Json | undefined) => evaluateIntrinsic(value, exported, named);
  return {
    arn: (id) => arnOf(find(id), text),
    text,
    policy: (value) => evaluateDocument(value, text),
  };
}

type Text = (value: Json | undefined) => string;

/** Types whose `Ref` is the ARN; the `Ref` of other types is the name. */
const NAMED_BY_ARN: ReadonlySet<string> = new Set([
  'AWS::Lambda::Version',
  'AWS::SecretsManager::Secret',
  'AWS::SNS::Topic',
  'AWS::StepFunctions::StateMachine',
]);

function refOf(resource: Resource, text: Text): string {
  if (resource.type === 'AWS::SQS::Queue') {
    return `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${resource.id}`;
  }
  return NAMED_BY_ARN.has(resource.type) ? arnOf(resource, text) : nameOf(resource, text);
}

function attributeOf(resource: Resource, attribute: string, text: Text): string {
  switch (attribute) {
    case 'Arn':
      // The attribute of a log group ends with ":*", which stands for its streams.
      return resource.type === 'AWS::Logs::LogGroup'
        ? `${arnOf(resource, text)}:*`
        : arnOf(resource, text);
    case 'Name':
    case 'QueueName':
      return nameOf(resource, text);
    default:
      // A value that no policy contains, such as the ID of an API's root.
      return `${resource.id}-${attribute}`;
  }
}

/** Properties that name a resource; without them, AWS invents a name. */
const NAMES = ['StateMachineName', 'LogGroupName', 'DashboardName', 'FunctionName', 'Name'];

function nameOf({ id, type, properties }: Resource, text: Text): string {
  const hash = createHash('sha256').update(id).digest('hex');
  switch (type) {
    case 'AWS::KMS::Key':
      return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
    case 'AWS::S3::Bucket':
      return id.toLowerCase();
    case 'AWS::ApiGateway::RestApi':
      return hash.slice(0, 10);
    case 'AWS::Lambda::Version':
      return `${nameOfFunction(text(properties['FunctionName']))}:${text(properties['Name']) || 7}`;
    default: {
      const given = NAMES.map((name) => text(properties[name])).find((name) => name !== '');
      return given ?? id;
    }
  }
}

function nameOfFunction(nameOrArn: string): string {
  return nameOrArn.replace(/^arn:.*:function:/, '');
}

/** ARNs have the formats in https://docs.aws.amazon.com/service-authorization/latest/reference/. */
function arnOf(resource: Resource, text: Text): string {
  const name = nameOf(resource, text);
  const regional = (service: string, rest: string) =>
    `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
  switch (resource.type) {
    case 'AWS::S3::Bucket':
      return `arn:aws:s3:::${name}`;
    case 'AWS::IAM::Role':
      return `arn:aws:iam::${ACCOUNT}:role/${name}`;
    case 'AWS::IAM::User':
      return `arn:aws:iam::${ACCOUNT}:user/${name}`;
    case 'AWS::KMS::Key':
      return regional('kms', `key/${name}`);
    case 'AWS::DynamoDB::Table':
      return regional('dynamodb', `table/${name}`);
    case 'AWS::SecretsManager::Secret':
      return regional('secretsmanager', `secret:${name}-AbCdEf`);
    case 'AWS::SQS::Queue':
      return regional('sqs', name);
    case 'AWS::SNS::Topic':
      return regional('sns', name);
    case 'AWS::Lambda::Function':
    case 'AWS::Lambda::Version':
      return regional('lambda', `function:${name}`);
    case 'AWS::Logs::LogGroup':
      return regional('logs', `log-group:${name}`);
    case 'AWS::StepFunctions::StateMachine':
      return regional('states', `stateMachine:${name}`);
    case 'AWS::Events::Rule':
      return regional('events', `rule/${name}`);
    case 'AWS::CloudWatch::Alarm':
      return regional('cloudwatch', `alarm:${name}`);
    case 'AWS::ApiGateway::RestApi':
      return regional('execute-api', name);
    default:
      throw new Error(`${resource.id}: no ARN is known for a ${resource.type}`);
  }
}
