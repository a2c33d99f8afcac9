import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../../engine/model/pack/manifest.ts';
import { supportOf } from '../../../../engine/model/pack/property.ts';
import { summarisedBands } from '../../../../engine/model/pack/summarised-bands.ts';
import { correlatedSum } from '../../../../engine/raster/summary/correlated-sum.ts';
import { storedNodes } from '../../../../engine/raster/summary/stored-nodes.ts';
import { blockSummer } from '../../../../engine/raster/summary/sum-block.ts';
import { summarise } from '../../../../lambdas/domain/job/finishing/summarise-job.ts';
import { aManifest, aPack } from '../../../support/model/builders.ts';

const cells = (count: number) => ({ count, min: 1, max: 3, mean: 2, squaredDeviations: count });

type Json = ReturnType<typeof aManifest>;
type ErrorJson = NonNullable<Json['error']>;

const Z = 1.6448536269514722;
const CELLS = { cols: 1, rows: 1 };

/** Mean, lower and upper of a cell; null for nodata. */
type Values = readonly [number, number, number] | null;

const quantileBand = (name: string, index: number, level: number): Json['bands'][number] => ({
  name,
  description: name,
  from: { kind: 'target', index, level },
});

async function manifestWith(error: Partial<ErrorJson> | null, changes: Partial<Json> = {}) {
  const bands = [
    { name: 'mean', description: 'mean', from: { kind: 'target' as const, index: 0 } },
    quantileBand('q05', 1, 0.05),
    quantileBand('q95', 1, 0.95),
  ];
  const correlation = { model: 'exponential' as const, nugget: 0.3, range_m: 50 };
  const declared = { lower: 'q05', upper: 'q95', correlation, how: 'by hand', command: 'none' };
  const { manifest } = await aPack(
    aManifest({
      bands,
      ...(error === null ? {} : { error: { ...declared, ...error } }),
      ...changes,
    }),
    {},
  );
  return manifest;
}

/** The summary of a rectangle from column 2.25 and row 1 to the given ends, in cells of 10 m. */
async function summaryOf(
  manifest: Manifest,
  [east, south]: readonly [number, number],
  valueAt: (col: number, row: number) => Values,
) {
  const { grid } = manifest;
  const bands = summarisedBands(manifest);
  if (bands === null) throw new Error('no mean');
  const block = { col: 0, row: 0, width: 20, height: 16 };
  const [west, north] = [2.25, 1];
  const ring = [west, north, east, north, east, south, west, south, west, north];
  const projected = { rings: [Float64Array.from(ring)], partOfRing: [0], isHole: [false] };
  const { mean, errors } = bands;
  const summer = blockSummer({
    ...{ projected, grid, block, mean, window: block, bands: 3, nodata: manifest.nodata },
    support: supportOf(manifest),
    errors: errors && { ...errors, shared: errors.z * errors.systematicRelativeSd, edges: CELLS },
  });
  const belongs = new Uint8Array(block.width * block.height);
  const cells = new Float64Array(belongs.length * 3).fill(manifest.nodata);
  for (let row = 0; row < block.height; row += 1) {
    for (let col = 0; col < block.width; col += 1) {
      const i = row * block.width + col;
      const inside = col + 0.5 > west && col + 0.5 < east && row + 0.5 > north && row + 0.5 < south;
      belongs[i] = inside ? 1 : 0;
      const values = inside ? valueAt(col, row) : null;
      if (values !== null) cells.set(values, i * 3);
    }
  }
  summer.addRows(block, cells, belongs);
  const { sums, nodes } = summer.finish(null);
  const bytes = Buffer.concat(nodes);
  const source = {
    read: async (_ref: string, offset: number, into: Uint8Array) => {
      into.set(bytes.subarray(offset, offset + into.length));
    },
  };
  const stored = sums.errors === null ? [] : [{ ref: 'one', offset: 0, errors: sums.errors }];
  const hectares = ((east - west) * (south - north)) / 100;
  const correlated =
    errors === null
      ? null
      : await correlatedSum(
          storedNodes(stored, CELLS, { window: block, grid, source }),
          errors.correlation,
        );
  return summarise(manifest, {
    ...{ hectares, isPartlyOutside: false, sums: [sums], correlated },
    cells: { count: belongs.length, min: null, max: null, mean: 0, squaredDeviations: 0 },
  });
}

const uneven = (col: number, row: number): Values => [
  40 + col,
  30 + col - (row % 3),
  55 + 2 * col + row,
];

describe('the interval of one cell', () => {
  it('is its own, whatever the correlation, and contains the shared error once', async () => {
    for (const error of [{}, { systematic_relative_sd: 0.1 }]) {
      const manifest = await manifestWith(error);
      const summary = await summaryOf(manifest, [3, 2], () => [40, 31, 52]);
      expect(summary).toMatchObject({ mean: 40, level: 0.9, method: 'correlated-errors/1' });
      expect(summary?.lower).toBeCloseTo(31, 4);
      expect(summary?.upper).toBeCloseTo(52, 4);
    }
  });

  it('is wider where its bounds are narrower than the shared error', async () => {
    const manifest = await manifestWith({ systematic_relative_sd: 0.1 });
    const summary = await summaryOf(manifest, [3, 2], () => [40, 39, 41]);
    expect(summary?.lower).toBeCloseTo(40 - Z * 4, 4);
  });
});

describe('the interval of a field', () => {
  const correlation = (nugget: number, range_m: number) => ({
    correlation: { model: 'exponential' as const, nugget, range_m },
  });
  /** The cells of columns 2 to 12 and rows 1 to 9; the first column counts for three quarters. */
  const cells = Array.from({ length: 11 * 9 }, (_, i) => {
    const [col, row] = [2 + (i % 11), 1 + Math.floor(i / 11)];
    const [mean = 0, low = 0, high = 0] = uneven(col, row) ?? [];
    return { weight: col === 2 ? 0.75 : 1, mean, lower: mean - low, upper: high - mean };
  });
  const total = cells.reduce((sum, { weight }) => sum + weight, 0);
  const mean = cells.reduce((sum, cell) => sum + (cell.weight / total) * cell.mean, 0);

  it('is that of independent cells with a nugget of 1', async () => {
    const manifest = await manifestWith(correlation(1, 50));
    const summary = await summaryOf(manifest, [13, 10], uneven);
    const half = Math.hypot(...cells.map(({ weight, lower }) => (weight / total) * lower));
    expect(summary?.mean).toBeCloseTo(mean, 3);
    expect(summary?.lower).toBeCloseTo(mean - half, 3);
  });

  it('is the mean of the bounds without a nugget and with an endless range', async () => {
    const manifest = await manifestWith(correlation(0, 1e9));
    const summary = await summaryOf(manifest, [13, 10], uneven);
    const half = cells.reduce((sum, { weight, upper }) => sum + (weight / total) * upper, 0);
    expect(summary?.upper).toBeCloseTo(mean + half, 3);
  });

  it('is at least as wide as the shared error', async () => {
    const manifest = await manifestWith({ ...correlation(1, 50), systematic_relative_sd: 0.05 });
    const wide = await summaryOf(manifest, [13, 10], uneven);
    expect(wide?.lower).toBeLessThan(mean * (1 - Z * 0.05));
  });

  it('does not go below 0 for a density', async () => {
    const manifest = await manifestWith(correlation(0, 1e9));
    const summary = await summaryOf(manifest, [13, 10], () => [1, -3, 5]);
    expect(summary).toMatchObject({ lower: 0, stock: { lower: 0 } });
    const property = { name: 'change', unit: 'K', depth_cm: [0, 20] as [number, number] };
    const signed = await manifestWith(correlation(0, 1e9), { property });
    expect((await summaryOf(signed, [13, 10], () => [1, -3, 5]))?.lower).toBeCloseTo(-3, 4);
  });

  it('is none without a declared correlation, and never the mean of the bounds', async () => {
    const { correlation: _, ...declared } = (await manifestWith({})).error ?? {};
    for (const error of [null, declared]) {
      const manifest = await manifestWith(null);
      const changed: Manifest = error === null ? manifest : { ...manifest, error: asError(error) };
      const none = { lower: null, upper: null, level: null, method: null };
      const summary = await summaryOf(changed, [13, 10], uneven);
      expect(summary).toMatchObject({ ...none, stock: { lower: null, upper: null } });
      expect(summary?.mean).toBeCloseTo(mean, 3);
    }
  });
});

/** One that starts at 1 and ends at 100. */
const distribution = { first_target: 1, thresholds: [5, 50], lower: 1, upper: 100 };

describe('a value that the property cannot have', () => {
  /** Eleven columns by nine rows. */
  const field = [13, 10] as const;

  it('is counted, and a mean of such values has an interval but no stock', async () => {
    const manifest = await manifestWith({});
    const summary = await summaryOf(manifest, field, (col) => [col < 4 ? 1 : -20, -30, 5]);
    expect(summary).toMatchObject({ impossible_point_count: 9 * 9, stock: null });
    expect(summary?.mean).toBeLessThan(-10);
    expect(summary?.lower).toBeLessThan(summary?.mean ?? 0);
  });

  it('is counted above the support of its distribution too, and not at its ends', async () => {
    const manifest = { ...(await manifestWith({})), distribution };
    const values = [0.5, 1, 50, 100, 100.5];
    const summary = await summaryOf(manifest, field, (col) => {
      const value = values[col - 2] ?? 50;
      return [value, value, value];
    });
    expect(summary).toMatchObject({ impossible_point_count: 2 * 9, outside_bounds_point_count: 0 });
    expect(summary?.stock).not.toBeNull();
  });

  it('is counted of a mean without an interval, as there are no bounds', async () => {
    const summary = await summaryOf(await manifestWith(null), field, () => [-1, 0, 0]);
    expect(summary).toMatchObject({ impossible_point_count: 11 * 9, lower: null });
    expect(summary).not.toHaveProperty('outside_bounds_point_count');
  });

  it('is not counted if a block was predicted before these were counted', async () => {
    const sums = { covered: 1, belonging: 1, predicted: 1, values: -1, errors: null };
    const job = { hectares: 1, isPartlyOutside: false, correlated: null, cells: cells(2) };
    const counted = { ...sums, impossible: 1 };
    const summary = summarise(await manifestWith(null), { ...job, sums: [counted, sums] });
    expect(summary).toMatchObject({ mean: -1 });
    expect(summary).not.toHaveProperty('impossible_point_count');
  });
});

describe('the share of the cells outside the training', () => {
  const sums = { covered: 1, belonging: 1, predicted: 1, values: 1, errors: null };
  const job = { hectares: 1, isPartlyOutside: false, correlated: null, cells: cells(8) };
  const shareOf = async (...blocks: readonly (number | undefined)[]) => {
    const counted = blocks.map((outsideTraining) =>
      outsideTraining === undefined ? sums : { ...sums, outsideTraining },
    );
    return summarise(await manifestWith(null), { ...job, sums: counted })?.outside_share;
  };

  it('is that of all blocks together, in any order', async () => {
    expect(await shareOf(1, 0, 2)).toBe(3 / 8);
    expect(await shareOf(2, 1, 0)).toBe(3 / 8);
    expect(await shareOf(0, 0)).toBe(0);
  });

  it('is not known if a block was predicted before they were counted', async () => {
    expect(await shareOf(1, undefined)).toBeUndefined();
  });
});

describe('a mean outside its own bounds', () => {
  it('is counted in each cell', async () => {
    const summary = await summaryOf(await manifestWith({}), [13, 10], (col) => {
      if (col === 2) return [40, 41, 50];
      return col === 3 ? [40, 30, 39] : [40, 40, 40];
    });
    expect(summary).toMatchObject({ outside_bounds_point_count: 2 * 9, impossible_point_count: 0 });
  });

  it('is inside the interval of the field, whatever the model predicts', async () => {
    const manifests = [
      await manifestWith({ systematic_relative_sd: 0.1 }),
      { ...(await manifestWith({})), distribution },
    ];
    const value = fc.integer({ min: -20, max: 120 });
    const cells = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...manifests), cells, async (manifest, values) => {
        const summary = await summaryOf(manifest, [5, 4], (col, row) => {
          return values[(col + 3 * row) % values.length] ?? null;
        });
        expect(summary?.lower).toBeLessThanOrEqual(summary?.mean ?? Number.NaN);
        expect(summary?.upper).toBeGreaterThanOrEqual(summary?.mean ?? Number.NaN);
      }),
    );
  });
});

function asError(error: object): NonNullable<Manifest['error']> {
  const { lower, upper, systematic_relative_sd, how, command } = Object(error);
  return { lower, upper, systematic_relative_sd, how, command };
}

describe('the area', () => {
  it('is reduced by nodata, and not by cells at the edge', async () => {
    const manifest = await manifestWith({});
    // Of the last column a quarter lies in the field and no centre.
    const whole = await summaryOf(manifest, [13.25, 10], uneven);
    expect(whole).toMatchObject({ area_ha: 0.99, predicted_area_ha: 0.99 });
    const half = await summaryOf(manifest, [13.25, 10], (col, row) =>
      col < 3 || row > 5 ? null : uneven(col, row),
    );
    const share = (10 * 5) / (10.75 * 9);
    expect(half?.predicted_area_ha).toBeCloseTo(0.99 * share, 6);
  });

  it('without any value gives no summary', async () => {
    expect(await summaryOf(await manifestWith({}), [13, 10], () => null)).toBeNull();
  });
});

describe('the stock', () => {
  it.each([
    ['kg/m3', 40 * 0.2 * 0.0075 * 10_000 * 0.001],
    ['kg m-3', 40 * 0.2 * 0.0075 * 10_000 * 0.001],
    ['kg/m³', 40 * 0.2 * 0.0075 * 10_000 * 0.001],
    ['t/ha', 40 * 0.0075],
    ['Mg ha-1', 40 * 0.0075],
  ])('of %s is in tonnes', async (unit, tonnes) => {
    const property = { name: 'carbon', unit, depth_cm: [10, 30] as [number, number] };
    const summary = await summaryOf(await manifestWith({}, { property }), [3, 2], () => [
      40, 30, 50,
    ]);
    expect(summary?.stock?.value).toBeCloseTo(tonnes, 6);
    expect(summary?.stock?.lower).toBeCloseTo((tonnes * 30) / 40, 5);
    expect(summary?.stock?.unit).toBe('t');
  });

  it.each(['g/kg', '%', '1', 'kg/m2', 'mg/m3'])('is none for %s', async (unit) => {
    const property = { name: 'carbon', unit, depth_cm: [10, 30] as [number, number] };
    const summary = await summaryOf(await manifestWith({}, { property }), [3, 2], () => [
      40, 30, 50,
    ]);
    expect(summary).toMatchObject({ unit, stock: null });
  });
});
