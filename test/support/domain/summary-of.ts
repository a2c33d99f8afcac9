import type { Manifest } from '../../../engine/model/pack/manifest.ts';
import { findSupport } from '../../../engine/model/pack/property.ts';
import { findSummarisedBands } from '../../../engine/model/pack/summarised-bands.ts';
import { createNodeReader } from '../../../engine/raster/summary/raster-nodes.ts';
import { createBlockSummer } from '../../../engine/raster/summary/sum-cells.ts';
import { sumWithinJob } from '../../../engine/raster/summary/sum-within-job.ts';
import { summarise } from '../../../lambdas/domain/job/finishing/summarise-job.ts';
import { aManifest, aPack } from '../model/builders.ts';

type Json = ReturnType<typeof aManifest>;
type ErrorJson = NonNullable<Json['error']>;

const CELLS = { cols: 1, rows: 1 };

/** Mean, lower and upper value of a cell; null for nodata. */
export type Values = readonly [number, number, number] | null;

const quantileBand = (name: string, index: number, level: number): Json['bands'][number] => ({
  name,
  description: name,
  from: { kind: 'target', index, level },
});

/** Returns the manifest of a model that predicts a mean and its bounds. With `error`, fields have intervals. */
export async function manifestWith(error: Partial<ErrorJson> | null, changes: Partial<Json> = {}) {
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

/** Computes the summary of a rectangle from column 2.25 and row 1 to the given ends, in cells of 10 m. */
export async function computeSummary(
  manifest: Manifest,
  [east, south]: readonly [number, number],
  valueAt: (col: number, row: number) => Values,
) {
  const { grid } = manifest;
  const bands = findSummarisedBands(manifest);
  if (bands === null) throw new Error('no mean');
  const block = { col: 0, row: 0, width: 20, height: 16 };
  const [west, north] = [2.25, 1];
  const ring = [west, north, east, north, east, south, west, south, west, north];
  const projected = { rings: [Float64Array.from(ring)], partOfRing: [0], isHole: [false] };
  const { mean, errors } = bands;
  const summer = createBlockSummer({
    ...{ projected, grid, block, mean, window: block, bands: 3, nodata: manifest.nodata },
    support: findSupport(manifest),
    errors: errors && { ...errors, edges: CELLS },
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
    readInto: async (_ref: string, offset: number, into: Uint8Array) => {
      into.set(bytes.subarray(offset, offset + into.length));
    },
  };
  const stored = sums.errors === null ? [] : [{ ref: 'one', offset: 0, errors: sums.errors }];
  const hectares = ((east - west) * (south - north)) / 100;
  const correlated =
    errors === null
      ? null
      : await sumWithinJob(
          createNodeReader(stored, CELLS, { window: block, grid, source }),
          errors.correlation,
        );
  return summarise(manifest, {
    ...{ hectares, isPartlyOutside: false, sums: [sums], correlated },
    cells: { count: belongs.length, min: 1, max: 3, mean: 2, squaredDeviations: 9 },
  });
}
