import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isFirstDeployment } from '../../bin/preflight/stacks.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { FIRST_DEPLOYMENT } from '../../lib/service.ts';
import { listStackNames } from '../../lib/stages.ts';
import { valueAtPath } from '../../local/json.ts';
import { AWS_QUOTAS } from '../support/infra/aws-quotas.ts';
import { EVERYTHING, synthesiseEverything } from '../support/infra/everything.ts';
import { PROD } from '../support/infra/prod.ts';
import { type Synthesised, synthesise, synthesiseWith } from '../support/infra/synthesised.ts';
import { allowancesOf } from './statements.ts';

const names = listStackNames('prod');
const prod = synthesise('prod');
const [, , observability] = prod.templates.map((template) => JSON.stringify(template.toJSON()));

function listProtectedStacks({ app }: Synthesised): readonly string[] {
  return app
    .synth()
    .stacks.filter(({ terminationProtection }) => terminationProtection === true)
    .map(({ stackName }) => stackName);
}

describe('the deletion of a stack', () => {
  it('is prevented in prod', () => {
    expect(listProtectedStacks(prod).toSorted()).toEqual(Object.values(names).toSorted());
  });

  it('is possible in dev', () => {
    expect(listProtectedStacks(synthesise('dev'))).toEqual([]);
  });
});

describe('the first deployment of prod', () => {
  const first = synthesiseWith(PROD, { [FIRST_DEPLOYMENT]: 'true' });

  it('protects neither stacks nor table, so that CloudFormation and the CDK can delete them after a failure', () => {
    expect(listProtectedStacks(first)).toEqual([]);
    for (const { properties } of first.ofType('AWS::DynamoDB::Table')) {
      expect(properties['DeletionProtectionEnabled']).toBe(false);
    }
  });

  it('retains no resource if it fails', () => {
    const left = first.resources.filter(({ whole }) => whole['DeletionPolicy'] === 'Retain');
    expect(left).toEqual([]);
  });

  it.each([
    [[undefined, undefined, undefined], true],
    [['CREATE_COMPLETE', 'ROLLBACK_COMPLETE', undefined], true],
    [['CREATE_COMPLETE', 'REVIEW_IN_PROGRESS', undefined], true],
    [['CREATE_COMPLETE', 'DELETE_FAILED', 'CREATE_COMPLETE'], true],
    [['CREATE_COMPLETE', 'CREATE_COMPLETE', 'CREATE_COMPLETE'], false],
    [['UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'UPDATE_ROLLBACK_FAILED'], false],
  ])('is recognised by the states of its stacks: %j, first: %s', (statuses, isFirst) => {
    expect(isFirstDeployment(statuses)).toBe(isFirst);
  });
});

describe('the observability stack', () => {
  it('imports nothing from the stateless stack, so that resources can be removed there', () => {
    expect(observability).toContain(`"Fn::ImportValue":"${names.stateful}:`);
    expect(observability).not.toContain(`"Fn::ImportValue":"${names.stateless}:`);
  });

  it('is deployed after the stateless stack, whose parameters it reads', () => {
    const { dependencies } = prod.app.synth().getStackByName(names.observability);
    expect(dependencies.map(({ id }) => id)).toContain(names.stateless);
  });

  it('reads lists of names, and each list fits into a parameter', () => {
    const lists = prod.ofType('AWS::SSM::Parameter');
    expect(lists.map(({ properties }) => properties['Name'])).toEqual([
      '/soil-batch/prod/functions',
      '/soil-batch/prod/log-groups',
      '/soil-batch/prod/others',
    ]);
    for (const { properties } of lists) {
      const count = prod.text(properties['Value']).split(',').length;
      // CloudFormation generates a name from the stack's name, the logical ID and 13 random characters.
      const longest = Math.max(
        ...prod.resources.map(({ id }) => `${names.stateless}-${id}-`.length + 13),
      );
      expect(count * (longest + 1)).toBeLessThan(AWS_QUOTAS.ssmParameterBytes.limit);
    }
  });
});

it("every tagged resource has the service's and the organisation's tags", () => {
  const tags = synthesiseEverything().resources.flatMap(({ id, properties }) =>
    properties['Tags'] === undefined ? [] : [{ id, text: JSON.stringify(properties['Tags']) }],
  );
  expect(tags.length).toBeGreaterThan(100);
  for (const { id, text } of tags) {
    for (const value of ['soil-batch', 'prod', EVERYTHING.tags?.['CostCentre']]) {
      expect(text, id).toContain(`"${value}"`);
    }
  }
});

describe('a permissions boundary', () => {
  const bounded = synthesiseEverything();
  const identities = (from: Synthesised) => [
    ...from.ofType('AWS::IAM::Role'),
    ...from.ofType('AWS::IAM::User'),
  ];

  it('applies to every role and user, if it is configured', () => {
    expect(identities(bounded).length).toBeGreaterThan(16);
    for (const { properties } of identities(bounded)) {
      expect(properties['PermissionsBoundary']).toBe(EVERYTHING.permissionsBoundary);
    }
    for (const { properties } of identities(prod)) {
      expect(valueAtPath(properties, 'PermissionsBoundary')).toBeUndefined();
    }
  });

  it('is documented with every service that a role uses', () => {
    const services = [prod, bounded].flatMap((stage) => {
      const roles = stage.ofType('AWS::IAM::Role').map(({ id }) => id);
      return allowancesOf(stage)
        .filter(({ holder }) => roles.includes(holder.replace(/[<>]/g, '')))
        .flatMap(({ actions }) => actions.map((action) => action.split(':')[0]));
    });
    const [, documented = ''] = readFileSync('docs/organisations.md', 'utf8').split(
      'A permissions boundary.',
    );
    const [named = ''] = documented.split(/For\s+the/);
    expect([...new Set(services)].sort()).toEqual(
      [...named.matchAll(/`([a-z\d]+)`/g)].map(([, service]) => service).sort(),
    );
  });
});

describe('the concurrency of predictions', () => {
  const { runningBatches, concurrency } = readStageConfig('prod');
  const reservedBy = (stage: 'dev' | 'prod') =>
    synthesise(stage)
      .ofType('AWS::Lambda::Function')
      .flatMap(({ id, properties }) => {
        const reserved = properties['ReservedConcurrentExecutions'];
        return reserved === undefined ? [] : [[id.replace(/[0-9A-F]{8}$/, ''), reserved]];
      });

  it('is reserved in prod, for as many as may run concurrently, but not for other functions', () => {
    expect(reservedBy('prod')).toEqual([
      [
        'PipelinePredictPatchBatch',
        runningBatches.inAll * concurrency.jobs * concurrency.patchBatches,
      ],
    ]);
  });

  it('is not reserved in dev, so that a new account can deploy', () => {
    expect(reservedBy('dev')).toEqual([]);
  });
});
