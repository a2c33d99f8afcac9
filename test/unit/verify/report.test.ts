import { expect, it } from 'vitest';
import { reportOf } from '../../../bin/verify/report.ts';

it('no text of an Item or a raster adds a line or controls the terminal', () => {
  const hostile = '7\u001b[2J\nverified\u202e';
  const report = reportOf({
    verified: false,
    jobId: hostile,
    model: hostile,
    version: { predicted: hostile, here: '1.0.0' },
    checks: [{ what: 'job of the raster', state: 'changed', detail: hostile }],
    cells: null,
    bands: [],
    seed: 1,
  });
  expect(report.split('\n')).toHaveLength(5);
  expect(report).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  expect(report).toContain('NOT VERIFIED');
});
