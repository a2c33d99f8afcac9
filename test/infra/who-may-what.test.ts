import { describe, expect, it } from 'vitest';
import { at } from '../support/infra/json.ts';
import { allowances, beyondRequests, holdersOf, nameOf, synthesised } from './allowances.ts';

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

  it('test webhooks: a function that counts tests like requests and has no other access', () => {
    const keys = beyondRequests('ApiTestWebhook');
    expect(keys.length).toBeGreaterThan(0);
    for (const { actions, condition } of keys) {
      expect(actions.filter((action) => !/^kms:/.test(action))).toEqual([]);
      const service = synthesised.text(at(condition, 'StringEquals', 'kms:ViaService'));
      expect(service).toMatch(/^dynamodb\./);
    }
  });

  it('have no permission besides traces: the open function', () => {
    const own = allowances.filter(({ holder }) => nameOf(holder) === 'ApiOpen');
    const actions = own.flatMap((allowance) => allowance.actions);
    expect(actions.filter((action) => !/^(xray|logs):/.test(action))).toEqual([]);
  });
});
