import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { createEmptySamples, type Samples } from '#engine/model/pack/samples.ts';
import { predictStrips } from '#engine/model/predict-window.ts';
import type { Window } from '#engine/raster/grid/grid.ts';
import { type CellPlan, drawCellMask } from '#engine/raster/grid/plan.ts';
import { projectPolygon } from '#engine/raster/grid/project.ts';
import type { StoredRaster } from './stored-raster.ts';

/** A cell that differs from its prediction. Numbers are as stored, before scale and offset, one per band. */
interface Difference {
  /** The column, counted from the raster's first cell; rows are counted in the same way. */
  readonly column: number;
  readonly row: number;
  readonly expected: readonly number[];
  readonly found: readonly number[];
}

export interface CellComparison {
  readonly compared: number;
  readonly inside: number;
  readonly differing: number;
  readonly first: readonly Difference[];
}

const DIFFERENCES_SHOWN = 20;

/**
 * Predicts each block as the job did, with the same calls of the model, and compares all bands exactly. Cells outside
 * the polygon must be nodata.
 * @throws CovariateUnavailable, CommandError
 */
export async function compareCells(
  pack: Pack,
  polygon: MultiPolygonRings,
  plan: CellPlan,
  raster: Pick<StoredRaster, 'width' | 'height' | 'readWindow'>,
): Promise<CellComparison> {
  const { tile_size } = pack.manifest.grid;
  const edge = plan.blockTiles * tile_size;
  let differing = 0;
  const first: Difference[] = [];
  for (let row = 0; row < raster.height; row += edge) {
    for (let col = 0; col < raster.width; col += edge) {
      const part = {
        col,
        row,
        width: Math.min(edge, raster.width - col),
        height: Math.min(edge, raster.height - row),
      };
      const expected = await predictPart(pack, polygon, plan, part);
      for (const difference of listDifferences(part, expected, await raster.readWindow(part))) {
        differing += 1;
        if (first.length < DIFFERENCES_SHOWN) first.push(difference);
      }
    }
  }
  return { compared: raster.width * raster.height, inside: plan.pointCount, differing, first };
}

/** The cells of the block in this part, if a block lies there, and nodata around them. */
async function predictPart(
  pack: Pack,
  polygon: MultiPolygonRings,
  plan: CellPlan,
  part: Window,
): Promise<Samples> {
  const { grid, bands, raster, nodata } = pack.manifest;
  const expected = createEmptySamples(
    raster.sample_type,
    part.width * part.height * bands.length,
    nodata,
  );
  const [left, top] = [plan.window.col + part.col, plan.window.row + part.row];
  const block = plan.blocks.find(({ col, row }) => col === left && row === top);
  if (block === undefined) return expected;
  const projected = projectPolygon(polygon, grid);
  const drawMask = (strip: Window) => drawCellMask(projected, strip, plan);
  for await (const { window, cells } of predictStrips(pack, block, drawMask)) {
    const across = window.width * bands.length;
    for (let row = 0; row < window.height; row += 1) {
      const start = (window.row - top + row) * part.width + (window.col - left);
      expected.set(cells.subarray(row * across, (row + 1) * across), start * bands.length);
    }
  }
  return expected;
}

function* listDifferences(
  part: Window,
  expected: ArrayLike<number>,
  found: ArrayLike<number>,
): Generator<Difference> {
  const cells = part.width * part.height;
  const bands = expected.length / cells;
  for (let cell = 0; cell < cells; cell += 1) {
    const bandsOf = (samples: ArrayLike<number>) =>
      Array.from({ length: bands }, (_, band) => samples[cell * bands + band] ?? Number.NaN);
    let same = true;
    for (let band = 0; same && band < bands; band += 1) {
      // `Object.is` distinguishes 0 from −0; `===` does not.
      same = Object.is(expected[cell * bands + band], found[cell * bands + band]);
    }
    if (same) continue;
    const [column, row] = [
      part.col + (cell % part.width),
      part.row + Math.floor(cell / part.width),
    ];
    yield { column, row, expected: bandsOf(expected), found: bandsOf(found) };
  }
}
