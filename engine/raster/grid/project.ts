import type { MultiPolygonRings, Position, Ring } from '../../geometry/polygon.ts';
import { type Transform, transformOfGrid } from '../../projection/transform.ts';
import { findSurroundingBox, ringsWithin, unwrapLongitude } from './clip.ts';
import { columnsAround, type Grid, isGeographic } from './grid.ts';

/**
 * A polygon in cell space: fractional columns and rows, with (0, 0) at the outer corner of the grid's
 * first cell and rows from north to south. One array per ring: col, row, col, row, …, closed by
 * repeating the first pair. The even-odd rule applies, so shells and holes are not distinguished.
 */
export interface ProjectedPolygon {
  readonly rings: readonly Float64Array[];
}

/** A job's polygon. Its parts are the polygons of a GeoJSON MultiPolygon, counted from 0. */
export interface ProjectedParts extends ProjectedPolygon {
  readonly partOfRing: readonly number[];
  /** Whether each ring is a hole in its part. */
  readonly isHole: readonly boolean[];
}

/** Tolerance, in cells, for the distance between a straight WGS84 edge and its densified image. */
export const TOLERANCE_CELLS = 0.05;

/** An edge gets at most 2²⁰ segments. */
const MAX_DEPTH = 20;

/**
 * Drops rings that are not near the grid or have a position without an image; these may be all rings. Where the grid
 * crosses the antimeridian, longitudes continue past ±180 as the grid's do. On a global grid, columns may exceed the
 * last one, to keep parts on both sides of the seam together.
 */
export function projectPolygon(polygon: MultiPolygonRings, grid: Grid): ProjectedParts {
  const transform = transformOfGrid(grid);
  const toCell = createCellProjection(grid, transform);
  const box = findSurroundingBox(grid, transform);
  const rings: Float64Array[] = [];
  const partOfRing: number[] = [];
  const isHole: boolean[] = [];
  for (const [part, sent] of polygon.entries()) {
    for (const [i, whole] of sent.entries()) {
      for (const ring of box === null ? [whole] : ringsWithin(whole, box)) {
        const projected = projectRing(ring, toCell);
        if (projected === null) continue;
        rings.push(projected);
        partOfRing.push(part);
        isHole.push(i > 0);
      }
    }
  }
  const turn = columnsAround(grid);
  return { rings: turn === null ? rings : joinAcrossSeam(rings, turn), partOfRing, isHole };
}

/** The area without holes, in cells. */
export function areaInCells({ rings, isHole }: ProjectedParts): number {
  return rings.reduce((area, ring, i) => area + (isHole[i] ? -1 : 1) * ringAreaInCells(ring), 0);
}

function ringAreaInCells(ring: Float64Array): number {
  const [col0 = 0, row0 = 0] = ring;
  let doubled = 0;
  let [beforeCol, beforeRow] = [0, 0];
  for (let i = 2; i < ring.length; i += 2) {
    // Relative to the first position: the products of large columns and rows would lose digits of the area.
    const [col, row] = [(ring[i] ?? 0) - col0, (ring[i + 1] ?? 0) - row0];
    doubled += beforeCol * row - col * beforeRow;
    [beforeCol, beforeRow] = [col, row];
  }
  return Math.abs(doubled) / 2;
}

export function selectParts(
  projected: ProjectedParts,
  parts: ReadonlySet<number>,
): ProjectedPolygon {
  const { rings, partOfRing } = projected;
  return { rings: rings.filter((_, i) => parts.has(partOfRing[i] ?? -1)) };
}

export function createCellProjection(
  grid: Grid,
  transform: Transform,
): (lonLat: Position) => Position {
  const [west, north] = grid.origin;
  const geographic = isGeographic(grid);
  return (lonLat) => {
    const [found, y] = geographic
      ? transform.forward(lonLat)
      : mergeAntimeridian(lonLat, transform, grid);
    // A datum shift wraps longitudes to ±180.
    const x = geographic ? unwrapLongitude(found, lonLat[0]) : found;
    return [(x - west) / grid.cell_size, (north - y) / grid.cell_size];
  };
}

/** A distance in cells. */
const SAME_PLACE = 1e-6;

/**
 * A ring around a pole runs along the antimeridian twice, at 180 and at −180. Both runs must have
 * exactly the same image; otherwise a centre between them would be lost.
 */
function mergeAntimeridian(
  [lon, lat]: Position,
  { forward }: Transform,
  { cell_size }: Grid,
): Position {
  const place = forward([lon, lat]);
  if (lon !== -180) return place;
  const other = forward([180, lat]);
  const apart = Math.hypot(other[0] - place[0], other[1] - place[1]);
  return apart < SAME_PLACE * cell_size ? other : place;
}

function projectRing(ring: Ring, toCell: (lonLat: Position) => Position): Float64Array | null {
  const points: number[] = [];
  let from: Place | null = null;
  for (const lonLat of ring) {
    const to: Place = { lonLat, cell: toCell(lonLat) };
    if (!isFinitePair(to.cell)) return null;
    if (from === null) points.push(...to.cell);
    else densify(from, to, toCell, points, 0);
    from = to;
  }
  return Float64Array.from(points);
}

interface Place {
  readonly lonLat: Position;
  readonly cell: Position;
}

/**
 * Adds the points after `from`, up to and including `to`. Bisection gives the same points from both
 * ends, so two polygons that share an edge share all of its points.
 */
function densify(
  from: Place,
  to: Place,
  toCell: (lonLat: Position) => Position,
  points: number[],
  depth: number,
): void {
  const middle = projectMiddle(from, to, toCell);
  const quarters = [projectMiddle(from, middle, toCell), middle, projectMiddle(middle, to, toCell)];
  const straight = quarters.every(
    ({ cell }) => distanceToSegment(cell, from.cell, to.cell) <= TOLERANCE_CELLS,
  );
  if (straight || depth >= MAX_DEPTH || !isFinitePair(middle.cell)) {
    points.push(...to.cell);
    return;
  }
  densify(from, middle, toCell, points, depth + 1);
  densify(middle, to, toCell, points, depth + 1);
}

function projectMiddle(a: Place, b: Place, toCell: (lonLat: Position) => Position): Place {
  const lonLat: Position = [(a.lonLat[0] + b.lonLat[0]) / 2, (a.lonLat[1] + b.lonLat[1]) / 2];
  return { lonLat, cell: toCell(lonLat) };
}

function distanceToSegment(point: Position, a: Position, b: Position): number {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const length2 = dx * dx + dy * dy;
  const along = length2 === 0 ? 0 : ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / length2;
  const t = Math.min(Math.max(along, 0), 1);
  return Math.hypot(point[0] - a[0] - t * dx, point[1] - a[1] - t * dy);
}

function isFinitePair([x, y]: Position): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * On a grid that spans a turn of `turn` columns, moves the rings west of the widest gap east by that turn, so that
 * parts on both sides of the seam become adjacent. Moves no ring if the gap across the seam is at least as wide.
 */
function joinAcrossSeam(rings: readonly Float64Array[], turn: number): readonly Float64Array[] {
  const spans = rings.map(findColumnSpan).sort((a, b) => a.from - b.from);
  const [first] = spans;
  if (first === undefined) return rings;
  let end = first.to;
  let widest = { gap: 0, until: Number.NEGATIVE_INFINITY };
  for (const { from, to } of spans) {
    if (from - end > widest.gap) widest = { gap: from - end, until: from };
    end = Math.max(end, to);
  }
  const gapOverSeam = first.from + turn - end;
  if (widest.gap <= gapOverSeam) return rings;
  return rings.map((ring) =>
    findColumnSpan(ring).from < widest.until
      ? ring.map((at, i) => (i % 2 === 0 ? at + turn : at))
      : ring,
  );
}

function findColumnSpan(ring: Float64Array): Span {
  let [from, to] = [Infinity, -Infinity];
  for (let i = 0; i < ring.length; i += 2) {
    from = Math.min(from, ring[i] ?? Infinity);
    to = Math.max(to, ring[i] ?? -Infinity);
  }
  return { from, to };
}
