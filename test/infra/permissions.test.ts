import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { valueAtPath } from '../../local/json.ts';
import { synthesiseEverything } from '../support/infra/everything.ts';
import { PROD } from '../support/infra/prod.ts';
import { synthesise, synthesiseWith } from '../support/infra/synthesised.ts';
import { type Allowance, allowancesOf } from './statements.ts';

const prod = synthesise('prod');
const stages = [prod, synthesiseEverything()];
const allowances = stages.flatMap(allowancesOf);
const keys = stages.flatMap((stage) => stage.ofType('AWS::KMS::Key').map(({ id }) => id));

const WILDCARDS: readonly {
  readonly why: string;
  readonly fits: (a: Allowance, r: string) => boolean;
}[] = [
  {
    why: 'X-Ray has no resource types (Service Authorization Reference)',
    fits: ({ actions }, resource) =>
      resource === '*' &&
      actions.every((action) => /^(xray|logs):/.test(action)) &&
      actions.some((action) => action.startsWith('xray:')),
  },
  {
    why: 'objects are named by batch, job and patch-batch, under separate prefixes',
    fits: ({ actions }, resource) =>
      actions.every((action) => action.startsWith('s3:')) &&
      /Bucket\w+\.Arn>\/(requests|work|deliveries|results|totals)\/\*$/.test(resource),
  },
  {
    why: 'executions are named by their batches',
    fits: ({ actions }, resource) =>
      actions.every((action) => /^states:(Describe|Stop|Redrive)Execution$/.test(action)) &&
      /:execution:.+(:|\/\*:)\*$/.test(resource),
  },
  {
    why: 'running batches call the function versions they began with',
    fits: ({ actions, holder }, resource) =>
      actions.join() === 'lambda:InvokeFunction' &&
      /PipelineBatchesRole/.test(holder) &&
      /^<Pipeline\w+\.Arn>:\*$/.test(resource),
  },
  {
    why: "the CDK's provider may call only its function, in any version",
    fits: ({ actions, holder }, resource) =>
      actions.join() === 'lambda:InvokeFunction' &&
      /FirstKeyProviderRole/.test(holder) &&
      /^<SigningKeyFirstKey\w+\.Arn>:\*$/.test(resource),
  },
  {
    why: 'clients have the roles that they name; those of this account are denied',
    fits: ({ actions, holder }, resource) =>
      actions.join() === 'sts:AssumeRole' &&
      /CopyResultsRole/.test(holder) &&
      /:iam::\*:role\/\*$/.test(resource),
  },
  {
    why: 'in the policy of a key, "*" is the key itself',
    fits: ({ holder }, resource) => resource === '*' && keys.includes(holder),
  },
];

const wild = allowances.flatMap((allowance) =>
  allowance.resources
    .filter((resource) => resource.includes('*'))
    .map((resource) => ({ allowance, resource })),
);

function listAssumable(destinationAccounts: readonly string[]): readonly string[] {
  const { destinationAccounts: accounts } = parseConfig({ ...PROD, destinationAccounts });
  return allowancesOf(synthesiseWith({ ...PROD, destinationAccounts: accounts }))
    .filter(({ actions }) => actions.includes('sts:AssumeRole'))
    .flatMap(({ resources }) => resources);
}

describe('permissions', () => {
  it('to assume clients’ roles only cover the accounts that the stage allows', () => {
    const assumable = listAssumable(['111122223333', '444455556666']);
    expect(assumable.map((role) => role.replace(/^arn:[^:]+/, ''))).toEqual([
      ':iam::111122223333:role/*',
      ':iam::444455556666:role/*',
    ]);
    expect(listAssumable([])).toEqual([]);
  });

  it("name their actions, except for the account's ownership of its keys", () => {
    const wildActions = allowances.filter(({ actions }) =>
      actions.some((action) => action.includes('*')),
    );
    for (const { holder, actions, condition } of wildActions) {
      expect(keys).toContain(holder);
      // The CDK lets the account use a secret's key only through Secrets Manager.
      if (actions.join() !== 'kms:*') {
        expect(prod.text(valueAtPath(condition, 'StringEquals', 'kms:ViaService'))).toMatch(
          /^secretsmanager\./,
        );
      }
    }
  });

  it('name their resources, unless there is a stated reason', () => {
    const unexplained = wild.filter(
      ({ allowance, resource }) => !WILDCARDS.some(({ fits }) => fits(allowance, resource)),
    );
    expect(unexplained).toEqual([]);
  });

  it.each(WILDCARDS)('still need the exception "$why"', ({ fits }) => {
    expect(wild.some(({ allowance, resource }) => fits(allowance, resource))).toBe(true);
  });

  it('come from no managed policy except the policy for access logs', () => {
    const managed = stages
      .flatMap((stage) => stage.ofType('AWS::IAM::Role'))
      .filter(({ properties }) => properties['ManagedPolicyArns'] !== undefined)
      .map(({ id }) => id);
    expect(managed.filter((id) => !/AccessLogRole/.test(id))).toEqual([]);
  });
});
