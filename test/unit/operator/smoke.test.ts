import { describe, expect, it } from 'vitest';
import { judged } from '../../../bin/smoke/alarms.ts';
import { operationsOf } from '../../../bin/smoke/api-client.ts';
import { readArguments } from '../../../bin/smoke/arguments.ts';
import { lookAt, require, Skipped, waitFor } from '../../../bin/smoke/check.ts';
import { EXAMPLE, manyVertices, readOrder, smallJob } from '../../../bin/smoke/order.ts';
import { lineOf, summaryOf } from '../../../bin/smoke/report.ts';
import { validity } from '../../../bin/smoke/signed-url.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';

describe('looking at a stage', () => {
  it('goes on after a check that fails, and tells what it met', async () => {
    const findings = await lookAt([
      { name: 'one', look: async () => 'all is well' },
      { name: 'two', look: async () => require(1 + 1 === 3, 'the sum is 2') ?? '' },
      {
        name: 'three',
        look: async () => {
          throw new Skipped('nobody asked');
        },
      },
      { name: 'four', look: async () => 'well, too' },
    ]);
    expect(findings.map(({ check, verdict, seen }) => [check, verdict, seen])).toEqual([
      ['one', 'passed', 'all is well'],
      ['two', 'failed', 'the sum is 2'],
      ['three', 'skipped', 'nobody asked'],
      ['four', 'passed', 'well, too'],
    ]);
    expect(summaryOf(findings)).toBe('2 passed, 1 failed, 1 skipped');
    expect(findings.map(lineOf)[1]).toMatch(/^FAILED {2}two .* the sum is 2$/);
  });

  it('stops waiting with the last answer', async () => {
    const never = waitFor(
      'it ends',
      0.3,
      async () => 'processing',
      (answer) => answer === 'ended',
    );
    await expect(never).rejects.toThrow('it ends: not within 0.3 s; last seen: "processing"');
  });

  it('holds V1 to its own operations and V2 to all', () => {
    expect(operationsOf('v1')).not.toContain('getJobStatus');
    expect(operationsOf('v2')).toEqual(
      expect.arrayContaining([...operationsOf('v1'), 'getJobStatus']),
    );
  });
});

describe('the batches of the smoke test', () => {
  const order = readOrder(EXAMPLE);

  it('are of 1 MB where size is tried, and of few cells, within a job’s vertices', () => {
    const large = manyVertices(order, 4) as { jobs: { polygon: { coordinates: number[][][] } }[] };
    const bytes = JSON.stringify(large).length;
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(LIMITS.bodyBytes);
    for (const { polygon } of large.jobs) {
      const [ring = []] = polygon.coordinates;
      expect(ring.length).toBeLessThanOrEqual(LIMITS.verticesPerJob);
      expect(ring[0]).toEqual(ring.at(-1));
      expect(new Set(ring.map(String)).size).toBe(ring.length - 1);
    }
  });

  it('lie within the first polygon of the file', () => {
    expect(smallJob(order)).toMatchObject({ year: 2024, polygon: { type: 'Polygon' } });
  });

  it('come from a file that holds a batch', () => {
    expect(() => readOrder('package.json')).toThrow(/--batch package.json holds no batch/);
  });
});

describe('what a signed URL says of itself', () => {
  const url = (query: string) => `https://results.example/r.tif?${query}`;
  const job = (signed_cog_url: string, signed_url_expires_at: string) => ({
    job_id: 'a',
    job_index: 0,
    status: 'completed',
    signed_cog_url,
    signed_url_expires_at,
    error_code: null,
    error_message: null,
  });
  const day = 'X-Amz-Date=20260101T120000Z&X-Amz-Expires=86400';

  it('is believed when it is 24 hours from its own date, as the status says', () => {
    expect(validity(job(url(day), '2026-01-02T12:00:00.000Z'))).toMatch(/^until 2026-01-02/);
  });

  it.each([
    [
      'an hour',
      url('X-Amz-Date=20260101T120000Z&X-Amz-Expires=3600'),
      '2026-01-01T13:00:00.000Z',
      /3600 s/,
    ],
    ['another time than the status', url(day), '2026-01-02T12:00:01.000Z', /the status says/],
    [
      'a session’s life',
      url(`${day}&X-Amz-Security-Token=x`),
      '2026-01-02T12:00:00.000Z',
      /session/,
    ],
  ])('is not when it is %s', (_, signed, expires, why) => {
    expect(() => validity(job(signed, expires))).toThrow(why);
  });
});

// As CloudWatch's own knowledge base words them.
describe('an alarm’s history', () => {
  it('shows that its topic took the notification', () => {
    const HistorySummary = 'Successfully executed action arn:aws:sns:eu-central-1:111122223333:a';
    expect(judged([{ HistorySummary }])).toBe(HistorySummary);
  });

  it('shows that it did not', () => {
    const HistorySummary =
      'Failed to execute action arn:aws:sns:eu-central-1:111122223333:a. Received error: "null"';
    expect(() => judged([{ HistorySummary }])).toThrow('Received error');
  });
});

describe('its command line', () => {
  it('takes a key from the environment, and one that is given before that', () => {
    const environment = { SMOKE_API_KEY: 'from-environment' };
    expect(readArguments(['--stage', 'dev'], environment)).toMatchObject({
      stage: 'dev',
      key: 'from-environment',
      rotate: false,
      notify: false,
    });
    expect(readArguments(['--key', 'given'], environment)?.key).toBe('given');
  });

  it.each([
    [['--stage', 'production'], /--stage must be local, dev, prod/],
    [['--receiver', 'ftp://here'], /--receiver must be an https address/],
    [['--deploy'], /--deploy/],
  ])('refuses %s', (args, why) => {
    expect(() => readArguments(args, {})).toThrow(why);
  });
});
