import { describe, expect, it } from 'vitest';
import { filterPattern } from '../support/filter-pattern.ts';
import { at, listOf } from '../support/infra/json.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const { ofType, text } = synthesise('prod');

const [filter] = ofType('AWS::Logs::MetricFilter');
const [transformation] = listOf(filter?.properties['MetricTransformations']);
const counts = (line: object) =>
  filterPattern(text(filter?.properties['FilterPattern']))(JSON.stringify(line));

const report = (record: object) => ({
  time: '2026-03-04T05:06:07.089Z',
  type: 'platform.report',
  record: { requestId: '6d68ca91', metrics: { durationMs: 2.5 }, ...record },
});

describe('the alarm over the authorizer', () => {
  const [alarm] = ofType('AWS::CloudWatch::Alarm').filter(({ id }) => /AuthorizerErrors/.test(id));

  it('watches the metric of its log, not the errors that AWS counts', () => {
    expect(alarm?.properties).toMatchObject({
      Namespace: 'SoilBatch/prod',
      MetricName: at(transformation, 'MetricName'),
      Statistic: 'Sum',
      Threshold: 5,
      TreatMissingData: 'notBreaching',
    });
    expect(at(transformation, 'MetricNamespace')).toBe('SoilBatch/prod');
    expect(at(transformation, 'MetricValue')).toBe('1');
    const errors = ofType('AWS::CloudWatch::Alarm').map(({ properties }) =>
      text(at(listOf(properties['Dimensions'])[0], 'Value')),
    );
    expect(errors.filter((name) => name.includes('Authorizer'))).toEqual([]);
  });

  it('reads the log of the authorizer', () => {
    expect(ofType('AWS::Logs::MetricFilter')).toHaveLength(1);
    expect(text(filter?.properties['LogGroupName'])).toMatch(/^<ApiAuthorizerLogs\w+>$/);
  });
});

describe('the filter of the authorizer’s faults', () => {
  it.each([
    ['a log line of the authorizer', { level: 'ERROR', event: 'authorizer', outcome: 'threw' }],
    ['a timeout', report({ status: 'timeout' })],
    ['a failure of the sandbox', report({ status: 'failure', errorType: 'Sandbox.Failure' })],
    ['out of memory', report({ status: 'error', errorType: 'Runtime.OutOfMemory' })],
    ['a crash', report({ status: 'error', errorType: 'Runtime.ExitError' })],
    [
      'code that cannot be loaded',
      report({ status: 'error', errorType: 'Runtime.ImportModuleError' }),
    ],
  ])('counts %s', (_, line) => {
    expect(counts(line)).toBe(true);
  });

  // The lines of Lambda and its Node.js runtime when a function throws by design.
  it.each([
    ['runtime', { level: 'ERROR', errorType: 'Error', errorMessage: 'Unauthorized' }],
    ['report', report({ status: 'success' })],
    [
      'report, when AWS reports that it threw',
      report({ status: 'error', errorType: 'Runtime.Unknown' }),
    ],
    ['report, with the error’s name', report({ status: 'error', errorType: 'Error' })],
    ['start', { type: 'platform.start', record: { requestId: '6d68ca91' } }],
    ['end', { type: 'platform.runtimeDone', record: { status: 'error', errorType: 'Error' } }],
  ])('does not count a rejected key: the line of its %s', (_, line) => {
    expect(counts(line)).toBe(false);
  });
});
