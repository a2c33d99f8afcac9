import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Runs a module like a function's process, and parses its output. */
function linesOf(code: string): readonly Record<string, unknown>[] {
  const output = execFileSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', code],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        POWERTOOLS_SERVICE_NAME: 'soil-batch-test',
        _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8',
      },
    },
  );
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a log line', () => {
  const [line] = linesOf(`
    import { log } from './lambdas/observability/log.ts';
    log('info', 'plan-job', { batch_id: 'b', job_index: 0, outcome: 'planned', tenant: null });
  `);

  it('is a flat object with event, members and trace, without absent values', () => {
    expect(line).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'INFO',
      event: 'plan-job',
      batch_id: 'b',
      job_index: 0,
      outcome: 'planned',
      trace_id: '1-5759e988-bd862e3fe1be46a994272793',
    });
  });
});

describe('a measurement', () => {
  const lines = linesOf(`
    import { measure } from './lambdas/observability/metrics.ts';
    measure('JobsFinished', 3, 'failed');
    measure('BatchDuration', 1.5);
  `);

  it('is a line that CloudWatch reads as a metric, by service and by kind', () => {
    expect(lines[0]).toMatchObject({
      service: 'soil-batch-test',
      outcome: 'failed',
      JobsFinished: 3,
      _aws: {
        CloudWatchMetrics: [
          {
            Namespace: 'SoilBatch',
            Dimensions: [['service', 'outcome']],
            Metrics: [{ Name: 'JobsFinished', Unit: 'Count' }],
          },
        ],
      },
    });
  });

  it('contains nothing of the previous measurement', () => {
    expect(lines).toHaveLength(2);
    expect(lines[1]).not.toHaveProperty('outcome');
    expect(lines[1]).toMatchObject({ BatchDuration: 1.5, service: 'soil-batch-test' });
  });
});
