import type { MultiPolygonRings, Position } from '../../geometry/polygon.ts';
import { transformOfGrid } from '../../projection/transform.ts';
import { findSurroundingBox, ringsWithin } from './clip.ts';
import type { Grid } from './grid.ts';
import { createCellProjection } from './project.ts';

/** Each edge is measured in this many segments. */
const SEGMENTS = 4;

/**
 * Approximate number of cell boundaries that the outline crosses, a measure of the time that
 * planning takes. Misses bends within a segment.
 */
export function countGridCrossings(polygon: MultiPolygonRings, grid: Grid): number {
  const transform = transformOfGrid(grid);
  const toCell = createCellProjection(grid, transform);
  const box = findSurroundingBox(grid, transform);
  const near = polygon.flat().flatMap((ring) => (box === null ? [ring] : ringsWithin(ring, box)));
  let crossings = 0;
  for (const ring of near) {
    let last = ring[0];
    let [x, y] = last === undefined ? [0, 0] : toCell(last);
    for (const to of ring.slice(1)) {
      const from = last ?? to;
      for (let segment = 1; segment <= SEGMENTS; segment += 1) {
        const next = toCell(interpolatePosition(from, to, segment / SEGMENTS));
        const crossed = Math.abs(next[0] - x) + Math.abs(next[1] - y);
        if (Number.isFinite(crossed)) crossings += crossed;
        [x, y] = next;
      }
      last = to;
    }
  }
  return Math.round(crossings);
}

function interpolatePosition(from: Position, to: Position, t: number): Position {
  return [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])];
}
