import { openCovariateRaster } from '#engine/model/covariates/covariate-raster.ts';
import { readCovariates } from '#engine/model/covariates/covariates.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import type { GridCell, LonLat } from './covariates-at.ts';
import { createCellDescriber, type DescribedCell, predictCell } from './predicted-cell.ts';

/** Many cells are tried, because a pack may cover little of its grid. */
const CELLS_TRIED = 2_000;
const CELLS_TRIED_PER_CELL = 10;

export interface Sample {
  readonly cells: readonly DescribedCell[];
  readonly tried: number;
}

/**
 * Finds distinct cells with a prediction, the same ones in each run.
 * @param near null spreads the cells evenly over the grid
 */
export async function sampleCells(
  pack: Pack,
  count: number,
  near: GridCell | null = null,
): Promise<Sample> {
  const describe = createCellDescriber(pack);
  const cells: DescribedCell[] = [];
  let tried = 0;
  const most = Math.max(CELLS_TRIED, CELLS_TRIED_PER_CELL * count);
  for (const [col, row] of spreadCells(pack.manifest.grid, most, near)) {
    if (cells.length >= count) break;
    tried += 1;
    const values = await predictCell(pack, { col, row });
    if (values !== null) cells.push(describe({ col, row }, values));
  }
  return { cells, tried };
}

/** Returns the centres (WGS84) of at most `count` cells that have all covariates, spread evenly over the grid. */
export async function listMapCells(pack: Pack, count: number): Promise<readonly LonLat[]> {
  const describe = createCellDescriber(pack);
  const found: LonLat[] = [];
  for (const [col, row] of spreadCells(pack.manifest.grid, CELLS_TRIED_PER_CELL * count, null)) {
    if (found.length >= count) break;
    const values = await readCovariates(pack, { col, row, width: 1, height: 1 });
    const hasAll = values?.every(([value = Number.NaN]) => !Number.isNaN(value)) ?? false;
    if (hasAll) found.push(describe({ col, row }, null).lon_lat);
  }
  return found;
}

/** Edges, in cells, of the squares around a position in which cells are tried: a cell, a field, a tile. */
const NEAR_CELLS = [1, 16, 256];

/**
 * Yields at most `most` distinct cells, near a cell or spread over the grid. If `near` is null and the grid has at most
 * `most` cells, yields all of them.
 */
function* spreadCells(
  { width, height }: Pack['manifest']['grid'],
  most: number,
  near: GridCell | null,
): Generator<readonly [col: number, row: number]> {
  const seen = new Set<number>();
  const isNew = (col: number, row: number): boolean => {
    const size = seen.size;
    return seen.add(row * width + col).size > size;
  };
  for (const edge of near === null ? [] : NEAR_CELLS) {
    for (let i = 0; i < edge ** 2 && seen.size < most; i += 1) {
      const [across, down] = takeR2Point(i);
      const col = (near?.col ?? 0) + Math.floor((across - 0.5) * edge + 0.5);
      const row = (near?.row ?? 0) + Math.floor((down - 0.5) * edge + 0.5);
      const isOnGrid = col >= 0 && row >= 0 && col < width && row < height;
      if (isOnGrid && isNew(col, row)) yield [col, row];
    }
  }
  if (near !== null) return;
  for (let i = 0; i < most; i += 1) {
    const [across, down] = takeR2Point(i);
    const [col, row] = [Math.floor(across * width), Math.floor(down * height)];
    if (isNew(col, row)) yield [col, row];
  }
  if (width * height > most) return;
  for (let row = 0; row < height; row += 1) {
    for (let col = 0; col < width; col += 1) if (isNew(col, row)) yield [col, row];
  }
}

/**
 * Returns the names of rasters without a value in {@link CELLS_TRIED} cells spread over the grid; their georeference may
 * be wrong.
 */
export async function findAbsentCovariates(pack: Pack): Promise<readonly string[]> {
  const { grid, covariates } = pack.manifest;
  const absent: string[] = [];
  for (const covariate of covariates) {
    if (covariate.kind !== 'raster') continue;
    const raster = await openCovariateRaster(pack, covariate);
    let isFound = false;
    for (let i = 0; i < CELLS_TRIED && !isFound; i += 1) {
      const [across, down] = takeR2Point(i);
      const [col, row] = [Math.floor(across * grid.width), Math.floor(down * grid.height)];
      const [value = Number.NaN] = await raster.readWindow({ col, row, width: 1, height: 1 });
      isFound = !Number.isNaN(value);
    }
    if (!isFound) absent.push(covariate.name);
  }
  return absent;
}

/** Returns a point of Roberts's R2 sequence (2018), which is evenly distributed at any length. */
function takeR2Point(i: number): readonly [number, number] {
  const plastic = 1.324_717_957_244_746;
  return [(0.5 + i / plastic) % 1, (0.5 + i / plastic ** 2) % 1];
}
