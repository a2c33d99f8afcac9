import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../../engine/model/pack/manifest.ts';
import { summarise } from '../../../../lambdas/domain/job/finishing/summarise-job.ts';
import { storedSummary } from '../../../../lambdas/domain/job/job-summary.ts';
import { computeSummary, manifestWith, type Values } from '../../../support/domain/summary-of.ts';

const Z = 1.6448536269514722;

const predictUneven = (col: number, row: number): Values => [
  40 + col,
  30 + col - (row % 3),
  55 + 2 * col + row,
];

describe('the interval of a single cell', () => {
  it("equals the cell's interval, whatever shared error and standardised_sd the model declares", async () => {
    const errors = [{}, { systematic_relative_sd: 0.1 }, { standardised_sd: 2 }];
    for (const error of [...errors, { systematic_relative_sd: 0.1, standardised_sd: 2 }]) {
      const manifest = await manifestWith(error);
      const summary = await computeSummary(manifest, [3, 2], () => [40, 31, 52]);
      expect(summary).toMatchObject({ mean: 40, level: 0.9, method: 'correlated-errors/3' });
      expect(summary?.lower).toBeCloseTo(31, 4);
      expect(summary?.upper).toBeCloseTo(52, 4);
    }
  });

  it("is widened if the cell's bounds are narrower than the shared error", async () => {
    const manifest = await manifestWith({ systematic_relative_sd: 0.1 });
    const summary = await computeSummary(manifest, [3, 2], () => [40, 39, 41]);
    expect(summary?.lower).toBeCloseTo(40 - Z * 4, 4);
  });
});

describe('the interval of a field', () => {
  const correlation = (nugget: number, range_m: number) => ({
    correlation: { model: 'exponential' as const, nugget, range_m },
  });
  /** The cells in columns 2 to 12 and rows 1 to 9; three quarters of each cell in the first column count. */
  const cells = Array.from({ length: 11 * 9 }, (_, i) => {
    const [col, row] = [2 + (i % 11), 1 + Math.floor(i / 11)];
    const [mean = 0, low = 0, high = 0] = predictUneven(col, row) ?? [];
    return { weight: col === 2 ? 0.75 : 1, mean, lower: mean - low, upper: high - mean };
  });
  const total = cells.reduce((sum, { weight }) => sum + weight, 0);
  const mean = cells.reduce((sum, cell) => sum + (cell.weight / total) * cell.mean, 0);

  it('matches independent cells for a nugget of 1, and is barely skewed', async () => {
    const manifest = await manifestWith(correlation(1, 50));
    const summary = await computeSummary(manifest, [13, 10], predictUneven);
    const sd = ({ lower, upper }: { readonly lower: number; readonly upper: number }): number =>
      Math.hypot(lower + upper, Math.sqrt(3) * (upper - lower)) / (2 * Z);
    const standardError = Math.hypot(...cells.map((cell) => (cell.weight / total) * sd(cell)));
    expect(summary?.mean).toBeCloseTo(mean, 3);
    expect(summary?.standard_error).toBeCloseTo(standardError, 3);
    const half = Z * standardError;
    expect(Math.abs(((summary?.lower ?? 0) - (mean - half)) / half)).toBeLessThan(0.06);
    expect(Math.abs(((summary?.upper ?? 0) - (mean + half)) / half)).toBeLessThan(0.06);
  });

  it('is wider by the factor standardised_sd, except for the shared error', async () => {
    const seOf = async (error: object): Promise<number> =>
      (await computeSummary(await manifestWith(error), [13, 10], predictUneven))?.standard_error ??
      0;
    const own = await seOf(correlation(0.3, 50));
    expect(await seOf({ ...correlation(0.3, 50), standardised_sd: 1.7 })).toBeCloseTo(1.7 * own, 3);
    // The error that all cells share is not widened.
    const shared = { ...correlation(0.3, 50), systematic_relative_sd: 0.05 };
    const rest = Math.sqrt((await seOf(shared)) ** 2 - (0.05 * mean) ** 2);
    const wider = await seOf({ ...shared, standardised_sd: 1.7 });
    expect(Math.sqrt(wider ** 2 - (0.05 * mean) ** 2)).toBeCloseTo(1.7 * rest, 3);
  });

  it("has the mean of the cells' upper bounds as its upper bound if there is no nugget and the range is very long", async () => {
    const manifest = await manifestWith(correlation(0, 1e9));
    const summary = await computeSummary(manifest, [13, 10], predictUneven);
    const half = cells.reduce((sum, { weight, upper }) => sum + (weight / total) * upper, 0);
    expect(summary?.upper).toBeCloseTo(mean + half, 3);
  });

  it('is at least as wide as the shared error', async () => {
    const manifest = await manifestWith({ ...correlation(1, 50), systematic_relative_sd: 0.05 });
    const wide = await computeSummary(manifest, [13, 10], predictUneven);
    expect(wide?.lower).toBeLessThan(mean * (1 - Z * 0.05));
  });

  it('does not go below 0 for a density', async () => {
    const manifest = await manifestWith(correlation(0, 1e9));
    const summary = await computeSummary(manifest, [13, 10], () => [1, -3, 5]);
    expect(summary).toMatchObject({ lower: 0, stock: { lower: 0 } });
    const property = { name: 'change', unit: 'K', depth_cm: [0, 20] as [number, number] };
    const signed = await manifestWith(correlation(0, 1e9), { property });
    expect((await computeSummary(signed, [13, 10], () => [1, -3, 5]))?.lower).toBeCloseTo(-3, 4);
  });

  it('has null bounds without a declared correlation', async () => {
    const { correlation: _, ...declared } = (await manifestWith({})).error ?? {};
    for (const error of [null, declared]) {
      const manifest = await manifestWith(null);
      const changed: Manifest = error === null ? manifest : { ...manifest, error: asError(error) };
      const none = { lower: null, upper: null, level: null, method: null };
      const summary = await computeSummary(changed, [13, 10], predictUneven);
      expect(summary).toMatchObject({ ...none, stock: { lower: null, upper: null } });
      expect(summary?.mean).toBeCloseTo(mean, 3);
    }
  });
});

describe('the area', () => {
  it('is reduced by nodata, but not by cells at the edge', async () => {
    const manifest = await manifestWith({});
    // A quarter of the last column lies in the field, but no cell centre does.
    const whole = await computeSummary(manifest, [13.25, 10], predictUneven);
    expect(whole).toMatchObject({ area_ha: 0.99, predicted_area_ha: 0.99 });
    const half = await computeSummary(manifest, [13.25, 10], (col, row) =>
      col < 3 || row > 5 ? null : predictUneven(col, row),
    );
    const share = (10 * 5) / (10.75 * 9);
    expect(half?.predicted_area_ha).toBeCloseTo(0.99 * share, 6);
  });

  it('is not given if no cell has a value, because there is no summary', async () => {
    expect(await computeSummary(await manifestWith({}), [13, 10], () => null)).toBeNull();
  });
});

describe('the stock', () => {
  it.each([
    ['kg/m3', 40 * 0.2 * 0.0075 * 10_000 * 0.001],
    ['kg m-3', 40 * 0.2 * 0.0075 * 10_000 * 0.001],
    ['kg/m³', 40 * 0.2 * 0.0075 * 10_000 * 0.001],
    ['t/ha', 40 * 0.0075],
    ['Mg ha-1', 40 * 0.0075],
  ])('is in tonnes for %s', async (unit, tonnes) => {
    const property = { name: 'carbon', unit, depth_cm: [10, 30] as [number, number] };
    const summary = await computeSummary(await manifestWith({}, { property }), [3, 2], () => [
      40, 30, 50,
    ]);
    expect(summary?.stock?.value).toBeCloseTo(tonnes, 6);
    expect(summary?.stock?.lower).toBeCloseTo((tonnes * 30) / 40, 5);
    expect(summary?.stock?.unit).toBe('t');
  });

  it.each(['g/kg', '%', '1', 'kg/m2', 'mg/m3'])('is null for %s', async (unit) => {
    const property = { name: 'carbon', unit, depth_cm: [10, 30] as [number, number] };
    const summary = await computeSummary(await manifestWith({}, { property }), [3, 2], () => [
      40, 30, 50,
    ]);
    expect(summary).toMatchObject({ unit, stock: null });
  });
});

function asError(error: object): NonNullable<Manifest['error']> {
  const { lower, upper, systematic_relative_sd, standardised_sd, how, command } = Object(error);
  return { lower, upper, systematic_relative_sd, standardised_sd, how, command };
}

it('a summary that an older method computed is still readable', async () => {
  const summary = await computeSummary(await manifestWith({}), [13, 10], predictUneven);
  const stored = { ...summary, method: 'correlated-errors/2' };
  expect(storedSummary.parse(stored).method).toBe('correlated-errors/2');
});

it('a job has no summary if its predicted area is smaller than a square micrometre', async () => {
  const manifest = await manifestWith(null);
  const cells = { count: 1, min: 1, max: 1, mean: 1, squaredDeviations: 0 };
  const summaryOfArea = (area: number) => {
    const areas = { covered: area, belonging: area, predicted: area, values: 40 * area };
    const sums = [{ ...areas, impossible: 0, errors: null }];
    const job = { hectares: area / 10_000, isPartlyOutside: false, correlated: null };
    return summarise(manifest, { ...job, sums, cells });
  };
  expect(summaryOfArea(1e-11)).toMatchObject({ area_ha: 1e-15, mean: 40 });
  for (const area of [1e-13, 1e-140, 5e-324]) expect(summaryOfArea(area)).toBeNull();
});
