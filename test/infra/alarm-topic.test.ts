import { describe, expect, it } from 'vitest';
import { permissionOf } from '../../bin/preflight/alarm-permission.ts';
import { stageConfig } from '../../lib/config/each-stage.ts';
import { at, isObject, type Json, type JsonObject, listOf } from './json.ts';
import { type Synthesised, synthesise, synthesiseWith } from './synthesised.ts';

const config = stageConfig('dev');
const alarmsWith = (alarms: object) =>
  synthesiseWith({ ...config, alarms: { ...config.alarms, ...alarms } });

/** The targets of all alarms, except those of a rollout, which only CodeDeploy reads. */
function targetsOf({ ofType, text }: Synthesised): readonly string[] {
  const alarms = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap(ofType);
  const actions = alarms.flatMap(({ properties }) => listOf(properties['AlarmActions']));
  return [...new Set(actions.map(text))];
}

describe('the target of alarms', () => {
  it('is a topic of the stack, without subscriptions by default', () => {
    const stage = synthesise('dev');
    expect(targetsOf(stage)).toHaveLength(1);
    expect(stage.ofType('AWS::SNS::Topic')).toHaveLength(1);
    expect(stage.ofType('AWS::SNS::Subscription')).toEqual([]);
  });

  it('is an email address, when one is configured', () => {
    const [subscription] = alarmsWith({ email: 'ops@example.com' }).ofType(
      'AWS::SNS::Subscription',
    );
    expect(subscription?.properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
  });

  it('is an existing topic, when one is configured, and no other is created', () => {
    const topicArn = 'arn:aws:sns:eu-central-1:123456789012:pager';
    const stage = alarmsWith({ topicArn });
    expect(targetsOf(stage)).toEqual([topicArn]);
    expect(stage.ofType('AWS::SNS::Topic')).toEqual([]);
  });
});

describe.each(['dev', 'prod'] as const)('every topic that alarms of %s notify', (stage) => {
  const synthesised = synthesise(stage);
  const { ofType, text } = synthesised;
  const own = { account: '<AWS::AccountId>', alarm: 'arn:aws:cloudwatch:r:a:alarm:SoilBatch-x' };
  const topics = targetsOf(synthesised).map((resource) => ({
    resource,
    policy: written(
      ofType('AWS::SNS::TopicPolicy').find(({ properties }) =>
        listOf(properties['Topics']).map(text).includes(resource),
      )?.properties['PolicyDocument'],
      text,
    ),
    key: ofType('AWS::SNS::Topic').find(({ id }) => resource === `<${id}>`)?.properties[
      'KmsMasterKeyId'
    ],
  }));
  const publish = (resource: string, account = own.account) => ({
    ...own,
    account,
    action: 'sns:Publish',
    resource,
  });

  it('lets CloudWatch publish for alarms of this account, and of no other', () => {
    expect(topics).toHaveLength(1);
    for (const { resource, policy } of topics) {
      expect(permissionOf(policy, publish(resource))).toBe('allowed');
      expect(permissionOf(policy, publish(resource, '999999999999'))).toBe('missing');
    }
  });

  it('denies plain HTTP, with a policy that by itself would deny CloudWatch too', () => {
    for (const { resource, policy } of topics) {
      const denials = listOf(at(policy, 'Statement')).filter((one) => at(one, 'Effect') === 'Deny');
      expect(denials).toHaveLength(1);
      expect(at(denials[0], 'Condition')).toEqual({ Bool: { 'aws:SecureTransport': 'false' } });
      expect(permissionOf({ Statement: denials }, publish(resource))).toBe('missing');
    }
  });

  it('is encrypted with a key that CloudWatch may use for these alarms, and for no others', () => {
    for (const { key } of topics) {
      const found = ofType('AWS::KMS::Key').find(({ id }) => text(key).includes(id));
      const policy = written(found?.properties['KeyPolicy'], text);
      for (const action of ['kms:Decrypt', 'kms:GenerateDataKey']) {
        const call = { ...own, action, resource: text(key) };
        expect(permissionOf(policy, call)).toBe('allowed');
        expect(permissionOf(policy, { ...call, account: '999999999999' })).toBe('missing');
      }
    }
  });
});

/** A policy as it is deployed: references as text. */
function written(policy: Json | undefined, text: (value: Json) => string): JsonObject {
  return isObject(policy) ? { Statement: listOf(policy['Statement']).map(plain) } : {};

  function plain(value: Json): Json {
    if (Array.isArray(value)) return (value as readonly Json[]).map(plain);
    if (!isObject(value)) return value;
    if (Object.keys(value).some((name) => name === 'Ref' || name.startsWith('Fn::'))) {
      return text(value);
    }
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
  }
}
