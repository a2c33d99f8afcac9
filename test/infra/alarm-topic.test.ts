import { describe, expect, it } from 'vitest';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { toList } from '../../local/json.ts';
import { type Synthesised, synthesise, synthesiseWith } from '../support/infra/synthesised.ts';

const config = readStageConfig('dev');
const synthesiseAlarms = (alarms: object) =>
  synthesiseWith({ ...config, alarms: { ...config.alarms, ...alarms } });

function targetsOf({ ofType, text }: Synthesised): readonly string[] {
  const actions = ofType('AWS::CloudWatch::Alarm').flatMap(({ properties }) =>
    toList(properties['AlarmActions']),
  );
  return [...new Set(actions.map(text))];
}

describe('the target of alarms', () => {
  it('is a topic of the stack, without subscriptions by default', () => {
    const stage = synthesise('dev');
    expect(targetsOf(stage)).toHaveLength(1);
    expect(stage.ofType('AWS::SNS::Topic')).toHaveLength(1);
    expect(stage.ofType('AWS::SNS::Subscription')).toEqual([]);
  });

  it('is a topic with an email subscription, when an address is configured', () => {
    const [subscription] = synthesiseAlarms({ email: 'ops@example.com' }).ofType(
      'AWS::SNS::Subscription',
    );
    expect(subscription?.properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
  });

  it('is an existing topic, when one is configured, and no other is created', () => {
    const topicArn = 'arn:aws:sns:eu-central-1:123456789012:pager';
    const stage = synthesiseAlarms({ topicArn });
    expect(targetsOf(stage)).toEqual([topicArn]);
    expect(stage.ofType('AWS::SNS::Topic')).toEqual([]);
  });
});
