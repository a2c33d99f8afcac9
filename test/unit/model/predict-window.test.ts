import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRegressor } from '../../../engine/model/load-regressor.ts';
import { loadPack, type Pack } from '../../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../../engine/model/pack/pack-folder.ts';
import { type CellWindow, predictWindow } from '../../../engine/model/predict-window.ts';
import { aManifest, aPack } from '../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../support/model/geotiff-file.ts';

const forest = readFileSync(new URL('../../fixtures/onnx/forest.onnx', import.meta.url));
const slope = cellsOf((col, row) => Math.sin(col) + row / 30);
const clay = cellsOf((col, row) => (row === 4 ? -9999 : Math.cos(row * col)));
const contents = {
  'forest.onnx': forest,
  'slope.tif': aGeoTiff({ values: slope }),
  'clay.tif': aGeoTiff({ values: clay, nodata: '-9999' }),
};
const window = { col: 1, row: 3, width: 3, height: 3 };

function all({ width, height }: CellWindow): Uint8Array {
  return new Uint8Array(width * height).fill(1);
}

describe('a window of a pack', () => {
  it("contains the regressor's targets for each cell, in band order", async () => {
    const pack = await aPack(aManifest(), contents);
    const { cells } = await predictWindow(pack, window, all(window));
    const at = 5 * 40 + 2;
    const features = Float32Array.of(slope[at] ?? 0, clay[at] ?? 0, 500025, 5599945);
    const targets = new Float32Array(2);
    await (await loadRegressor(pack)).predict(features, 1, targets);
    const cell = (2 * window.width + 1) * 2;
    expect([...cells.subarray(cell, cell + 2)]).toEqual([targets[1], targets[0]]);
  });

  it('contains nodata in every band where a covariate is missing, and counts the other cells', async () => {
    const pack = await aPack(aManifest(), contents);
    const { cells, predicted } = await predictWindow(pack, window, all(window));
    expect(predicted).toBe(6);
    expect([...cells].map((value) => value === -9999)).toEqual(
      Array.from({ length: 18 }, (_, i) => Math.floor(i / 6) === 1),
    );
  });

  it('contains nodata outside the mask', async () => {
    const pack = await aPack(aManifest(), contents);
    const inside = Uint8Array.of(1, 0, 0, 1, 1, 1, 0, 0, 255);
    const { cells, predicted } = await predictWindow(pack, window, inside);
    expect(predicted).toBe(2);
    const filled = Array.from({ length: 9 }, (_, i) => cells[i * 2] !== -9999);
    expect(filled).toEqual([true, false, false, false, false, false, false, false, true]);
  });

  it('reads no covariates where the mask is empty', async () => {
    const pack = await aPack(aManifest(), { 'forest.onnx': forest });
    const { predicted } = await predictWindow(pack, window, new Uint8Array(9));
    expect(predicted).toBe(0);
  });

  it('has the same values in its cells as the whole grid, whatever its position, size and mask', async () => {
    const pack = await aPack(aManifest(), contents);
    const whole = { col: 0, row: 0, width: 40, height: 30 };
    const { cells } = await predictWindow(pack, whole, all(whole));
    const drawn = fc
      .tuple(
        fc.nat(39),
        fc.nat(29),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 30 }),
      )
      .chain(([col, row, most, high]) => {
        const [width, height] = [Math.min(most, 40 - col), Math.min(high, 30 - row)];
        const size = { minLength: width * height, maxLength: width * height };
        return fc.record({
          part: fc.constant({ col, row, width, height }),
          mask: fc.uint8Array({ ...size, max: 1 }),
        });
      });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ part, mask }) => {
        const found = await predictWindow(pack, part, mask);
        for (const [i, inside] of mask.entries()) {
          const col = part.col + (i % part.width);
          const at = ((part.row + Math.floor(i / part.width)) * 40 + col) * 2;
          const expected = inside ? [...cells.subarray(at, at + 2)] : [-9999, -9999];
          expect([...found.cells.subarray(i * 2, i * 2 + 2)]).toEqual(expected);
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    [{ col: 38, row: 0, width: 3, height: 1 }, '40 × 30 cells'],
    [{ col: -1, row: 0, width: 1, height: 1 }, '40 × 30 cells'],
    [{ col: 0.5, row: 0, width: 1, height: 1 }, '40 × 30 cells'],
  ])('is rejected unless it consists of whole cells of the grid: %o', async (outside, message) => {
    const pack = await aPack(aManifest(), contents);
    await expect(predictWindow(pack, outside, new Uint8Array(3))).rejects.toThrow(message);
  });

  it('is rejected with a mask of another size', async () => {
    const pack = await aPack(aManifest(), contents);
    const prediction = predictWindow(pack, window, new Uint8Array(8));
    await expect(prediction).rejects.toThrow(/8 cells.* 9$/);
  });
});

describe('cells outside the training range', () => {
  const whole = { col: 0, row: 0, width: 40, height: 30 };
  /** Clay is missing in one row, which has no prediction. */
  const rowsWithData = 29;
  const classes = cellsOf((col) => col % 4);
  const outsideIn = async (
    part: CellWindow,
    [slopeChanges, xChanges]: readonly [slope: object, x: object],
    values: readonly number[] = slope,
  ) => {
    const [first, clayEntry, x, y] = aManifest().covariates;
    const covariates = [{ ...first, ...slopeChanges }, clayEntry, { ...x, ...xChanges }, y];
    const files = { ...contents, 'slope.tif': aGeoTiff({ values }) };
    const pack = await aPack({ ...aManifest(), covariates } as ReturnType<typeof aManifest>, files);
    return (await predictWindow(pack, part, all(part))).outsideTraining;
  };

  it('are not counted if the manifest states no training range', async () => {
    expect(await outsideIn(whole, [{}, {}])).toBeNull();
  });

  it('are counted once, however many covariates leave their range, but not at its ends', async () => {
    const x = { trained_range: [500005, 500005 + 29 * 10] };
    expect(await outsideIn(whole, [{}, x])).toBe(10 * rowsWithData);
    const everywhere = { trained_range: [-5, 5] };
    expect(await outsideIn(whole, [everywhere, x])).toBe(10 * rowsWithData);
    expect(await outsideIn(whole, [{ trained_range: [7, 8] }, x])).toBe(40 * rowsWithData);
  });

  it('include cells with an unknown class', async () => {
    const known = { trained_classes: [0, 1, 3] };
    expect(await outsideIn(whole, [known, {}], classes)).toBe(10 * rowsWithData);
  });

  it('are compared as float32, the type of covariates', async () => {
    const values = cellsOf(() => 0.1);
    expect(await outsideIn(whole, [{ trained_range: [0.1, 0.1] }, {}], values)).toBe(0);
    expect(await outsideIn(whole, [{ trained_classes: [0.1] }, {}], values)).toBe(0);
  });

  it('add up over the parts of a window', async () => {
    const stated = [{ trained_range: [-0.4, 0.9] }, { trained_range: [500050, 500333] }] as const;
    const expected = await outsideIn(whole, stated);
    expect(expected).toBeGreaterThan(100);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 39 }),
        fc.integer({ min: 1, max: 29 }),
        async (col, row) => {
          const parts = [
            { col: 0, row: 0, width: col, height: 30 },
            { col, row: 0, width: 40 - col, height: row },
            { col, row, width: 40 - col, height: 30 - row },
          ];
          const counts = await Promise.all(parts.map((part) => outsideIn(part, stated)));
          expect(counts.reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(expected);
        },
      ),
      { numRuns: 8 },
    );
  });
});

describe('a model that does not fit its manifest', () => {
  it('is rejected if the graph has another number of targets', async () => {
    const manifest = aManifest({ graph: { href: 'forest.onnx', format: 'onnx', targets: 3 } });
    const prediction = predictWindow(await aPack(manifest, contents), window, all(window));
    await expect(prediction).rejects.toThrow(/2 targets.* 3$/);
  });

  it('is rejected if the graph uses features that are not covariates', async () => {
    const covariates = aManifest().covariates.slice(0, 2);
    const prediction = predictWindow(
      await aPack(aManifest({ covariates }), contents),
      window,
      all(window),
    );
    await expect(prediction).rejects.toThrow(/feature [23]:/);
  });
});

interface ReferenceCell {
  readonly column: number;
  readonly row: number;
  readonly nodata?: boolean;
  readonly mean?: number;
  readonly q05?: number;
  readonly q95?: number;
}

// models/meuse-soc/build/reference.json: ONNX Runtime in Python on the same rasters.
describe('the pack meuse-soc', () => {
  const folder = new URL('../../../models/meuse-soc/', import.meta.url).pathname;
  let pack: Pack;
  let reference: readonly ReferenceCell[] = [];
  beforeAll(async () => {
    pack = await loadPack(openPackFolder(folder));
    reference = JSON.parse(readFileSync(`${folder}build/reference.json`, 'utf8')).cells;
  });

  it("matches ONNX Runtime's mean and bounds to 1e-5 in every reference cell", async () => {
    const { width, height } = pack.manifest.grid;
    const inside = new Uint8Array(width * height);
    for (const { column, row } of reference) {
      inside[row * width + column] = 1;
    }
    const whole = { col: 0, row: 0, width, height };
    const { cells, predicted } = await predictWindow(pack, whole, inside);
    expect(reference.length).toBeGreaterThan(20);
    expect(predicted).toBe(reference.filter(({ nodata }) => !nodata).length);
    for (const cell of reference) {
      const at = (cell.row * width + cell.column) * 3;
      const values = [...cells.subarray(at, at + 3)];
      const expected = cell.nodata
        ? values.map(() => pack.manifest.nodata)
        : [cell.mean, cell.q05, cell.q95];
      const off = values.map((v, i) => Math.abs(v / (expected[i] ?? Number.NaN) - 1));
      expect(Math.max(...off), JSON.stringify({ cell, values })).toBeLessThanOrEqual(1e-5);
    }
  });
});
