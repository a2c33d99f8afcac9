import { describe, expect, it } from 'vitest';
import { reachableFrom } from '../../lib/api/firewall.ts';
import { at, isObject, type Json } from '../support/infra/json.ts';
import { VARIABLES_READ } from '../support/infra/variables-read.ts';
import { ACCOUNT, OTHER_ACCOUNT } from './access/deployed.ts';
import { guardsOfControl } from './access/guarded-control.ts';
import { type Find, type Guard, guardsOfData, guardsOfSecrets } from './access/guarded-data.ts';
import { ANYBODY, type Call, type Context, keysNotSent, verdictOn } from './access/may.ts';
import { grants, isThroughService } from './access/own-calls.ts';
import {
  byServices,
  everybody,
  functions,
  granted,
  implied,
  nameOf,
  ofType,
  on,
  policies,
  resource,
  verdictsOtherThan,
  withProperties,
} from './access/prod.ts';

describe('AWS allows', () => {
  it('every call that lib/ grants to a role or the signing user', async () => {
    expect(granted.length).toBeGreaterThan(200);
    expect(await verdictsOtherThan('Allowed', granted)).toEqual([]);
  });

  it('every use of a key that S3, DynamoDB or Secrets Manager makes for them', async () => {
    expect(implied.length).toBeGreaterThan(50);
    expect(await verdictsOtherThan('Allowed', implied)).toEqual([]);
  });

  it('every call that a service makes for a resource of the templates', async () => {
    expect(new Set(byServices.map(({ by }) => by.replace(/^arn:.*$/, 'a role')))).toEqual(
      new Set([
        'a role',
        'apigateway.amazonaws.com',
        'cloudwatch.amazonaws.com',
        'events.amazonaws.com',
        'lambda.amazonaws.com',
        'secretsmanager.amazonaws.com',
        'states.amazonaws.com',
      ]),
    );
    expect(await verdictsOtherThan('Allowed', byServices)).toEqual([]);
  });

  it.each(Object.entries(VARIABLES_READ))(
    '%s to use each resource whose name it reads',
    (file, variables) => {
      const fn = functions.find(({ handlerFile }) => handlerFile === file);
      const id = String(fn?.stack.getLogicalId(fn.node.defaultChild as never));
      const { properties } = resource('AWS::Lambda::Function', id);
      const by = on.text(properties['Role']);
      // URLs are signed with the user's permissions. The console's page only names the bucket.
      const signs = variables.includes('SIGNING_SECRET_ARN');
      const names = file === 'api/functions/open';
      for (const [variable, action] of Object.entries(USED_WITH)) {
        const read = variables.includes(variable);
        if (!read || ((signs || names) && variable === 'RESULTS_BUCKET')) continue;
        const name = on.text(at(properties, 'Environment', 'Variables', variable));
        const [last = ''] = name.split(/[:/]/).slice(-1);
        const calls = granted.filter((call) => call.by === by && action.test(call.action));
        expect([variable, calls.some((call) => call.on.includes(last))]).toEqual([variable, true]);
      }
    },
  );
});

describe('a grant', () => {
  it('of a key is one that a call needs', () => {
    const needed = new Set(implied.map(byActionAndKey));
    const uses = granted.filter(isThroughService);
    expect(uses.length).toBeGreaterThan(50);
    expect(uses.map(byActionAndKey).filter((use) => !needed.has(use))).toEqual([]);
  });

  it('has conditions only on keys that AWS sends with each of its actions', async () => {
    const conditions = grants(policies).filter(({ condition }) => condition !== undefined);
    expect(conditions.length).toBeGreaterThan(100);
    for (const { by, action, on: resource, condition } of conditions) {
      const keys = Object.values(isObject(condition) ? condition : {}).flatMap((operands) =>
        Object.keys(isObject(operands) ? operands : {}),
      );
      expect([by, action, await keysNotSent(action, resource, keys)]).toEqual([by, action, []]);
    }
  });
});

/** The calls that a function is for which reads the variable. */
const USED_WITH: Readonly<Record<string, RegExp>> = {
  TABLE_NAME: /^dynamodb:(Get|Update)Item$/,
  WORK_BUCKET: /^s3:(Get|Put)Object$/,
  RESULTS_BUCKET: /^s3:(Get|Delete)Object$/,
  WEBHOOK_QUEUE_URL: /^sqs:SendMessage$/,
  WEBHOOK_DEAD_LETTER_QUEUE_URL: /^sqs:SendMessage$/,
  WEBHOOK_KEY_ARN: /^kms:(En|De)crypt$/,
  SIGNING_SECRET_ARN: /^secretsmanager:GetSecretValue$/,
  CURSOR_SECRET_ARN: /^secretsmanager:GetSecretValue$/,
  SIGNING_USER_NAME: /^iam:ListAccessKeys$/,
  STATE_MACHINE_ARN: /^states:(Start|Stop)Execution$/,
};

describe('AWS denies', () => {
  const find: Find = (type, part) => on.arn(resource(type, part).id);
  it.each(
    [guardsOfSecrets, guardsOfData, guardsOfControl].flatMap((guards) => guards(find)).map(titled),
  )('%s', async (_title, { calls, only }) => {
    for (const [action, resource, context = {}] of calls) {
      const asked = everybody.map((by) => ({ by, action, on: resource, context }));
      const verdicts = await Promise.all(asked.map((call) => verdictOn(call, policies)));
      const may = everybody.filter((_, index) => verdicts[index] === 'Allowed');
      expect([action, context, may.map(nameOf)]).toEqual([action, context, only]);
    }
  });

  it('everybody to use the key of webhook secrets without tenant and batch', async () => {
    const key = on.arn(resource('AWS::KMS::Key', 'WebhookKey').id);
    const contexts = [[], ['tenant'], ['batch_id'], ['tenant', 'batch_id', 'other']].map(ofKeys);
    const calls = everybody.flatMap((by) =>
      ['kms:Decrypt', 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:GenerateDataKey'].flatMap((action) =>
        contexts.map((context) => ({ by, action, on: key, context })),
      ),
    );
    expect(await verdictsOtherThan('ImplicitlyDenied', calls)).toEqual([]);
  });

  it('what is allowed, over plain HTTP or an old TLS', async () => {
    const onBuckets = granted.filter(({ action }) => action.startsWith('s3:'));
    const others = [...granted, ...byServices].filter(({ action }) => /^(sqs|sns):/.test(action));
    const insecure = [
      ...[...onBuckets, ...others].map(withContext({ 'aws:SecureTransport': 'false' })),
      ...onBuckets.map(withContext({ 's3:TlsVersion': '1.1' })),
    ];
    expect(insecure.length).toBeGreaterThan(50);
    expect(await verdictsOtherThan('ExplicitlyDenied', insecure)).toEqual([]);
  });

  it('services that call for another account', async () => {
    const foreign = byServices
      // A role can only be passed within its account, so no service assumes it for another one:
      // https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html
      .filter(({ context }) => context !== undefined)
      .map(({ context, ...call }) => ({
        ...call,
        context: {
          'aws:SourceAccount': OTHER_ACCOUNT,
          'aws:SourceArn': String(context?.['aws:SourceArn']).replace(ACCOUNT, OTHER_ACCOUNT),
        },
      }));
    expect(foreign.length).toBeGreaterThan(50);
    expect(await verdictsOtherThan('ImplicitlyDenied', foreign)).toEqual([]);
  });

  it('everybody but its own service to assume a role', async () => {
    const assumptions = byServices.filter(({ action }) => action === 'sts:AssumeRole');
    const services = [...new Set(assumptions.map(({ by }) => by))];
    expect(new Set(assumptions.map((call) => call.on)).size).toBe(ofType('AWS::IAM::Role').length);
    const others = assumptions.flatMap((call) =>
      [...everybody, ...services.filter((service) => service !== call.by)].map((by) => ({
        ...call,
        by,
      })),
    );
    expect(await verdictsOtherThan('ImplicitlyDenied', others)).toEqual([]);
  });

  it('networks that are not allowed', async () => {
    const api = `${on.arn(ofType('AWS::ApiGateway::RestApi')[0]?.id ?? '')}/live/POST/v1/batch`;
    const policy: Json = JSON.parse(
      JSON.stringify(reachableFrom(['192.0.2.0/24'])).replaceAll('execute-api:/', `${api}`),
    );
    const reached = (address: string) =>
      verdictOn(
        {
          by: ANYBODY,
          action: 'execute-api:Invoke',
          on: api,
          context: { 'aws:SourceIp': address },
        },
        { ...policies, resource: () => policy },
      );
    expect(await reached('192.0.2.7')).toBe('Allowed');
    expect(await reached('198.51.100.7')).toBe('ExplicitlyDenied');
  });
});

describe('an alarm', () => {
  const alarms = byServices.filter(({ by }) => by === 'cloudwatch.amazonaws.com');
  const all = [...granted, ...implied, ...byServices];
  const actionsOf = (calls: readonly Call[]) => [...new Set(calls.map(({ action }) => action))];

  it('would not reach its topic by a policy that only denies plain HTTP', async () => {
    const earlier = withProperties('AWS::SNS::TopicPolicy', ({ Topics }) => ({
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Sid: 'AllowPublishThroughSSLOnly',
            Effect: 'Deny',
            Principal: '*',
            Action: 'sns:Publish',
            Resource: Array.isArray(Topics) ? Topics[0] : null,
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
        ],
      },
    }));
    const denied = await verdictsOtherThan('Allowed', all, earlier);
    expect(actionsOf(denied)).toEqual(['sns:Publish']);
    expect(denied).toHaveLength(alarms.filter(({ action }) => action === 'sns:Publish').length);
  });

  it('would not reach it by a key that only the account may use', async () => {
    const keyOfAccount = withProperties('AWS::KMS::Key', ({ KeyPolicy }) => ({
      KeyPolicy: {
        Version: '2012-10-17',
        Statement: (at(KeyPolicy, 'Statement') as readonly Json[]).slice(0, 1),
      },
    }));
    const denied = await verdictsOtherThan('Allowed', all, keyOfAccount);
    expect(actionsOf(denied)).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
    expect(denied.every(({ by }) => by === 'cloudwatch.amazonaws.com')).toBe(true);
  });
});

function titled(guard: Guard): readonly [title: string, guard: Guard] {
  const who = ['everybody', ...guard.only.slice(0, 1)].join(' but ');
  return [`${[who, ...guard.only.slice(1)].join(', ')} to ${guard.what}`, guard];
}

/** An encryption context. */
function ofKeys(keys: readonly string[]): Context {
  return {
    ...(keys.length === 0 ? {} : { 'kms:EncryptionContextKeys': keys }),
    ...Object.fromEntries(keys.map((key) => [`kms:EncryptionContext:${key}`, '7'])),
  };
}

function withContext(context: Call['context']): (call: Call) => Call {
  return (call) => ({ ...call, context: { ...call.context, ...context } });
}

function byActionAndKey({ by, action, on: key, context }: Call): string {
  return [nameOf(by), action, key, context?.['kms:ViaService']].join(' ');
}
