import { describe, expect, it } from 'vitest';
import { at } from '../support/infra/json.ts';
import {
  allowances,
  beyondRequests,
  holdersOf,
  leadingKeys,
  nameOf,
  synthesised,
} from './allowances.ts';
import type { Allowance } from './statements.ts';

/** Only functions: the state machine's own role starts and stops its map runs. */
function functionsThatMay(action: string): readonly string[] {
  const names = holdersOf(action).map(nameOf);
  return names.filter((name) => !name.startsWith('PipelineBatches')).sort();
}

describe('only these functions have a permission', () => {
  // Lambda stops loops through SQS, SNS, S3 and direct calls; the hops of the only other loop are counted in
  // test/unit/delivery/recursion.test.ts.
  it('send to the queue that invokes it: deliver-webhook; invoke functions: none of the service', () => {
    const { ofType, text } = synthesised;
    const loops = ofType('AWS::Lambda::EventSourceMapping').flatMap(({ properties }) => {
      const queue = text(properties['EventSourceArn']);
      const invoked = text(properties['FunctionName']).replace(/^<|[0-9A-F]{8}>$/g, '');
      return allowances
        .filter(({ actions }) => actions.includes('sqs:SendMessage'))
        .filter(({ resources }) => resources.includes(queue))
        .map(({ holder }) => nameOf(holder))
        .filter((sender) => sender === invoked);
    });
    expect(loops).toEqual(['WebhooksDeliverWebhook']);
    // The gateway, and the CDK's provider of a custom resource.
    expect(functionsThatMay('lambda:InvokeFunction')).toEqual([
      'ApiCaller',
      'SigningKeyFirstKeyProvider',
    ]);
    expect(ofType('AWS::SNS::Subscription').map((s) => s.properties['Protocol'])).not.toContain(
      'lambda',
    );
    for (const { properties } of ofType('AWS::S3::Bucket')) {
      expect(properties).not.toHaveProperty('NotificationConfiguration');
    }
  });

  it('sign: a user who may only read results, through S3', () => {
    const user = synthesised.ofType('AWS::IAM::User')[0]?.id;
    const own = allowances.filter(({ holder }) => holder === `<${user}>`);
    expect(own.map(({ actions }) => actions.join()).sort()).toEqual([
      'kms:Decrypt',
      's3:GetObject',
    ]);
    expect(own.flatMap(({ resources }) => resources)).toContainEqual(
      expect.stringMatching(/ResultsBucket\w+\.Arn>\/results\/\*$/),
    );
  });

  it('read API keys: the authorizer, which can not access a batch', () => {
    const readers = allowances.filter(({ actions }) => actions.includes('dynamodb:GetItem'));
    const keysOf = (a: Allowance) =>
      JSON.stringify(at(a.condition, 'ForAllValues:StringLike', 'dynamodb:LeadingKeys'));
    const others = new Map([
      ['ApiAuthorizer', '["KEY#*","TENANT#*"]'],
      ['ApiCreateBatch', '["BATCH#*","TENANT#*","DISPATCH"]'],
      ['ApiEstimateBatch', '["TENANT#*"]'],
      ['ApiRetryBatch', '["BATCH#*","TENANT#*","DISPATCH"]'],
    ]);
    const beside = new Map([
      ['ApiCreateBatch', ['["DISPATCH","LINE#*"]']],
      ['ApiEstimateBatch', ['["TIMES"]']],
      ['ApiReads', ['["TENANT#*"]', '["TIMES"]']],
      ['ApiRetryBatch', ['["DISPATCH","LINE#*"]']],
      ['ApiSignedReads', ['["TIMES"]']],
      ['PipelineFinishBatch', ['["DISPATCH","LINE#*"]', '["TENANT#*"]', '["TIMES"]']],
      ['ReconcilerReconcile', ['["DISPATCH","LINE#*"]', '["TENANT#*"]', '["SWEEPS"]']],
    ]);
    for (const reader of readers) {
      const name = nameOf(reader.holder);
      const own = others.get(name) ?? '["BATCH#*","JOB#*"]';
      expect([own, ...(beside.get(name) ?? [])], reader.holder).toContain(keysOf(reader));
    }
  });

  it('delete items: those that start batches, only from the queue of batches', () => {
    const deleters = allowances.filter(({ actions }) => actions.includes('dynamodb:DeleteItem'));
    expect(deleters.map(({ holder }) => nameOf(holder)).sort()).toEqual([
      'ApiCreateBatch',
      'ApiRetryBatch',
      'PipelineFinishBatch',
      'ReconcilerReconcile',
    ]);
    for (const { condition } of deleters) {
      expect(at(condition, 'ForAllValues:StringLike', 'dynamodb:LeadingKeys')).toEqual([
        'DISPATCH',
        'LINE#*',
      ]);
    }
  });

  it('write quotas of tenants: those that create a batch, and those that finish one', () => {
    const writers = allowances.filter(
      ({ actions, condition }) =>
        actions.includes('dynamodb:UpdateItem') &&
        JSON.stringify(at(condition, 'ForAllValues:StringLike')).includes('"BATCH#*"') &&
        JSON.stringify(at(condition, 'ForAllValues:StringLike')).includes('"TENANT#*"'),
    );
    expect(writers.map(({ holder }) => nameOf(holder)).sort()).toEqual([
      'ApiCancelBatch',
      'ApiCreateBatch',
      'ApiRetryBatch',
      'PipelineFinishBatch',
      'ReconcilerReconcile',
    ]);
  });

  it('test webhooks: a function that counts tests like requests and has no other access', () => {
    const keys = beyondRequests('ApiTestWebhook');
    expect(keys.length).toBeGreaterThan(0);
    for (const { actions, condition } of keys) {
      expect(actions.filter((action) => !/^kms:/.test(action))).toEqual([]);
      const service = synthesised.text(at(condition, 'StringEquals', 'kms:ViaService'));
      expect(service).toMatch(/^dynamodb\./);
    }
  });

  it('request redeliveries: a function that creates no item and reads no body', () => {
    const actions = beyondRequests('ApiRedeliver')
      .flatMap((allowance) => allowance.actions)
      .filter((action) => !action.startsWith('kms:'));
    expect(actions.sort()).toEqual([
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
      'sqs:SendMessage',
    ]);
  });

  it('query a tenant’s batches: reads, which change none', () => {
    const lookers = allowances.filter(({ resources }) =>
      resources.some((resource) => resource.endsWith('/index/by_tenant')),
    );
    expect(lookers.map(({ holder, actions }) => [nameOf(holder), actions.join()])).toEqual([
      ['ApiReads', 'dynamodb:Query'],
    ]);
  });

  it('read the table without writing: estimates and reads', () => {
    for (const name of ['ApiEstimateBatch', 'ApiReads', 'ApiSignedReads']) {
      const actions = beyondRequests(name)
        .filter(({ actions: [first] }) => !first?.startsWith('kms:'))
        .flatMap((each) => each.actions);
      expect(actions).toContain('dynamodb:GetItem');
      expect(actions.filter((action) => !/:(Get|Query)/.test(action))).toEqual([]);
    }
  });

  it('count requests: every function behind a key, in separate items', () => {
    const counters = allowances.filter(
      (allowance) => String(leadingKeys(allowance)) === 'REQUESTS#*',
    );
    for (const { actions } of counters) expect(actions).toEqual(['dynamodb:UpdateItem']);
    const keyed = synthesised
      .ofType('AWS::Lambda::Function')
      .map(({ properties }) => synthesised.text(properties['Description']))
      .filter((text) => text.includes(' /v1/') || text.includes('…/'));
    expect(keyed.length).toBeGreaterThan(7);
    expect(counters).toHaveLength(keyed.length);
  });

  it('have no permission besides traces: the open function', () => {
    const own = allowances.filter(({ holder }) => nameOf(holder) === 'ApiOpen');
    const actions = own.flatMap((allowance) => allowance.actions);
    expect(actions.filter((action) => !/^(xray|logs):/.test(action))).toEqual([]);
  });
});
