import { describe, expect, it } from 'vitest';
import { require, runChecks } from '../../../bin/smoke/check.ts';
import { GETS, listGets } from '../../../bin/smoke/every-get.ts';
import { checkValidity } from '../../../bin/smoke/signed-url.ts';

describe('the smoke test', () => {
  it('continues after a check that fails', async () => {
    const findings = await runChecks([
      { name: 'one', run: async () => 'all is well' },
      { name: 'two', run: async () => require(1 + 1 === 3, 'the sum is 2') ?? '' },
      { name: 'three', run: async () => 'well, too' },
    ]);
    expect(findings.map(({ check, verdict, seen }) => [check, verdict, seen])).toEqual([
      ['one', 'passed', 'all is well'],
      ['two', 'failed', 'the sum is 2'],
      ['three', 'passed', 'well, too'],
    ]);
  });

  it('calls every GET operation', () => {
    const all = new Set([...listGets('v1'), ...listGets('v2')]);
    expect(Object.keys(GETS).sort()).toEqual([...all].sort());
    expect(listGets('v1')).not.toContain('getJobStatus');
  });
});

describe('the check of a signed URL', () => {
  const url = (query: string) => `https://results.example/r.tif?${query}`;
  const day = 'X-Amz-Date=20260101T120000Z&X-Amz-Expires=86400';

  it('passes if the URL expires 24 hours after its date, as stated in the status', () => {
    const result = { url: url(day), expiresAt: '2026-01-02T12:00:00.000Z' };
    expect(checkValidity(result)).toContain('2026-01-02');
  });

  it.each([
    [
      'a lifetime of an hour',
      'X-Amz-Date=20260101T120000Z&X-Amz-Expires=3600',
      '2026-01-01T13:00:00.000Z',
    ],
    ['a different time from the status', day, '2026-01-02T12:00:01.000Z'],
    ['a session token', `${day}&X-Amz-Security-Token=x`, '2026-01-02T12:00:00.000Z'],
  ])('fails for %s', (_, query, expiresAt) => {
    expect(() => checkValidity({ url: url(query), expiresAt })).toThrow();
  });
});
