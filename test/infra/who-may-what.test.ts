import { describe, expect, it } from 'vitest';
import {
  allowances,
  beyondRequests,
  holdersOf,
  leadingKeys,
  nameOf,
  readersOf,
  synthesised,
} from './allowances.ts';
import { at } from './json.ts';
import type { Allowance } from './statements.ts';

/** Functions alone: the state machine's own role begins and ends what its map runs. */
function functionsThatMay(action: string): readonly string[] {
  const names = holdersOf(action).map(nameOf);
  return names.filter((name) => !name.startsWith('PipelineBatches')).sort();
}

describe('who may do what', () => {
  it('encrypts webhook secrets: create-batch; decrypts them: deliver-webhook; under tenant and batch', () => {
    const uses = allowances.filter(({ resources }) =>
      resources.some((r) => r.includes('StorageWebhookKey')),
    );
    expect(uses.map(({ holder, actions }) => [nameOf(holder), actions.join()]).sort()).toEqual([
      ['ApiCreateBatch', 'kms:Encrypt'],
      ['WebhooksDeliverWebhook', 'kms:Decrypt'],
    ]);
    for (const { condition } of uses) {
      expect(at(condition, 'Null')).toEqual({
        'kms:EncryptionContext:tenant': 'false',
        'kms:EncryptionContext:batch_id': 'false',
      });
    }
  });

  it('reads the signing key: whoever signs URLs, and whoever makes keys', () => {
    expect(readersOf('SigningSecret')).toEqual([
      'ApiSignedReads',
      'SigningKeyFirstKey',
      'SigningKeyRemoveReplacedKeys',
      'SigningKeyRotateKey',
      'WebhooksDeliverWebhook',
    ]);
  });

  it('reads the key of cursors and digests: whoever pages, and create-batch', () => {
    expect(readersOf('CursorSecret')).toEqual(['ApiCreateBatch', 'ApiReads', 'ApiSignedReads']);
  });

  // Lambda stops loops through SQS, SNS, S3 and direct calls; the one there is has its hops counted in
  // test/unit/delivery/recursion.test.ts.
  it('feeds the queue that invokes it: deliver-webhook; invokes functions: none of the service', () => {
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
    // The gateway, and CDK's provider of a custom resource.
    expect(functionsThatMay('lambda:InvokeFunction')).toEqual([
      'ApiCaller',
      'SigningKeyFirstKeyProviderframeworkonEventService',
    ]);
    expect(ofType('AWS::SNS::Subscription').map((s) => s.properties['Protocol'])).not.toContain(
      'lambda',
    );
    for (const { properties } of ofType('AWS::S3::Bucket')) {
      expect(properties).not.toHaveProperty('NotificationConfiguration');
    }
  });

  it('signs: a user who may read results, through S3, and nothing else', () => {
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

  it('makes keys of the signing user: the first deploy and the rotation', () => {
    expect(holdersOf('iam:CreateAccessKey').map(nameOf).sort()).toEqual([
      'SigningKeyFirstKey',
      'SigningKeyRotateKey',
    ]);
  });

  it('reaches API keys: the authorizer, which reaches no batch', () => {
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
      ['ApiReads', ['["TENANT#*"]']],
      ['ApiRetryBatch', ['["DISPATCH","LINE#*"]']],
      ['PipelineFinishBatch', ['["DISPATCH","LINE#*"]', '["TENANT#*"]']],
      ['ReconcilerReconcile', ['["DISPATCH","LINE#*"]', '["TENANT#*"]', '["SWEEPS"]']],
    ]);
    for (const reader of readers) {
      const name = nameOf(reader.holder);
      const own = others.get(name) ?? '["BATCH#*","JOB#*"]';
      expect([own, ...(beside.get(name) ?? [])], reader.holder).toContain(keysOf(reader));
    }
  });

  it('deletes: whoever starts batches, from the line of those that wait and nothing else', () => {
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

  it('counts for tenants: whoever makes a batch, and whoever finishes one', () => {
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

  it('tests webhooks: a function that counts tests as requests are counted and reaches nothing else', () => {
    const keys = beyondRequests('ApiTestWebhook');
    expect(keys.length).toBeGreaterThan(0);
    for (const { actions, condition } of keys) {
      expect(actions.filter((action) => !/^kms:/.test(action))).toEqual([]);
      const service = synthesised.text(at(condition, 'StringEquals', 'kms:ViaService'));
      expect(service).toMatch(/^dynamodb\./);
    }
  });

  it('deletes objects: whoever finishes a batch, among its rasters alone', () => {
    const deleting = allowances.filter(({ actions }) => actions.includes('s3:DeleteObject'));
    expect(deleting.map(({ holder }) => nameOf(holder)).sort()).toEqual([
      'ApiCancelBatch',
      'PipelineFinishBatch',
      'ReconcilerReconcile',
    ]);
    for (const { resources } of deleting) {
      expect(resources).toEqual([expect.stringMatching(/ResultsBucket\w+\.Arn>\/results\/\*$/)]);
    }
  });

  it('ends executions: cancellations and the reconciler', () => {
    expect(functionsThatMay('states:StopExecution')).toEqual([
      'ApiCancelBatch',
      'ReconcilerReconcile',
    ]);
  });

  it('starts executions: whoever makes or finishes a batch, and the reconciler', () => {
    expect(functionsThatMay('states:StartExecution')).toEqual([
      'ApiCreateBatch',
      'ApiRetryBatch',
      'PipelineFinishBatch',
      'ReconcilerReconcile',
    ]);
  });

  it('asks for redeliveries: a function that makes no item and reads no body', () => {
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

  it('queries a tenant’s batches: reads, which change none', () => {
    const lookers = allowances.filter(({ resources }) =>
      resources.some((resource) => resource.endsWith('/index/by_tenant')),
    );
    expect(lookers.map(({ holder, actions }) => [nameOf(holder), actions.join()])).toEqual([
      ['ApiReads', 'dynamodb:Query'],
    ]);
  });

  it('changes nothing in the table: estimates and reads', () => {
    for (const name of ['ApiEstimateBatch', 'ApiReads', 'ApiSignedReads']) {
      const actions = beyondRequests(name)
        .filter(({ actions: [first] }) => !first?.startsWith('kms:'))
        .flatMap((each) => each.actions);
      expect(actions).toContain('dynamodb:GetItem');
      expect(actions.filter((action) => !/:(Get|Query)/.test(action))).toEqual([]);
    }
  });

  it('counts requests: every function behind a key, in items that are nothing else', () => {
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

  it('may do nothing but trace: the open function', () => {
    const own = allowances.filter(({ holder }) => nameOf(holder) === 'ApiOpen');
    const actions = own.flatMap((allowance) => allowance.actions);
    expect(actions.filter((action) => !/^(xray|logs):/.test(action))).toEqual([]);
  });
});
