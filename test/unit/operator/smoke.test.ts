import { describe, expect, it } from 'vitest';
import { notificationOf, recipientsOf } from '../../../bin/smoke/alarms.ts';
import { operationsOf } from '../../../bin/smoke/api-client.ts';
import { readArguments } from '../../../bin/smoke/arguments.ts';
import {
  EXAMPLE,
  manyVertices,
  readBatchRequest,
  smallJob,
} from '../../../bin/smoke/batch-request.ts';
import { lineOf, require, runChecks, Skipped, tallyOf, waitFor } from '../../../bin/smoke/check.ts';
import { describeOverhead } from '../../../bin/smoke/map-run.ts';
import { refuseTwoKeys } from '../../../bin/smoke/only-aws.ts';
import { validity } from '../../../bin/smoke/signed-url.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';

describe('the overhead of a distributed map', () => {
  const children = [
    { from: 3_000, to: 9_000 },
    { from: 2_500, to: 12_000 },
  ];

  it('is the time before the first child and after the last', () => {
    expect(describeOverhead({ from: 1_000, to: 16_500, children })).toBe(
      '6.0 s besides its 2 children: 1.5 s before the first, 4.5 s after the last',
    );
  });

  it('is not measured while a time is missing', () => {
    expect(() => describeOverhead({ from: 1_000, to: Number.NaN, children })).toThrow(/no start/);
    expect(() => describeOverhead({ from: 1_000, to: 2_000, children: [] })).toThrow(/no start/);
  });
});

describe('the checks of a stage', () => {
  it('continue after one that fails', async () => {
    const findings = await runChecks([
      { name: 'one', run: async () => 'all is well' },
      { name: 'two', run: async () => require(1 + 1 === 3, 'the sum is 2') ?? '' },
      {
        name: 'three',
        run: async () => {
          throw new Skipped('nobody asked');
        },
      },
      { name: 'four', run: async () => 'well, too' },
    ]);
    expect(findings.map(({ check, verdict, seen }) => [check, verdict, seen])).toEqual([
      ['one', 'passed', 'all is well'],
      ['two', 'failed', 'the sum is 2'],
      ['three', 'skipped', 'nobody asked'],
      ['four', 'passed', 'well, too'],
    ]);
    expect(tallyOf(findings)).toBe('2 passed, 1 failed, 1 skipped');
    expect(findings.map(lineOf)[1]).toMatch(/^FAILED {2}two .* the sum is 2$/);
  });

  it('time out with the last value', async () => {
    const never = waitFor(
      'it ends',
      0.3,
      async () => 'processing',
      (status) => status === 'ended',
    );
    await expect(never).rejects.toThrow(/^it ends: .*0\.3 s.*"processing"$/);
  });

  it('expect V1’s operations on V1 and all on V2', () => {
    expect(operationsOf('v1')).not.toContain('getJobStatus');
    expect(operationsOf('v2')).toEqual(
      expect.arrayContaining([...operationsOf('v1'), 'getJobStatus']),
    );
  });
});

describe('the rotation of the signing key', () => {
  const key = (stage: 'current' | 'previous', replacedAt: string | null) => ({
    ...{ id: stage, stages: new Set([stage]), replacedAt },
  });
  const replaced = [key('current', null), key('previous', '2026-01-01T12:00:00.000Z')];

  it('is skipped while the key that the last one replaced is needed', () => {
    const rotation = () => refuseTwoKeys(replaced, '2026-01-02T12:59:59.000Z');
    expect(rotation).toThrow(Skipped);
    expect(rotation).toThrow('2026-01-02T13:00:00.000Z');
  });

  it('runs when that may be deleted, and with one key', () => {
    refuseTwoKeys(replaced, '2026-01-02T13:00:00.000Z');
    refuseTwoKeys([key('current', null)], '2026-01-01T12:00:00.000Z');
    // A version that is current again after a roll-back is no replaced key.
    refuseTwoKeys([key('current', '2026-01-01T12:00:00.000Z')], '2026-01-01T13:00:00.000Z');
  });
});

describe('the batches of the smoke test', () => {
  const request = readBatchRequest(EXAMPLE);

  it('include one of 1 MB with few cells, within the limits of body and vertices', () => {
    const large = manyVertices(request, 4) as {
      jobs: { polygon: { coordinates: number[][][] } }[];
    };
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
    expect(smallJob(request)).toMatchObject({ year: 2024, polygon: { type: 'Polygon' } });
  });

  it('come from a file that contains a batch', () => {
    expect(() => readBatchRequest('package.json')).toThrow(/--batch package.json .*jobs/s);
  });
});

describe('the check of a signed URL', () => {
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

  it('passes if the URL expires 24 hours after its date, as in the status', () => {
    expect(validity(job(url(day), '2026-01-02T12:00:00.000Z'))).toContain('2026-01-02');
  });

  it.each([
    [
      'an hour',
      url('X-Amz-Date=20260101T120000Z&X-Amz-Expires=3600'),
      '2026-01-01T13:00:00.000Z',
      /3600 s/,
    ],
    ['another time than the status', url(day), '2026-01-02T12:00:01.000Z', /12:00:01/],
    [
      'a session token',
      url(`${day}&X-Amz-Security-Token=x`),
      '2026-01-02T12:00:00.000Z',
      /session/,
    ],
  ])('fails for %s', (_, signed, expires, why) => {
    expect(() => validity(job(signed, expires))).toThrow(why);
  });
});

// The wording of AWS's knowledge base.
describe('an alarm’s history', () => {
  it('shows that the topic accepted the notification', () => {
    const HistorySummary = 'Successfully executed action arn:aws:sns:eu-central-1:111122223333:a';
    expect(notificationOf([{ HistorySummary }])).toBe(HistorySummary);
  });

  it('shows that the topic rejected it', () => {
    const HistorySummary =
      'Failed to execute action arn:aws:sns:eu-central-1:111122223333:a. Received error: "null"';
    expect(() => notificationOf([{ HistorySummary }])).toThrow('Received error');
  });
});

describe('the recipients of alarms', () => {
  it('are those who confirmed their subscription', () => {
    expect(recipientsOf('alarms', { SubscriptionsConfirmed: '2' })).toBe(
      '2 subscriptions of alarms',
    );
    const pending = { SubscriptionsConfirmed: '0', SubscriptionsPending: '1' };
    expect(() => recipientsOf('alarms', pending)).toThrow(/1 .*confirm/);
    expect(() => recipientsOf('alarms', {})).toThrow(/nobody/);
  });
});

describe('the command line of the smoke test', () => {
  it('prefers a given key over the one in the environment', () => {
    const environment = { SMOKE_API_KEY: 'from-environment' };
    expect(readArguments(['--stage', 'dev'], environment)?.key).toBe('from-environment');
    expect(readArguments(['--key', 'given'], environment)?.key).toBe('given');
  });

  it('notifies and rotates in prod only with their options', () => {
    const chosen = (...args: readonly string[]) => {
      const { notify, rotate } = readArguments(args, {}) ?? {};
      return { notify, rotate };
    };
    expect(chosen('--stage', 'dev')).toEqual({ notify: true, rotate: true });
    expect(chosen('--stage', 'prod')).toEqual({ notify: false, rotate: false });
    expect(chosen('--stage', 'prod', '--notify')).toEqual({ notify: true, rotate: false });
    expect(chosen('--stage', 'prod', '--rotate')).toEqual({ notify: false, rotate: true });
  });

  it.each([
    [['--stage', 'production'], /--stage must be local, dev, prod/],
    [['--receiver', 'ftp://here'], /--receiver .*ftp:\/\/here/],
    [['--deploy'], /--deploy/],
  ])('rejects %s', (args, why) => {
    expect(() => readArguments(args, {})).toThrow(why);
  });
});
