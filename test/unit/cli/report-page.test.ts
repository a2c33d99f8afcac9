import { describe, expect, it } from 'vitest';
import { decimalsOf, figure } from '../../../cli/src/report/numbers.ts';
import { type ReportSources, reportPage } from '../../../cli/src/report/report-page.ts';
import type { ResultJob } from '../../../cli/src/results/result-columns.ts';
import type { CheckedFile } from '../../../cli/src/run/digests.ts';
import { ellipsoidalHectares } from '../../../engine/geometry/ellipsoid.ts';
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
const checked = (changes: Partial<CheckedFile>): CheckedFile => ({
  ...{ file: 'results.csv', state: 'unchanged' },
  ...{ recorded: 'b'.repeat(64), found: 'b'.repeat(64) },
  ...changes,
});
const sources = (changes: Partial<ReportSources> = {}): ReportSources => ({
  title: 'A farm',
  baseUrl: 'https://soil.example',
  createdAt: '2026-03-04T05:06:07.089Z',
  writtenAt: '2026-03-05T06:07:08.090Z',
  batchIds: [batchStatus.batch_id],
  input: {
    name: 'fields.gpkg',
    layer: 'parcels',
    sha256: 'a'.repeat(64),
    crs: 'EPSG:28992',
    storedFile: '.soil-batch/fields-1.json',
    storedSha256: 'c'.repeat(64),
  },
  jobs,
  files: [checked({ file: 'one.tif' })],
  facts: parsed({
    models: [{ ...batchStatus.models[0], published: models.models[0] }],
    totals: { totals: batchTotal, totals_missing: null },
  }),
  version: '1.2.3',
  ...changes,
});

describe('the report of a run', () => {
  it('has totals, a map, each field, the failures, the model, the method and the digests', () => {
    const page = reportPage(sources());
    for (const text of [
      '35.17',
      '27.56 to 43.34',
      '± 4.80',
      '2,858',
      '± 390',
      'Stock of carbon, t',
    ]) {
      expect(page).toContain(text);
    }
    expect(page).toContain('90 % interval');
    expect(page).toContain('<svg');
    expect(page).toContain(jobs[1]?.job?.error_message?.slice(0, 20));
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

  it('states the requested year of a static map beside what it means, and warnings with their numbers', () => {
    const [first] = jobs;
    const warnings = [
      { code: 'outside_training', message: 'In 19 % of the cells a covariate is new.' },
      ...(first?.job?.warnings ?? []),
    ];
    const page = reportPage(
      sources({ jobs: [parsed({ ...first, job: { ...first?.job, warnings } })] }),
    );
    expect(page).toContain('In 19 % of the cells');
    expect(page.split(') makes no difference')).toHaveLength(2);
  });

  it('says what is missing without totals or models', () => {
    const totals = { totals: null, totals_missing: 'No job is completed.' };
    expect(reportPage(sources({ facts: { models: [], totals } }))).toContain(
      'No job is completed.',
    );
    const page = reportPage(sources({ facts: { models: null, totals: null }, jobs: [] }));
    expect(page).toContain('no totals');
    expect(page).toContain('no models.json');
  });

  it('names files that are not as downloaded before everything else', () => {
    const files = [
      checked({ file: 'one.tif', state: 'changed', found: 'd'.repeat(64) }),
      checked({ file: 'totals.json', state: 'missing', found: null }),
    ];
    const page = reportPage(sources({ files }));
    const alert = page.slice(page.indexOf('class="alert"'), page.indexOf('Totals</h2>'));
    expect(alert).toMatch(/Changed[^<]*one\.tif[\s\S]*Missing[^<]*totals\.json/);
    expect(page).toContain('d'.repeat(64));
    expect(reportPage(sources())).not.toContain('class="alert"');
  });

  it('gives small values beside large ones two digits', () => {
    const column = [0.2333, 865.639, 1048.5];
    expect(column.map((value) => figure(value, decimalsOf(column)))).toEqual([
      '0.23',
      '865.6',
      '1,048.5',
    ]);
    expect(figure(0, 1)).toBe('0.0');
  });

  it('measures a field that failed', () => {
    const hectares = ellipsoidalHectares(parsed([FIELD.coordinates]));
    const without = jobs.map((one) => ({ ...one, job: null }));
    expect(reportPage(sources({ jobs: without }))).toContain(hectares.toFixed(2));
  });
});
