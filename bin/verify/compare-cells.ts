import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { emptySamples } from '#engine/model/pack/samples.ts';
import { predictWindow } from '#engine/model/predict-window.ts';
import { transformOf } from '#engine/projection/transform.ts';
import { type Grid, type Window, windowOrigin } from '#engine/raster/grid/grid.ts';
import { cellMask } from '#engine/raster/grid/plan.ts';
import { projectPolygon } from '#engine/raster/grid/project.ts';
import { pick, type Sampling } from './pick.ts';
import type { Layout, Piece } from './pieces.ts';
import type { StoredRaster } from './stored-raster.ts';

/** A cell that is not as predicted. Numbers as stored, before scale and offset; one for each band. */
export interface Difference {
  readonly where: 'inside' | 'outside';
  /** From the raster's first cell. */
  readonly column: number;
  readonly row: number;
  /** The cell's centre in WGS84 degrees. */
  readonly lon: number;
  readonly lat: number;
  readonly expected: readonly number[];
  readonly found: readonly number[];
}

export interface CellComparison {
  /** Cells of the polygon, and how many of them were compared. */
  readonly inside: number;
  readonly comparedInside: number;
  readonly outside: number;
  readonly comparedOutside: number;
  readonly differences: readonly Difference[];
}

/**
 * Predicts random cells of the polygon again, with the code that predicted them, and compares all bands
 * bit by bit. Random cells outside the polygon must be nodata in all bands.
 * @throws CovariateUnavailable, CommandError
 */
export async function compareCells(
  pack: Pack,
  polygon: MultiPolygonRings,
  layout: Layout,
  raster: Pick<StoredRaster, 'read'>,
  sampling: Sampling,
): Promise<CellComparison> {
  const inside = layout.plan.pointCount;
  const outside = layout.width * layout.height - inside;
  const picked = {
    inside: pick(sampling, inside, 'inside'),
    outside: pick(sampling, outside, 'outside'),
  };
  const comparer = pieceComparer(pack, polygon, layout, raster);
  const differences: Difference[] = [];
  let [insideBefore, outsideBefore] = [0, 0];
  for (const piece of layout.pieces) {
    const outsidePiece = piece.width * piece.height - piece.inside;
    const ranks = {
      inside: picked.inside.within(insideBefore, piece.inside),
      outside: picked.outside.within(outsideBefore, outsidePiece),
    };
    insideBefore += piece.inside;
    outsideBefore += outsidePiece;
    if (ranks.inside.length + ranks.outside.length === 0) continue;
    differences.push(...(await comparer(piece, ranks)));
  }
  return {
    inside,
    comparedInside: picked.inside.count,
    outside,
    comparedOutside: picked.outside.count,
    differences,
  };
}

/** Which of a piece's cells to compare, counted among those inside and among those outside. */
interface Ranks {
  readonly inside: readonly number[];
  readonly outside: readonly number[];
}

/** Counted from a piece's, or from the raster's, first cell. */
interface Cell {
  readonly column: number;
  readonly row: number;
}

function pieceComparer(
  pack: Pack,
  polygon: MultiPolygonRings,
  { plan, dependsOnOthers }: Layout,
  raster: Pick<StoredRaster, 'read'>,
): (piece: Piece, ranks: Ranks) => Promise<readonly Difference[]> {
  const { grid, bands, raster: stored, nodata } = pack.manifest;
  const projected = projectPolygon(polygon, grid);
  const positionOf = cellCentre(grid, plan.window);
  const nothing = Array.from(emptySamples(stored.sample_type, bands.length, nodata));
  return async (piece, ranks) => {
    const window = plannedPart(piece, plan.window);
    const mask = cellMask(projected, window, plan);
    const cells = chosenCells(piece, ranks, window, mask);
    const predicted = await predictionsOf(
      pack,
      window,
      cells.inside,
      dependsOnOthers ? mask : null,
    );
    const read = await raster.read(piece);

    const differenceAt = (
      where: Difference['where'],
      { column, row }: Cell,
      expected: readonly number[],
    ): readonly Difference[] => {
      const found = bandsAt(read, row * piece.width + column, bands.length);
      // Tells 0 from −0, which `===` does not.
      if (found.every((number, band) => Object.is(number, expected[band]))) return [];
      const at = { column: piece.col + column, row: piece.row + row };
      return [{ where, ...at, ...positionOf(at), expected, found }];
    };
    return [
      ...cells.inside.flatMap((cell) => differenceAt('inside', cell, predicted(cell))),
      ...cells.outside.flatMap((cell) => differenceAt('outside', cell, nothing)),
    ];
  };
}

/** A piece without the padding to the east and south of the window, in cells of the grid. */
function plannedPart(piece: Piece, window: Window): Window {
  return {
    col: window.col + piece.col,
    row: window.row + piece.row,
    width: Math.min(piece.width, window.width - piece.col),
    height: Math.min(piece.height, window.height - piece.row),
  };
}

function chosenCells(piece: Piece, ranks: Ranks, window: Window, mask: Uint8Array) {
  const inside: Cell[] = [];
  const outside: Cell[] = [];
  for (let row = 0; row < piece.height; row += 1) {
    for (let column = 0; column < piece.width; column += 1) {
      const isPlanned = column < window.width && row < window.height;
      const isInside = isPlanned && mask[row * window.width + column] === 1;
      (isInside ? inside : outside).push({ column, row });
    }
  }
  return {
    inside: ranks.inside.flatMap((rank) => inside[rank] ?? []),
    outside: ranks.outside.flatMap((rank) => outside[rank] ?? []),
  };
}

/**
 * @param all the cells to predict together; null: only those given
 * @returns the stored numbers of a cell, one for each band
 */
async function predictionsOf(
  pack: Pack,
  window: Window,
  cells: readonly Cell[],
  all: Uint8Array | null,
): Promise<(cell: Cell) => readonly number[]> {
  const at = ({ column, row }: Cell): number => row * window.width + column;
  const wanted = all ?? new Uint8Array(window.width * window.height);
  if (all === null) for (const cell of cells) wanted[at(cell)] = 1;
  const { cells: predicted } =
    cells.length === 0 ? { cells: [] } : await predictWindow(pack, window, wanted);
  return (cell) => bandsAt(predicted, at(cell), pack.manifest.bands.length);
}

function bandsAt(cells: ArrayLike<number>, cell: number, bands: number): readonly number[] {
  return Array.from({ length: bands }, (_, band) => cells[cell * bands + band] ?? Number.NaN);
}

function cellCentre(
  grid: Grid,
  window: Window,
): (cell: Cell) => { readonly lon: number; readonly lat: number } {
  const transform = transformOf(grid);
  const [west, north] = windowOrigin(window, grid);
  return ({ column, row }) => {
    const xy = [west + (column + 0.5) * grid.cell_size, north - (row + 0.5) * grid.cell_size];
    const [lon, lat] = transform.inverse([xy[0] ?? 0, xy[1] ?? 0]);
    // On a grid across the antimeridian longitudes go on past 180.
    return { lon: lon > 180 ? lon - 360 : lon, lat };
  };
}
