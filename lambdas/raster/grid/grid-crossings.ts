import type { MultiPolygonRings, Position } from '../../geometry/polygon.ts';
import { transformOf } from '../../projection/transform.ts';
import { ringsWithin, surroundingBox } from './clip.ts';
import type { Grid } from './grid.ts';
import { cellSpace } from './project.ts';

/** Pieces that an edge is measured in. */
const PIECES = 4;

/**
 * How many lines between cells the outline crosses, added up over its edges: the time of planning
 * follows it. It projects a few points of each edge, however long the edge is. What an edge bends
 * between these points is missed, which only counts for edges that go far round the Earth.
 */
export function gridCrossings(polygon: MultiPolygonRings, grid: Grid): number {
  const transform = transformOf(grid);
  const toCell = cellSpace(grid, transform);
  const box = surroundingBox(grid, transform);
  const near = polygon.flat().flatMap((ring) => (box === null ? [ring] : ringsWithin(ring, box)));
  let crossings = 0;
  for (const ring of near) {
    let last = ring[0];
    let [x, y] = last === undefined ? [0, 0] : toCell(last);
    for (const to of ring.slice(1)) {
      const from = last ?? to;
      for (let piece = 1; piece <= PIECES; piece += 1) {
        const next = toCell(along(from, to, piece / PIECES));
        const crossed = Math.abs(next[0] - x) + Math.abs(next[1] - y);
        if (Number.isFinite(crossed)) crossings += crossed;
        [x, y] = next;
      }
      last = to;
    }
  }
  return Math.round(crossings);
}

function along(from: Position, to: Position, share: number): Position {
  return [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
}
