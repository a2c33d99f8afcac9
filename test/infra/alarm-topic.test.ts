import { describe, expect, it } from 'vitest';
import { stageConfig } from '../../lib/config/each-stage.ts';
import { listOf } from './json.ts';
import { type Synthesised, synthesise, synthesiseWith } from './synthesised.ts';

const config = stageConfig('dev');
const alarmsWith = (alarms: object) =>
  synthesiseWith({ ...config, alarms: { ...config.alarms, ...alarms } });

/** Whom all alarms tell, those of a rollout apart: CodeDeploy alone listens to them. */
function told({ ofType, text }: Synthesised): readonly string[] {
  const alarms = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap(ofType);
  const actions = alarms.flatMap(({ properties }) => listOf(properties['AlarmActions']));
  return [...new Set(actions.map(text))];
}

describe('where alarms are told', () => {
  it('is a topic of the stack’s own, and nobody is mailed unless that is configured', () => {
    const stage = synthesise('dev');
    expect(told(stage)).toHaveLength(1);
    expect(stage.ofType('AWS::SNS::Topic')).toHaveLength(1);
    expect(stage.ofType('AWS::SNS::Subscription')).toEqual([]);
  });

  it('is an address, when one is given', () => {
    const [subscription] = alarmsWith({ email: 'ops@example.com' }).ofType(
      'AWS::SNS::Subscription',
    );
    expect(subscription?.properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
  });

  it('is a topic that exists, when one is named, and no other is made', () => {
    const topicArn = 'arn:aws:sns:eu-central-1:123456789012:pager';
    const stage = alarmsWith({ topicArn });
    expect(told(stage)).toEqual([topicArn]);
    expect(stage.ofType('AWS::SNS::Topic')).toEqual([]);
  });
});
