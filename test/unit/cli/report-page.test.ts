import { describe, expect, it } from 'vitest';
import { type ReportSources, reportPage } from '../../../cli/src/report/report-page.ts';
import type { ResultJob } from '../../../cli/src/results/result-columns.ts';
import batchStatus from '../../../lambdas/api/definitions/examples/batch-status.json' with {
  type: 'json',
};
import batchTotal from '../../../lambdas/api/definitions/examples/batch-total.json' with {
  type: 'json',
};
import models from '../../../lambdas/api/definitions/examples/models.json' with { type: 'json' };
import { FIELD } from '../../support/domain/polygons.ts';

const HOSTILE = '<img src="https://evil.example/x">';

// The examples are responses of the service; their JSON has wider types.
const parsed = (value: object): never => JSON.parse(JSON.stringify(value)) as never;
const jobs = batchStatus.jobs.map(
  (job, i): ResultJob =>
    parsed({
      field: { type: 'Feature', geometry: FIELD, properties: {} },
      name: i === 0 ? HOSTILE : 'South',
      year: job.year,
      job,
      batchId: batchStatus.batch_id,
      model: batchStatus.models[0],
      file: i === 0 ? 'one.tif' : null,
    }),
);
const sources = (changes: Partial<ReportSources> = {}): ReportSources => ({
  title: 'A farm',
  baseUrl: 'https://soil.example',
  createdAt: '2026-03-04T05:06:07.089Z',
  inputDigest: 'a'.repeat(64),
  jobs,
  rasterDigests: new Map([['one.tif', 'b'.repeat(64)]]),
  facts: parsed({
    models: [{ ...batchStatus.models[0], published: models.models[0] }],
    totals: batchTotal,
    totalsMissing: null,
  }),
  version: '1.2.3',
  ...changes,
});

describe('the report of a run', () => {
  it('has totals, a map, each field, the failures, the model, the method and the digests', () => {
    const page = reportPage(sources());
    expect(page).toContain('35.17 kg/m³');
    expect(page).toContain('2,858 t carbon');
    expect(page).toContain('27.56 to 43.34');
    expect(page).toContain('<svg');
    expect(page).toContain('geometry_self_intersection');
    expect(page).toContain('44/12');
    for (const digest of ['a'.repeat(64), 'b'.repeat(64), batchStatus.models[0]?.model_sha256]) {
      expect(page).toContain(digest);
    }
  });

  it('loads nothing from elsewhere, whatever fields are named', () => {
    const page = reportPage(sources());
    expect(page).not.toContain('<img');
    expect(page).not.toMatch(/<(?:script|link|iframe)|(?:src|href)="http|url\(http/);
  });

  it('says what is missing without totals or models', () => {
    const facts = { models: [], totals: null, totalsMissing: 'No job is completed.' };
    expect(reportPage(sources({ facts }))).toContain('No job is completed.');
    expect(reportPage(sources({ facts: null, jobs: [] }))).toContain('soil-batch download');
  });
});
