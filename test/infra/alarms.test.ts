import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { RUNBOOKS } from '../../lib/observability/alarm-rules.ts';
import { describeAlarm } from '../../lib/observability/alarms.ts';
import { toList, toTexts, valueAtPath } from '../../local/json.ts';
import { synthesiseEverything } from '../support/infra/everything.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const { ofType, text } = synthesise('prod');

const alarms = ofType('AWS::CloudWatch::Alarm');

describe('the alarms', () => {
  it.each(alarms.map(({ id, properties }) => [id, text(properties['AlarmDescription'])] as const))(
    '%s names its runbook',
    (_, alarmText) => {
      const runbook = /\. Runbook: docs\/runbooks\/([a-z-]+)\.md$/.exec(alarmText)?.[1];
      expect(RUNBOOKS).toContain(runbook);
    },
  );

  it('each have a runbook, and every runbook has an alarm', () => {
    const named = [...alarms, ...synthesiseEverything().ofType('AWS::CloudWatch::Alarm')].map(
      ({ properties }) => /runbooks\/(.+)$/.exec(text(properties['AlarmDescription']))?.[1],
    );
    const pages = readdirSync('docs/runbooks').filter((name) => name !== 'README.md');
    expect([...new Set(named)].sort()).toEqual(pages.sort());
    expect(RUNBOOKS.map((runbook) => `${runbook}.md`).sort()).toEqual(pages.sort());
  });

  it("cover every function: individually, through the API's 5xx, or through the signing key's age", () => {
    const { functions } = synthesise('prod');
    const alone = alarms.flatMap(({ id }) => /^Alarms(\w+)Errors[0-9A-F]{8}$/.exec(id)?.[1] ?? []);
    const others = functions.map(({ node }) => node).filter(({ id }) => !alone.includes(id));
    expect(
      others
        .filter(({ path }) => !path.includes('/Api/'))
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['FirstKey', 'RemoveReplacedKeys', 'RotateKey']);
  });

  it('are not raised by keys that the authorizer rejects', () => {
    // AWS counts rejected keys as errors of the authorizer, but as 4xx of the API.
    const watched = alarms.flatMap(({ properties }) =>
      [
        properties,
        ...toList(properties['Metrics']).map((one) => valueAtPath(one, 'MetricStat', 'Metric')),
      ]
        .filter((metric) => valueAtPath(metric, 'MetricName') === 'Errors')
        .flatMap((metric) =>
          toList(valueAtPath(metric, 'Dimensions')).map((one) => text(valueAtPath(one, 'Value'))),
        ),
    );
    expect(watched.length).toBeGreaterThan(5);
    expect(watched.filter((name) => name.includes('Authorizer'))).toEqual([]);
  });

  it('link to the runbooks at the configured URL', () => {
    const config = {
      alarms: { ...readStageConfig('prod').alarms, runbookUrl: 'https://wiki.example' },
    };
    expect(describeAlarm(config, { summary: 'It burns', runbook: 'throttles' })).toBe(
      'It burns. Runbook: https://wiki.example/throttles.md',
    );
  });

  it('state their urgency as in the table of runbooks', () => {
    const urgent = alarms.flatMap(({ id, properties }) =>
      text(properties['AlarmDescription']).startsWith('Urgent: ')
        ? [id.replace(/^Alarms|[0-9A-F]{8}$/g, '')]
        : [],
    );
    const table = readFileSync('docs/runbooks/README.md', 'utf8');
    const listed = [...table.matchAll(/^\| `(\w+)` +\| now +\|/gm)].map(([, name]) => name);
    expect(urgent.sort()).toEqual(listed.sort());
    expect(urgent).toContain('ReconcilerSilent');
  });

  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
  it.each(
    alarms
      .filter(({ properties }) => properties['Metrics'] !== undefined)
      .map(({ id, properties }) => [id, toList(properties['Metrics'])] as const),
  )('%s has an expression that CloudWatch can evaluate', (_, metrics) => {
    const ids = metrics.map((metric) => String(valueAtPath(metric, 'Id')));
    const expressions = metrics.flatMap((metric) => toTexts(valueAtPath(metric, 'Expression')));
    // An alarm evaluates one result from at most ten metrics, and no search expressions.
    expect(metrics.filter((metric) => valueAtPath(metric, 'ReturnData') !== false)).toHaveLength(1);
    expect(ids.length - expressions.length).toBeLessThanOrEqual(10);
    expect(expressions.join()).not.toContain('SEARCH');
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][a-zA-Z0-9_]*$/);
    const used = expressions.join().match(/\b[a-z]\w*\b/g) ?? [];
    if (!expressions.join().includes('METRICS()')) {
      expect([...new Set(used)].sort()).toEqual(ids.filter((id) => !id.startsWith('expr_')).sort());
    }
  });

  it('watch the deliveries that became dead letters, and the messages in the dead-letter queue', () => {
    const watched = ['DeadLetters', 'DeadLettersQueued'].map((name) => {
      const [alarm] = alarms.filter(({ id }) => new RegExp(`^Alarms${name}[0-9A-F]{8}$`).test(id));
      return alarm?.properties['MetricName'];
    });
    expect(watched).toEqual(['DeliveryAttempts', 'ApproximateNumberOfMessagesVisible']);
  });

  it('compare concurrency with the unreserved limit, including other functions in the account', () => {
    const [alarm] = alarms.filter(({ id }) => id.startsWith('AlarmsLambdaConcurrencyNear'));
    const metrics = toList(alarm?.properties['Metrics']);
    expect(toTexts(metrics.map((one) => valueAtPath(one, 'Expression') ?? ''))).toContain(
      '100 * unreserved / (SERVICE_QUOTA(used) - (claimed - unreserved))',
    );
    const named = metrics.map((one) => valueAtPath(one, 'MetricStat', 'Metric') ?? null);
    for (const MetricName of [
      'ConcurrentExecutions',
      'UnreservedConcurrentExecutions',
      'ClaimedAccountConcurrency',
    ]) {
      expect(named).toContainEqual({ Namespace: 'AWS/Lambda', MetricName });
    }
    expect(alarm?.properties['AlarmDescription']).toContain('unreserved');
  });

  it('treat missing data of the reconciler and of the signing key as breaching', () => {
    const breaching = alarms
      .filter(({ properties }) => properties['TreatMissingData'] === 'breaching')
      .map(({ id }) => id.replace(/^Alarms|[0-9A-F]{8}$/g, ''));
    expect(breaching.sort()).toEqual(['ReconcilerSilent', 'SigningKeyOld']);
  });
});
