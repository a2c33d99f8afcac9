import { describe, expect, it } from 'vitest';
import type { BodySize } from '../../../../lambdas/domain/admission/request-rate.ts';
import { finishBatch } from '../../../../lambdas/domain/batch/finish-batch.ts';
import { retryBatch } from '../../../../lambdas/domain/batch/retry-batch.ts';
import { jobIdOf } from '../../../../lambdas/domain/identity.ts';
import { readTotal } from '../../../../lambdas/domain/total/read-total.ts';
import { aBox } from '../../../support/box.ts';
import { aDeployment, type Deployment, postBatch } from '../../../support/domain/deployment.ts';
import { FIELD, TINY, UTRECHT } from '../../../support/domain/polygons.ts';
import { readCompletedRecord, runJob } from '../../../support/domain/run-job.ts';
import { makePartialBatch } from '../batch/partial-batch.ts';

async function finishBatchOf(
  deployment: Deployment,
  batchId: string,
  polygons: readonly unknown[],
  years: readonly number[] = [],
  properties: readonly Readonly<Record<string, unknown>>[] = [],
) {
  const jobs = polygons.map((polygon, index) => ({
    ...{ polygon, year: years[index] ?? 2024 },
    ...(properties[index] !== undefined && { properties: properties[index] }),
  }));
  const batch = await postBatch(deployment, jobs, { batch_id: batchId });
  for (const index of jobs.keys()) await runJob(deployment, batchId, index);
  await finishBatch(deployment, batchId);
  return (await deployment.batches.readBatch(batchId)) ?? batch;
}

const FIRST = '01a1fd7e-7d08-73d2-96ae-b256a1f55901';
const SECOND = '01a1fd7e-7d08-73d2-96ae-b256a1f55902';
const WHOLE = '01a1fd7e-7d08-73d2-96ae-b256a1f55903';

const WEST = 5.7365;
const SOUTH = 50.9664;
/** A field of about 2.1 ha in a grid of adjacent fields. */
const field = (col: number, row: number) => {
  const [west, south] = [WEST + col * 0.002, SOUTH + row * 0.00135];
  return aBox(west, south, west + 0.002, south + 0.00135);
};
const NEIGHBOURS = [0, 1, 2].flatMap((col) => [0, 1, 2].map((row) => field(col, row)));
/** The neighbours, joined, because polygons of a MultiPolygon may not share borders. */
const JOINED = aBox(WEST, SOUTH, WEST + 3 * 0.002, SOUTH + 3 * 0.00135);
const FAR = aBox(5.755, 50.983, 5.7575, 50.985);
/** A field of 3 m by 3 m, next to the neighbours. */
const SPECK = aBox(5.74252, 50.96702, 5.74256, 50.96705);

const chargeNothing = async () => undefined;

const multi = (polygons: readonly { coordinates: unknown }[]) => ({
  type: 'MultiPolygon',
  coordinates: polygons.map(({ coordinates }) => coordinates),
});

describe('the total of several fields', () => {
  it("equals, for each stratum, a total of only the stratum's fields", async () => {
    const deployment = aDeployment();
    const soils = ['clay', 'sand', 'clay', 'sand', 'clay', 'sand', 'clay', 'sand', 'clay'];
    const ofSoil = (soil: string) => NEIGHBOURS.filter((_, index) => soils[index] === soil);
    const properties = soils.map((soil) => ({ soil }));
    const whole = await finishBatchOf(deployment, WHOLE, NEIGHBOURS, [], properties);
    const clay = await finishBatchOf(deployment, FIRST, ofSoil('clay'));
    const sand = await finishBatchOf(deployment, SECOND, ofSoil('sand'));
    const { totals, refused } = await readTotal(deployment, [whole], chargeNothing, { by: 'soil' });
    expect(refused).toBeNull();
    const alone = await Promise.all(
      [clay, sand].map(
        async (batch) => (await readTotal(deployment, [batch], chargeNothing)).totals[0],
      ),
    );
    expect(totals[0]?.strata.map(({ value, total }) => ({ value, total }))).toEqual([
      { value: 'clay', total: alone[0]?.total },
      { value: 'sand', total: alone[1]?.total },
    ]);
    const unsplit = (await readTotal(deployment, [whole], chargeNothing)).totals[0];
    expect(unsplit?.strata).toEqual([]);
    expect(totals[0]?.total).toEqual(unsplit?.total);
  });

  it('agrees with that of a single MultiPolygon, even if the fields are in two batches', async () => {
    const deployment = aDeployment();
    const fields = [...NEIGHBOURS, FAR, SPECK];
    const batches = [
      await finishBatchOf(deployment, FIRST, fields.slice(0, 4)),
      await finishBatchOf(deployment, SECOND, fields.slice(4)),
    ];
    await finishBatchOf(deployment, WHOLE, [multi([JOINED, FAR, SPECK])]);
    const whole = (await readCompletedRecord(deployment, WHOLE)).summary;
    const sizes: BodySize[] = [];
    const { totals, leftOut } = await readTotal(deployment, batches, async (size) => {
      sizes.push(size);
    });
    const entries = await Promise.all(
      [FIRST, SECOND].map((batchId) => deployment.jobRequests.entries(batchId)),
    );
    const bodyBytes = entries.flat().reduce((sum, { length }) => sum + length, 0);
    expect(sizes).toEqual([{ jobs: fields.length, bodyBytes }]);
    expect(leftOut).toEqual([]);
    expect(totals).toHaveLength(1);
    const [{ total, jobs } = { total: null, jobs: [] }] = totals;
    expect(jobs).toHaveLength(fields.length);
    expect(total?.predictedHectares).toBeCloseTo(whole?.predicted_area_ha ?? 0, 3);
    // A cell on the border of two fields counts only with its part in one of them, but counts whole in the
    // joined field.
    expect(Math.abs((total?.mean ?? 0) / (whole?.mean ?? 1) - 1)).toBeLessThan(1e-3);
    for (const side of ['lower', 'upper'] as const) {
      const half = (total?.interval?.[side] ?? 0) - (total?.mean ?? 0);
      const expected = (whole?.[side] ?? 0) - (whole?.mean ?? 0);
      expect(Math.abs(half / expected - 1)).toBeLessThan(0.005);
    }
  });

  it('lists failed jobs with the reason, and has an interval without them', async () => {
    const deployment = aDeployment();
    const batch = await finishBatchOf(deployment, FIRST, [FIELD, UTRECHT, TINY]);
    const { totals, leftOut } = await readTotal(deployment, [batch], chargeNothing);
    expect(leftOut).toMatchObject([
      { index: 1, reason: 'failed', code: 'outside_coverage', hectares: expect.any(Number) },
    ]);
    expect(totals[0]?.total.interval).not.toBeNull();
    expect(totals[0]?.missing).toBeNull();
  });

  it('has the interval of one field for a field that was sent twice, and reports the pair', async () => {
    const deployment = aDeployment();
    const batch = await finishBatchOf(deployment, FIRST, [field(0, 0), field(0, 0)]);
    const summary = (await readCompletedRecord(deployment, FIRST)).summary;
    const [{ total, overlaps } = { total: null, overlaps: null }] = (
      await readTotal(deployment, [batch], chargeNothing)
    ).totals;
    expect(overlaps).toEqual([
      { pair: [0, 1], hectares: expect.closeTo(summary?.area_ha ?? 0, 3) },
    ]);
    expect(total?.hectares).toBeCloseTo(2 * (summary?.area_ha ?? 0), 2);
    const relative = (total?.interval?.standardError ?? 0) / (summary?.standard_error ?? 1);
    expect(Math.abs(relative - 1)).toBeLessThan(0.005);
  });

  it('is separate for each year if a static model predicts a field for two years', async () => {
    const deployment = aDeployment();
    const years = [2023, 2024, 2024];
    const batch = await finishBatchOf(
      deployment,
      FIRST,
      [field(0, 0), field(0, 0), field(0, 0)],
      years,
    );
    const { totals } = await readTotal(deployment, [batch], chargeNothing);
    expect(totals.map(({ jobs }) => jobs.map(({ year }) => year))).toEqual([[2023], [2024, 2024]]);
    expect(totals.map(({ overlaps }) => overlaps)).toMatchObject([[], [{ pair: [0, 1] }]]);
    const apart = await finishBatchOf(deployment, SECOND, [field(0, 0), field(1, 1)], [2023, 2024]);
    expect((await readTotal(deployment, [apart], chargeNothing)).totals).toHaveLength(1);
  });

  it('has no interval while a batch runs', async () => {
    const deployment = aDeployment();
    const jobs = [FIELD, TINY].map((polygon) => ({ polygon, year: 2024 }));
    const batch = await postBatch(deployment, jobs, { batch_id: FIRST });
    await runJob(deployment, FIRST, 0);
    const { totals, leftOut, finished } = await readTotal(deployment, [batch], chargeNothing);
    expect(finished).toBe(false);
    expect(totals[0]).toMatchObject({ missing: { kind: 'unfinished' }, total: { interval: null } });
    expect(leftOut).toMatchObject([{ index: 1, reason: 'unfinished' }]);
  });
});

describe('the total of a batch and its retry', () => {
  it('counts a retried job only once, in the retry', async () => {
    const { deployment, tenant, batchId } = await makePartialBatch();
    const original = await deployment.batches.readBatch(batchId);
    const retry = await retryBatch(deployment, tenant, batchId);
    if (original === null || retry.kind !== 'accepted') throw new Error('no retry');
    const batches = [original, retry.batch];
    const { leftOut, excludedJobs } = await readTotal(deployment, batches, chargeNothing);
    expect(excludedJobs).toBe(2);
    const again = [0, 1].map((index) => ({ batchId: retry.batch.batch_id, index }));
    // Of these jobs, the completed job has no mean; both others are run again.
    expect(leftOut).toMatchObject([{ batchId, index: 0, reason: 'no-mean' }, ...again]);
    const exclude = new Set([jobIdOf(batchId, 0)]);
    const without = await readTotal(deployment, batches, chargeNothing, { exclude });
    expect(without.leftOut).toMatchObject(again);
    expect(without.excludedJobs).toBe(3);
  });
});

describe('a finished batch', () => {
  it("stores its jobs' prediction errors once, even if it is finished again", async () => {
    const deployment = aDeployment();
    const { batch_id: batchId } = await finishBatchOf(deployment, FIRST, [FIELD, TINY]);
    const kept = await deployment.batchPredictionErrors.read(batchId);
    await finishBatch(deployment, batchId);
    expect(await deployment.batchPredictionErrors.read(batchId)).toEqual(kept);
    expect(kept?.length).toBeGreaterThan(0);
  });
});
