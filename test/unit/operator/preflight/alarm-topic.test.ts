import { describe, expect, it } from 'vitest';
import type { AlarmTopic } from '../../../../bin/preflight/alarm-topic.ts';
import { findings, known } from './settled-account.ts';

describe('the preflight of an existing alarm topic', () => {
  const arn = 'arn:aws:sns:eu-central-1:111122223333:pager';
  const account = '444455556666';
  const allow = (Action: string | readonly string[], Resource: string) => ({
    Effect: 'Allow',
    Principal: { Service: 'cloudwatch.amazonaws.com' },
    Action,
    Resource,
    Condition: { StringEquals: { 'aws:SourceAccount': account } },
  });
  const key = {
    arn: 'arn:aws:kms:eu-central-1:111122223333:key/1',
    manager: 'CUSTOMER',
    state: 'Enabled',
    policy: { Statement: [allow(['kms:Decrypt', 'kms:GenerateDataKey*'], '*')] },
  };
  type Attributes = NonNullable<AlarmTopic['attributes']>;
  const topic = (attributes: Partial<Attributes> = {}) =>
    known({
      arn,
      account,
      attributes: {
        policy: { Statement: [allow('sns:Publish', arn)] },
        key: known(key),
        ...attributes,
      },
    });

  it('reports nothing if none is configured', () => {
    expect([...findings().keys()].filter((about) => about.startsWith('alarm topic'))).toEqual([]);
  });

  it('finds nothing to do where CloudWatch may publish and use the key', () => {
    const all = findings({ alarmTopic: topic() });
    expect(all.get('alarm topic')?.verdict).toBe('fine');
    expect(all.get("alarm topic's key")?.verdict).toBe('fine');
    expect(findings({ alarmTopic: topic({ key: null }) }).has("alarm topic's key")).toBe(false);
  });

  it('prints the statement that is missing in a policy of denials only', () => {
    const policy = {
      Statement: {
        Effect: 'Deny',
        Principal: '*',
        Action: 'sns:Publish',
        Resource: arn,
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    };
    const { verdict, says } = findings({ alarmTopic: topic({ policy }) }).get('alarm topic') ?? {};
    expect(verdict).toBe('wrong');
    const [, needed] = /Add (\{.*\})$/.exec(says ?? '') ?? [];
    expect(JSON.parse(needed ?? '')).toEqual(allow(['sns:Publish'], arn));
    const repaired = { Statement: [policy.Statement, JSON.parse(needed ?? '')] };
    expect(findings({ alarmTopic: topic({ policy: repaired }) }).get('alarm topic')?.verdict).toBe(
      'fine',
    );
  });

  it('calls a topic that does not exist wrong', () => {
    const alarmTopic = known({ arn, account, attributes: null });
    expect(findings({ alarmTopic }).get('alarm topic')).toMatchObject({
      verdict: 'wrong',
      says: `${arn} does not exist`,
    });
  });

  it.each([
    ['AWS manages', { manager: 'AWS' }, /AWS managed/],
    ['is disabled', { state: 'Disabled' }, /is Disabled$/],
    ['CloudWatch may not use', { policy: { Statement: [] } }, /does not allow CloudWatch kms:/],
    [
      'CloudWatch may use in part',
      { policy: { Statement: [allow('kms:Decrypt', '*')] } },
      /does not allow CloudWatch kms:/,
    ],
  ])('calls a key wrong that %s', (_, change, says) => {
    const alarmTopic = topic({ key: known({ ...key, ...change }) });
    expect(findings({ alarmTopic }).get("alarm topic's key")).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(says),
    });
  });

  it('reports what it could not read', () => {
    const reason = 'not authorized to perform: kms:GetKeyPolicy';
    const alarmTopic = topic({ key: { ok: false, reason } });
    expect(findings({ alarmTopic }).get("alarm topic's key")).toMatchObject({
      verdict: 'unseen',
      says: reason,
    });
    expect(findings({ alarmTopic: { ok: false, reason } }).get('alarm topic')?.verdict).toBe(
      'unseen',
    );
  });
});
