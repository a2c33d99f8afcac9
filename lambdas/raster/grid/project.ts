import type { MultiPolygonRings, Position, Ring } from '../../geometry/polygon.ts';
import { type Transform, transformOf } from '../../projection/transform.ts';
import { nearestTurn, ringsWithin, surroundingBox } from './clip.ts';
import { type Grid, isGeographic, isRound } from './grid.ts';
import { aroundTheSeam } from './seam.ts';

/**
 * A polygon in cell space: columns and rows as fractions, (0, 0) the outer corner of the grid's
 * first cell, rows growing south. One array a ring: col, row, col, row, …, closed by repeating the
 * first pair. Inside is where the rings' parity is odd, so shells and holes need no telling apart.
 */
export interface ProjectedPolygon {
  readonly rings: readonly Float64Array[];
}

/** A job's polygon, whose parts are the polygons of a GeoJSON MultiPolygon, counted from 0. */
export interface ProjectedParts extends ProjectedPolygon {
  /** The part that each ring belongs to. */
  readonly partOfRing: readonly number[];
}

/** A straight WGS84 edge may leave its densified image by this many cells; the promise is 0.1. */
export const TOLERANCE_CELLS = 0.05;

/** 2²⁰ pieces an edge: no edge within a grid's surroundings comes near. */
const MAX_DEPTH = 20;

/**
 * Rings outside the grid's surroundings disappear; a polygon that is elsewhere has none left. A grid
 * may lie over the antimeridian: longitudes go on there as the grid's do. On one that goes all round
 * the Earth columns go on past its last, where that keeps together what lies on both sides.
 */
export function projectPolygon(polygon: MultiPolygonRings, grid: Grid): ProjectedParts {
  const transform = transformOf(grid);
  const toCell = cellSpace(grid, transform);
  const box = surroundingBox(grid, transform);
  const rings: Float64Array[] = [];
  const partOfRing: number[] = [];
  for (const [part, sent] of polygon.entries()) {
    const near = box === null ? sent : sent.flatMap((ring) => ringsWithin(ring, box));
    for (const ring of near) {
      const projected = projectRing(ring, toCell);
      if (projected === null) continue;
      rings.push(projected);
      partOfRing.push(part);
    }
  }
  return { rings: isRound(grid) ? aroundTheSeam(rings, grid.width) : rings, partOfRing };
}

/** The rings of some parts alone. */
export function partsOf(projected: ProjectedParts, parts: ReadonlySet<number>): ProjectedPolygon {
  const { rings, partOfRing } = projected;
  return { rings: rings.filter((_, i) => parts.has(partOfRing[i] ?? -1)) };
}

export function cellSpace(grid: Grid, transform: Transform): (lonLat: Position) => Position {
  const [west, north] = grid.origin;
  const geographic = isGeographic(grid);
  return (lonLat) => {
    const [found, y] = geographic ? transform.forward(lonLat) : oneSeam(lonLat, transform, grid);
    // A shift of datum gives longitudes within ±180.
    const x = geographic ? nearestTurn(found, lonLat[0]) : found;
    return [(x - west) / grid.cell_size, (north - y) / grid.cell_size];
  };
}

/** Cells: by rounding alone the images of one place differ by far less. */
const ONE_PLACE = 1e-6;

/**
 * A ring round a pole runs along the antimeridian twice, at 180 and at −180: one line, of which both
 * runs must have the same image to the bit, or a centre between them would be lost.
 */
function oneSeam([lon, lat]: Position, { forward }: Transform, { cell_size }: Grid): Position {
  const place = forward([lon, lat]);
  if (lon !== -180) return place;
  const other = forward([180, lat]);
  const apart = Math.hypot(other[0] - place[0], other[1] - place[1]);
  return apart < ONE_PLACE * cell_size ? other : place;
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
 * Adds the points after `from` up to and with `to`. Halving is the same from both ends, so two
 * polygons that share an edge share its every point.
 */
function densify(
  from: Place,
  to: Place,
  toCell: (lonLat: Position) => Position,
  points: number[],
  depth: number,
): void {
  const middle = between(from, to, toCell);
  const quarters = [between(from, middle, toCell), middle, between(middle, to, toCell)];
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

function between(a: Place, b: Place, toCell: (lonLat: Position) => Position): Place {
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
