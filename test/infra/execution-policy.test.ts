import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AWS_QUOTAS } from '../support/infra/aws-quotas.ts';
import { synthesiseEverything } from '../support/infra/everything.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const text = readFileSync('docs/execution-policy.json', 'utf8');
const list = z.union([z.string(), z.array(z.string())]).transform((one) => [one].flat());
const policy = z
  .object({ Statement: z.array(z.object({ Sid: z.string(), Action: list, Resource: list })) })
  .parse(JSON.parse(text));

/** Actions that handlers of AWS's resource types may call, but not for this project's templates. */
const UNUSED: readonly (readonly [actions: RegExp, because: string])[] = [
  [
    /^(amplify|apprunner|appsync|bedrock-agentcore|cognito-idp|ec2|elasticfilesystem|elasticloadbalancing|firehose|kinesis|payments|s3files|s3tables):/,
    'services that no resource is connected to',
  ],
  [
    /^cloudfront:(.*ConnectionGroup|GetVpcOrigin|UpdateDistributionWithStagingConfig)$/,
    'a distribution without tenants, VPC origins and staging',
  ],
  [
    /^cloudfront:CreateDistributionWithTags$/,
    'no action of CloudFront: CreateDistribution and TagResource authorize the call',
  ],
  [
    /^dynamodb:(.*(Replica|Item|KinesisStreamingDestination)|(Put|Delete)ResourcePolicy|ImportTable|Query|Scan|UpdateContributorInsights)$/,
    'replicas, imports, streams and policies of a table; a deployment touches no item',
  ],
  [
    /^iam:.*(LoginProfile|Group|GroupPolicy|AttachUserPolicy|DetachUserPolicy)$/,
    'no person signs in, nothing has a group',
  ],
  [
    /^logs:(Associate|Disassociate)KmsKey$|^logs:.*(DataProtectionPolicy|IndexPolicy|ResourcePolicy|BearerTokenAuthentication|DeletionProtection|LogStream|LogEvents)$/,
    'log groups without indexes, masks or keys of their own',
  ],
  [
    /^s3:.*(Metadata|Analytics|Metrics|Replication|Website|Accelerate|IntelligentTiering|Inventory|ObjectLock|Object$|ObjectAcl|REST)/,
    'features that no bucket uses; a deployment touches no object',
  ],
  [
    /^s3:DeleteBucket(Cors|Encryption|Lifecycle)$/,
    'no actions of S3: the Put action of each setting also authorizes its removal',
  ],
  [/^secretsmanager:.*Replica/, 'secrets of one region'],
];

const resourceType = z.object({
  typeName: z.string(),
  handlers: z.record(z.string(), z.object({ permissions: z.array(z.string()) })).optional(),
});

/** Actions by resource type: AWS's own schemas, as cfn-lint carries them. */
function handlersOf(): ReadonlyMap<string, ReadonlySet<string>> {
  const [venv] = readdirSync('.local/venv/lib').map((python) =>
    join('.local/venv/lib', python, 'site-packages/cfnlint/data/schemas/resources'),
  );
  if (venv === undefined || !existsSync(venv)) throw new Error('run `npm run setup`');
  const called = new Map<string, Set<string>>();
  for (const file of readdirSync(venv).filter((name) => name.endsWith('.json'))) {
    const known = resourceType.safeParse(JSON.parse(readFileSync(join(venv, file), 'utf8'))).data;
    const actions = called.get(known?.typeName ?? '') ?? new Set<string>();
    for (const [handler, { permissions }] of Object.entries(known?.handlers ?? {})) {
      if (handler !== 'list') for (const action of permissions) actions.add(action);
    }
    if (known !== undefined) called.set(known.typeName, actions);
  }
  return called;
}

const types = [
  ...new Set(
    [...synthesise('prod').resources, ...synthesiseEverything().resources].map(({ type }) => type),
  ),
]
  // The custom resource is a function of the project.
  .filter((type) => type.startsWith('AWS::'))
  .sort();

const allowed = policy.Statement.flatMap(({ Action }) => Action).map(
  (action) => new RegExp(`^${action.replaceAll('*', '.*')}$`, 'i'),
);

describe('the execution policy', () => {
  const handlers = handlersOf();

  it.each(types)('lets CloudFormation make, read, change and delete a %s', (type) => {
    const called = [...(handlers.get(type) ?? [])];
    expect(called.length, 'actions that AWS names').toBeGreaterThan(0);
    const refused = called.filter((action) => !allowed.some((pattern) => pattern.test(action)));
    expect(refused.filter((action) => !UNUSED.some(([unused]) => unused.test(action)))).toEqual([]);
  });

  it.each(UNUSED)('omits %s, which some type names', (actions) => {
    const called = types.flatMap((type) => [...(handlers.get(type) ?? [])]);
    expect(called.some((action) => actions.test(action))).toBe(true);
  });

  it('allows nothing of services that no template uses', () => {
    const services = new Set(
      types.flatMap((type) =>
        [...(handlers.get(type) ?? [])].map((action) => action.split(':')[0]),
      ),
    );
    // The bootstrap's version, and a certificate that is only read.
    for (const also of ['ssm', 'acm']) services.add(also);
    const used = policy.Statement.flatMap(({ Action }) => Action.map((one) => one.split(':')[0]));
    for (const service of used) expect(services).toContain(service);
  });

  it('fits into one managed policy of IAM: 6,144 characters without white space', () => {
    expect(text.replace(/\s/g, '').length).toBeLessThan(AWS_QUOTAS.managedPolicyCharacters.limit);
  });
});
