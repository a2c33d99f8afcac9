import { describe, expect, it } from 'vitest';
import { allowances, holdersOf, nameOf, synthesised } from './allowances.ts';
import { at } from './json.ts';
import type { Allowance } from './statements.ts';

/** Resources that can't be named more narrowly, each with its reason. */
const WILDCARDS: readonly {
  readonly why: string;
  readonly fits: (a: Allowance, r: string) => boolean;
}[] = [
  {
    why: 'X-Ray knows no resources (Service Authorization Reference)',
    fits: ({ actions }, resource) =>
      resource === '*' &&
      actions.every((action) => /^(xray|logs):/.test(action)) &&
      actions.some((action) => action.startsWith('xray:')),
  },
  {
    why: 'objects are named by batch, job and patch-batch, under a prefix of their own',
    fits: ({ actions }, resource) =>
      actions.every((action) => action.startsWith('s3:')) &&
      /Bucket\w+\.Arn>\/(requests|work|deliveries|results)\/\*$/.test(resource),
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
    why: "CDK's provider may call the one function it was made for, in any version",
    fits: ({ actions, holder }, resource) =>
      actions.join() === 'lambda:InvokeFunction' &&
      /frameworkonEvent/.test(holder) &&
      /^<SigningKeyFirstKey\w+\.Arn>:\*$/.test(resource),
  },
  {
    why: 'in the policy of a key, "*" is the key itself',
    fits: ({ holder }, resource) =>
      resource === '*' && synthesised.ofType('AWS::KMS::Key').some(({ id }) => id === holder),
  },
];

const wild = allowances.flatMap((allowance) =>
  allowance.resources
    .filter((resource) => resource.includes('*'))
    .map((resource) => ({ allowance, resource })),
);

describe('permissions', () => {
  it('name their actions, except those by which an account owns its keys', () => {
    const keys = synthesised.ofType('AWS::KMS::Key').map(({ id }) => id);
    const wildActions = allowances.filter(({ actions }) =>
      actions.some((action) => action.includes('*')),
    );
    for (const { holder, actions, condition } of wildActions) {
      expect(keys).toContain(holder);
      // The CDK lets Secrets Manager use a secret's key for the account, only through that service.
      if (actions.join() !== 'kms:*') {
        expect(synthesised.text(at(condition, 'StringEquals', 'kms:ViaService'))).toMatch(
          /^secretsmanager\./,
        );
      }
    }
  });

  it('name their resources, or there is a reason', () => {
    const unexplained = wild.filter(
      ({ allowance, resource }) => !WILDCARDS.some(({ fits }) => fits(allowance, resource)),
    );
    expect(unexplained).toEqual([]);
  });

  it.each(WILDCARDS)('need the reason "$why"', ({ fits }) => {
    expect(wild.some(({ allowance, resource }) => fits(allowance, resource))).toBe(true);
  });

  it('come from no managed policy except those of the access logs and of rollouts', () => {
    const managed = synthesised
      .ofType('AWS::IAM::Role')
      .filter(({ properties }) => properties['ManagedPolicyArns'] !== undefined)
      .map(({ id }) => id);
    expect(
      managed.filter((id) => !/AccessLogRole|frameworkonEvent|ApiRolloutRole/.test(id)),
    ).toEqual([]);
  });
});

/** Key actions that a service makes on behalf of the caller, by the caller's action. */
const IMPLIED = [
  { action: 's3:GetObject', service: 's3', needs: ['kms:Decrypt'] },
  { action: 's3:PutObject', service: 's3', needs: ['kms:GenerateDataKey'] },
  { action: 'dynamodb:GetItem', service: 'dynamodb', needs: ['kms:Decrypt'] },
  { action: 'dynamodb:Query', service: 'dynamodb', needs: ['kms:Decrypt'] },
  { action: 'dynamodb:PutItem', service: 'dynamodb', needs: ['kms:Decrypt', 'kms:Encrypt'] },
  { action: 'dynamodb:UpdateItem', service: 'dynamodb', needs: ['kms:Decrypt', 'kms:Encrypt'] },
  { action: 'dynamodb:DeleteItem', service: 'dynamodb', needs: ['kms:Decrypt', 'kms:Encrypt'] },
  { action: 'secretsmanager:GetSecretValue', service: 'secretsmanager', needs: ['kms:Decrypt'] },
  {
    action: 'secretsmanager:PutSecretValue',
    service: 'secretsmanager',
    needs: ['kms:GenerateDataKey'],
  },
] as const;

describe('the key that encrypts everything at rest', () => {
  it.each(IMPLIED)(
    'may be used through $service by every role that may $action',
    ({ action, service, needs }) => {
      const holders = holdersOf(action);
      expect(holders.length).toBeGreaterThan(0);
      for (const holder of holders) {
        const granted = allowances
          .filter(
            (a) => a.holder === holder && a.resources.some((r) => r.includes('StorageDataKey')),
          )
          .filter((a) =>
            synthesised
              .text(at(a.condition, 'StringEquals', 'kms:ViaService'))
              .startsWith(`${service}.`),
          )
          .flatMap(({ actions }) => actions);
        expect(granted, holder).toEqual(expect.arrayContaining([...needs]));
      }
    },
  );

  it('may decrypt for every role that uploads in parts: completing an upload reads the parts', () => {
    const inParts = holdersOf('s3:AbortMultipartUpload').filter((holder) =>
      holdersOf('s3:PutObject').includes(holder),
    );
    expect(inParts.map(nameOf)).toEqual(['PipelineAssembleRaster']);
    const granted = allowances
      .filter(
        ({ holder, resources }) =>
          inParts.includes(holder) && resources.some((r) => r.includes('StorageDataKey')),
      )
      .filter(({ condition }) =>
        synthesised.text(at(condition, 'StringEquals', 'kms:ViaService')).startsWith('s3.'),
      )
      .flatMap(({ actions }) => actions);
    expect(granted).toEqual(expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey']));
  });

  it('is used through services only', () => {
    const direct = allowances.filter(
      ({ resources, condition }) =>
        resources.some((resource) => resource.includes('StorageDataKey')) &&
        at(condition, 'StringEquals', 'kms:ViaService') === undefined,
    );
    expect(direct).toEqual([]);
  });
});
