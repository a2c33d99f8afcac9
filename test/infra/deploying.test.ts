import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listConfigurationKeys } from '../../lib/config/stage-config.ts';
import { listStackNames, STAGES } from '../../lib/stages.ts';
import project from '../../package.json' with { type: 'json' };
import { AWS_QUOTAS } from '../support/infra/aws-quotas.ts';
import { synthesise } from '../support/infra/synthesised.ts';
import { ACCOUNT, REGION } from './access/deployed.ts';
import { type Context, decideCall } from './access/may.ts';
import { policiesOfOther } from './access/policies.ts';
import { DOCUMENTED, readDocumentedPolicy } from './documented-policies.ts';

const page = (name: string) => readFileSync(`docs/${name}.md`, 'utf8');

describe('the pages about deploying', () => {
  it('explain exactly the keys of the configuration', () => {
    const explained = [...page('configuration').matchAll(/^- `([\w.]+)`: /gm)].map(
      ([, key]) => key,
    );
    expect(listConfigurationKeys().length).toBeGreaterThan(30);
    expect(explained).toEqual(listConfigurationKeys());
  });
});

describe('the workflow of each change', () => {
  const workflow = readFileSync('.github/workflows/check.yml', 'utf8');

  it('tests everything and audits the deployed packages with existing commands', () => {
    const run = [...workflow.matchAll(/- run: npm (?:run )?([\w:-]+)/g)].map(([, name]) => name);
    expect(run).toEqual(['lint', 'typecheck', 'suite', 'test', 'audit']);
    expect(run.filter((name) => !(String(name) in project.scripts))).toEqual([]);
  });

  it("tests on each even major version of Node.js from the oldest supported to the functions' version", () => {
    const oldest = /\d+/.exec(project.engines.node)?.[0];
    const [runtime] = synthesise('prod').functions.map((fn) => fn.runtime.name);
    const deployed = /\d+/.exec(runtime ?? '')?.[0];
    const tested = [...workflow.matchAll(/\{ node: (\d+),/g)].map(([, version]) => version);
    expect([tested[0], tested.at(-1)]).toEqual([oldest, deployed]);
    // Odd versions never get long-term support.
    expect(tested).toHaveLength((Number(deployed) - Number(oldest)) / 2 + 1);
    expect(readFileSync('.nvmrc', 'utf8').trim()).toBe(deployed);
  });

  it('stores the list of packages that the audit writes', () => {
    const [, written] = /const SBOM = '(.*)'/.exec(readFileSync('bin/audit.ts', 'utf8')) ?? [];
    expect(workflow).toContain(`path: ${written}\n`);
  });
});

it.each(DOCUMENTED)(
  'the policy “%s” fits into one IAM managed policy with room to grow',
  (name) => {
    expect(readDocumentedPolicy(name).text.replace(/\s/g, '').length).toBeLessThan(
      0.9 * AWS_QUOTAS.managedPolicyCharacters.limit,
    );
  },
);

/** Calls that need no permission, or whose permission is the HTTP method (API Gateway). */
const IMPLICIT = new Set(['sts:GetCallerIdentity', 'api-gateway:GetAccount']);

describe('the deployer’s policy', () => {
  it('does not allow assuming the lookup role of the CDK, which reads the account', () => {
    // The CDK's lookup role has AWS's policy ReadOnlyAccess.
    expect(readDocumentedPolicy('deployer').text).not.toContain('lookup-role');
  });

  it('does not allow reading or changing items or secrets, or invoking functions', () => {
    const actions = readDocumentedPolicy('deployer').statements.flatMap(({ Action }) => Action);
    expect(
      actions.filter((action) => /^(dynamodb|lambda:Invoke|secretsmanager)/.test(action)),
    ).toEqual([]);
  });

  it('allows every call of the preflight', () => {
    const files = readdirSync('bin/preflight', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(`bin/preflight/${name}`, 'utf8'));
    const calls = files.flatMap((text) =>
      [...text.matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-([\w-]+)'/g)].flatMap(
        ([, names = '', client = '']) =>
          [...names.matchAll(/\b(?:paginate(\w+)|(\w+)Command)\b/g)].map(
            ([, paginated, sent]) => `${client}:${paginated ?? sent}`,
          ),
      ),
    );
    expect(calls.length).toBeGreaterThan(5);
    const allowed = readDocumentedPolicy('deployer').statements.flatMap(({ Action }) => Action);
    expect(allowed).toEqual(expect.arrayContaining(calls.filter((call) => !IMPLICIT.has(call))));
  });
});

describe('the limits of the CDK’s deploy role', () => {
  const bootstrap = readFileSync(
    'node_modules/aws-cdk/lib/api/bootstrap/bootstrap-template.yaml',
    'utf8',
  );
  const granted = [...new Set(bootstrap.match(/\bcloudformation:\w+/g))].sort();
  const role = `arn:aws:iam::${ACCOUNT}:role/cdk-hnb659fds-deploy-role`;
  const policies = policiesOfOther(
    role,
    { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: granted, Resource: '*' }] },
    JSON.parse(readFileSync('docs/deploy-role-limits.json', 'utf8')),
  );
  const may = (action: string, on: string, context: Context = {}) =>
    decideCall({ by: role, action, on, context }, policies);
  const stack = (name: string) =>
    `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${name}/00000000-0000-0000-0000-000000000000`;
  // These actions move resources between stacks; IAM defines no resource types for them.
  const refactors = granted.filter((action) => action.endsWith('StackRefactor'));
  const changes = granted.filter((action) => !refactors.includes(action));

  it.each(changes)("allow %s only on the service's stacks", async (action) => {
    for (const name of Object.values(listStackNames('prod'))) {
      expect(await may(action, stack(name))).toBe('Allowed');
    }
    expect(await may(action, stack('Payroll'))).toBe('ExplicitlyDenied');
    expect(await may(action, stack('CDKToolkit'))).toBe('ExplicitlyDenied');
  });

  it('do not allow refactoring stacks or importing resources', async () => {
    expect([changes.length, refactors.length]).toEqual([9, 2]);
    for (const action of refactors) expect(await may(action, '*')).toBe('ExplicitlyDenied');
    const importing = { 'cloudformation:ImportResourceTypes': ['AWS::SecretsManager::Secret'] };
    expect(
      await may(
        'cloudformation:CreateChangeSet',
        stack(listStackNames('prod').stateful),
        importing,
      ),
    ).toBe('ExplicitlyDenied');
  });
});

describe('the operator’s policy', () => {
  const { document } = readDocumentedPolicy('operator');
  const operator = `arn:aws:iam::${ACCOUNT}:role/Operator`;
  const operatorMay = (action: string, on: string, context: Context) =>
    decideCall({ by: operator, action, on, context }, policiesOfOther(operator, document));

  it('allows assuming none of the roles with which the CDK deploys', () => {
    expect(readDocumentedPolicy('operator').text).not.toContain('sts:AssumeRole');
  });

  it("allows using only the service's keys, and only through DynamoDB", async () => {
    for (const action of ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey']) {
      const use = (service: string, through: string) =>
        operatorMay(action, `arn:aws:kms:${REGION}:${ACCOUNT}:key/1`, {
          'aws:ResourceTag/service': service,
          'kms:ViaService': `${through}.${REGION}.amazonaws.com`,
        });
      expect(await use('soil-batch', 'dynamodb')).toBe('Allowed');
      expect(await use('payroll', 'dynamodb')).toBe('ImplicitlyDenied');
      expect(await use('soil-batch', 's3')).toBe('ImplicitlyDenied');
    }
    for (const { properties } of synthesise('prod').ofType('AWS::KMS::Key')) {
      expect(properties['Tags']).toContainEqual({ Key: 'service', Value: 'soil-batch' });
    }
  });
});

describe.each([
  ['deployer', ['LookAtTheAccount']],
  ['operator', []],
] as const)('the %s’s policy', (name, unbounded) => {
  const { statements } = readDocumentedPolicy(name);

  it('names actions by their whole names or by the start of a name', () => {
    for (const action of statements.flatMap(({ Action }) => Action)) {
      expect(action).toMatch(/^[a-z\d]+:[A-Z][A-Za-z]+\*?$/);
    }
  });

  it('has the resource * only in the known statements', () => {
    const unbound = statements.filter(({ Resource }) => Resource.includes('*'));
    expect(unbound.map(({ Sid }) => Sid)).toEqual(unbounded);
  });
});

it('the names of every stage’s stacks match the policies', () => {
  const stacks = STAGES.flatMap((stage) => Object.values(listStackNames(stage)));
  for (const name of stacks) expect(name).toMatch(/^SoilBatch-/);
});
