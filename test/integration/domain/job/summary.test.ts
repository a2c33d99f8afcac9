import { describe, expect, it } from 'vitest';
import type { Pack } from '../../../../engine/model/pack/pack.ts';
import { jobIdOf } from '../../../../lambdas/domain/identity.ts';
import { aDeployment, meuse, postBatch } from '../../../support/domain/deployment.ts';
import { FIELD, FIELD_AND_SPECK, TINY } from '../../../support/domain/polygons.ts';
import { readCompletedRecord, runJob } from '../../../support/domain/run-job.ts';
import { runCheck, withFile } from '../../raster/run-check.ts';

interface Checked {
  readonly area: number;
  readonly predicted: number;
  readonly mean: number;
  readonly standard_error: number;
  readonly lower: number;
  readonly upper: number;
}

/** A strip that is 4 m wide and 1.5 km long, across the rows. */
const STRIP = {
  type: 'Polygon',
  coordinates: [
    [
      [5.7361, 50.966],
      [5.73616, 50.966],
      [5.74516, 50.978],
      [5.7451, 50.978],
      [5.7361, 50.966],
    ],
  ],
};

const PARTLY_NODATA = {
  type: 'Polygon',
  coordinates: [
    [
      [5.731, 50.9652],
      [5.735, 50.9652],
      [5.735, 50.972],
      [5.731, 50.972],
      [5.731, 50.9652],
    ],
  ],
};

/** The pack with a changed declared error; the service trusts what packs declare. */
const changeError = (changes: Partial<NonNullable<Pack['manifest']['error']>>): Pack => {
  const { error } = meuse.manifest;
  if (error === undefined) throw new Error('the pack declares no error');
  return { ...meuse, manifest: { ...meuse.manifest, error: { ...error, ...changes } } };
};

async function summariseField(pack: Pack, polygon: unknown) {
  const deployment = aDeployment([pack]);
  const { batch_id: batchId } = await postBatch(deployment, [{ polygon, year: 2024 }]);
  const { kind } = await runJob(deployment, batchId);
  const { summary } = await readCompletedRecord(deployment, batchId);
  const plan = await deployment.patchBatches.readPlan(batchId, 0);
  const raster = deployment.rasters.read(batchId, jobIdOf(batchId, 0));
  if (raster === undefined || plan === null) throw new Error(`no raster: ${kind}`);
  return { summary, raster, plan };
}

async function checkSummary(
  pack: Pack,
  polygon: unknown,
  raster: Uint8Array,
  touched: boolean,
): Promise<Checked> {
  const { error, grid } = pack.manifest;
  const found = await withFile(raster, (path) => {
    const job = {
      ...{ path, polygon, touched, proj4: grid.crs.proj4 },
      correlation: { nugget: error?.correlation?.nugget, range: error?.correlation?.range_m },
      z: 1.6448536269514722,
      systematic: error?.systematic_relative_sd,
      standardised: error?.standardised_sd,
    };
    return runCheck('check_summary.py', [], JSON.stringify(job));
  });
  return found as Checked;
}

describe('the summary of a job agrees with exactextract and a plain double sum', () => {
  it.each([
    ['a field with a hole', FIELD, meuse],
    ['a field and a speck', FIELD_AND_SPECK, meuse],
    ['a strip of 4 m × 1.5 km', STRIP, meuse],
    ['a field that is partly nodata', PARTLY_NODATA, meuse],
    ['a field smaller than a cell', TINY, meuse],
    [
      'a pack without a systematic error',
      PARTLY_NODATA,
      changeError({ systematic_relative_sd: 0 }),
    ],
    ['a pack with rare large errors', FIELD, changeError({ standardised_sd: 1.7 })],
    ['a single cell in a pack with rare large errors', TINY, changeError({ standardised_sd: 1.7 })],
  ])('for %s', async (_, polygon, pack) => {
    const { summary, raster, plan } = await summariseField(pack, polygon);
    const expected = await checkSummary(pack, polygon, raster, plan.rule === 'touched');
    expect(summary?.area_ha).toBeCloseTo(expected.area, 4);
    expect((summary?.predicted_area_ha ?? 0) / expected.predicted).toBeCloseTo(1, 3);
    expect((summary?.mean ?? 0) / expected.mean).toBeCloseTo(1, 4);
    for (const bound of ['lower', 'upper'] as const) {
      const own = (summary?.[bound] ?? 0) - (summary?.mean ?? 0);
      expect(own / (expected[bound] - expected.mean)).toBeCloseTo(1, 3);
    }
    expect((summary?.standard_error ?? 0) / expected.standard_error).toBeCloseTo(1, 3);
  });
});
