import { describe, expect, it } from 'vitest';
import { toList, toTexts, valueAtPath } from '../../local/json.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const { ofType, text } = synthesise('prod');

const targetsOf = (schedule: string) =>
  ofType('AWS::Events::Rule')
    .filter(({ properties }) => properties['ScheduleExpression'] === schedule)
    .flatMap(({ properties }) =>
      toList(properties['Targets']).map((target) => text(valueAtPath(target, 'Arn'))),
    );

describe('the signing key', () => {
  const [rotation] = ofType('AWS::SecretsManager::RotationSchedule');
  const [first] = ofType('Custom::FirstSigningKey');

  it('is created before the deployment ends, by a resource on which the rotation depends', () => {
    expect(text(first?.properties['SecretArn'])).toMatch(/SigningSecret/);
    expect(toTexts(rotation?.whole['DependsOn'])).toContain(first?.id);
  });

  it('is rotated every 30 days, but not at deployment', () => {
    expect(rotation?.properties).toMatchObject({
      RotateImmediatelyOnUpdate: false,
      RotationRules: { AutomaticallyAfterDays: 30 },
    });
    expect(text(rotation?.properties['RotationLambdaARN'])).toMatch(/RotateKey/);
  });

  it('is rotated only by Secrets Manager, and only for secrets of this account', () => {
    const allowed = ofType('AWS::Lambda::Permission').filter(({ properties }) =>
      text(properties['FunctionName']).includes('RotateKey'),
    );
    expect(allowed.map(({ properties }) => properties['Principal'])).toEqual([
      'secretsmanager.amazonaws.com',
    ]);
    expect(text(allowed[0]?.properties['SourceAccount'])).toBe('<AWS::AccountId>');
  });

  it('is removed after its replacement by a function that runs every hour', () => {
    expect(targetsOf('rate(1 hour)')).toEqual([expect.stringContaining('RemoveReplacedKeys')]);
  });
});

describe('the reconciler', () => {
  it('runs every minute', () => {
    expect(targetsOf('rate(1 minute)')).toEqual([expect.stringContaining('Reconcile')]);
  });

  it('receives events of executions that fail, time out or are aborted', () => {
    const [rule] = ofType('AWS::Events::Rule').filter(
      ({ properties }) => properties['EventPattern'] !== undefined,
    );
    const [machine] = ofType('AWS::StepFunctions::StateMachine');
    const detail = valueAtPath(rule?.properties, 'EventPattern', 'detail');
    expect(toList(valueAtPath(detail, 'stateMachineArn')).map(text)).toEqual([`<${machine?.id}>`]);
    expect(toTexts(valueAtPath(detail, 'status'))).toEqual(['FAILED', 'TIMED_OUT', 'ABORTED']);
  });

  it('ends before its next run', () => {
    const fn = ofType('AWS::Lambda::Function').find(({ id }) => id.includes('ReconcilerReconcile'));
    expect(fn?.properties['Timeout']).toBeLessThan(60);
  });

  it('is not retried, because its next run does the remaining work', () => {
    const [kept, ...others] = ofType('AWS::Lambda::EventInvokeConfig');
    expect(text(kept?.properties['FunctionName'])).toContain('ReconcilerReconcile');
    expect(kept?.properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
    expect(others).toEqual([]);
  });
});
