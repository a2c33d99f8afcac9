import { describe, expect, it } from 'vitest';
import { permissionOf } from '../../../bin/preflight/alarm-permission.ts';

const TOPIC = 'arn:aws:sns:eu-central-1:111122223333:pager';
const CALL = {
  action: 'sns:Publish',
  resource: TOPIC,
  account: '111122223333',
  alarm:
    'arn:aws:cloudwatch:eu-central-1:111122223333:alarm:SoilBatch-prod-Observability-AlarmsThrottles',
};

const ALLOW = {
  Effect: 'Allow',
  Principal: { Service: ['events.amazonaws.com', 'cloudwatch.amazonaws.com'] },
  Action: 'SNS:Publish',
  Resource: TOPIC,
};
const DENY = { ...ALLOW, Effect: 'Deny' };
/** As SNS gives a new topic: https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html */
const DEFAULT = {
  Version: '2008-10-17',
  Id: '__default_policy_ID',
  Statement: [
    {
      Sid: '__default_statement_ID',
      Effect: 'Allow',
      Principal: { AWS: '*' },
      Action: ['SNS:GetTopicAttributes', 'SNS:Publish'],
      Resource: TOPIC,
      Condition: { StringEquals: { 'AWS:SourceOwner': '111122223333' } },
    },
  ],
};

const of = (...statements: readonly object[]) =>
  permissionOf({ Version: '2012-10-17', Statement: statements }, CALL);
const when = (Condition: object) => ({ ...ALLOW, Condition });

describe('what a policy allows CloudWatch', () => {
  it.each([
    ['its service is named', ALLOW],
    ['everybody is', { ...ALLOW, Principal: '*' }],
    ['the action has a wildcard', { ...ALLOW, Action: ['sns:Pub*'] }],
    ['every action is allowed', { ...ALLOW, Action: '*' }],
    ['every topic is', { ...ALLOW, Resource: '*' }],
    ['the account is', when({ StringEquals: { 'aws:SourceAccount': ['1', '111122223333'] } })],
    [
      'its alarms are',
      when({ ArnLike: { 'AWS:SourceArn': CALL.alarm.replace('Throttles', '*') } }),
    ],
    ['no other account is', when({ StringNotEquals: { 'aws:SourceAccount': '999999999999' } })],
  ])('is allowed where %s', (_, statement) => {
    expect(of(statement)).toBe('allowed');
  });

  it('is allowed by SNS’s default policy, in its own account alone', () => {
    expect(permissionOf(DEFAULT, CALL)).toBe('allowed');
    expect(permissionOf(DEFAULT, { ...CALL, account: '999999999999' })).toBe('missing');
  });

  it.each([
    ['another service is named', { ...ALLOW, Principal: { Service: 'events.amazonaws.com' } }],
    ['the account’s users are', { ...ALLOW, Principal: { AWS: 'arn:aws:iam::111122223333:root' } }],
    ['another action is', { ...ALLOW, Action: 'sns:Subscribe' }],
    ['another topic is', { ...ALLOW, Resource: `${TOPIC}s` }],
    ['a wildcard is taken as it stands', when({ StringEquals: { 'aws:SourceAccount': '*' } })],
    ['another account is', when({ StringEquals: { 'aws:SourceAccount': '999999999999' } })],
  ])('is missing where %s', (_, statement) => {
    expect(of(statement)).toBe('missing');
  });

  it('is missing where nothing is allowed', () => {
    expect(of()).toBe('missing');
  });

  it('is denied by one statement, whatever others allow', () => {
    expect(of(ALLOW, DENY)).toBe('denied');
    const other = { StringNotEquals: { 'aws:SourceAccount': '999999999999' } };
    expect(of(ALLOW, { ...DENY, Condition: other })).toBe('denied');
  });

  it('is not denied by a statement about plain http', () => {
    const plain = { Bool: { 'aws:SecureTransport': false } };
    expect(of(ALLOW, { ...DENY, Principal: '*', Condition: plain })).toBe('allowed');
  });

  it.each([
    ['a key that only AWS knows', when({ StringEquals: { 'aws:SourceOrgID': 'o-1' } })],
    ['an operator that only AWS has', when({ DateLessThan: { 'aws:SourceAccount': '1' } })],
    [
      'other alarms',
      when({ ArnLike: { 'aws:SourceArn': CALL.alarm.replace('Throttles', 'Other') } }),
    ],
    ['exceptions', { Effect: 'Allow', Principal: '*', NotAction: 'sns:Subscribe', Resource: '*' }],
  ])('is unclear where the statement has %s', (_, statement) => {
    expect(of(statement)).toBe('unclear');
  });

  it('is unclear where a denial is, and where the policy is none', () => {
    const maybe = { StringEquals: { 'aws:PrincipalOrgID': 'o-1' } };
    expect(of(ALLOW, { ...DENY, Condition: maybe })).toBe('unclear');
    expect(permissionOf(null, CALL)).toBe('unclear');
  });
});
