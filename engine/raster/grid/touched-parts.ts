import { coversCentre, touchesCell } from './count-cells.ts';
import type { Grid, Window } from './grid.ts';
import type { ProjectedParts } from './project.ts';
import { windowOf } from './window.ts';

/** Parts of a polygon by whether they cover the centre of a cell. */
export interface PartsByCells {
  /** Number of parts that cover a centre. */
  readonly withCentre: number;
  /** Parts that only touch cells, ascending. */
  readonly touching: readonly number[];
}

/** Parts that meet no cell of the window are in neither group: they lie outside the grid. */
export function partsByCells(projected: ProjectedParts, window: Window, grid: Grid): PartsByCells {
  const ringsOfPart = new Map<number, Float64Array[]>();
  for (const [i, ring] of projected.rings.entries()) {
    const part = projected.partOfRing[i] ?? 0;
    const rings = ringsOfPart.get(part);
    if (rings === undefined) ringsOfPart.set(part, [ring]);
    else rings.push(ring);
  }
  let withCentre = 0;
  const touching: number[] = [];
  for (const [part, rings] of ringsOfPart) {
    const own = windowOf({ rings }, grid);
    if (own === null) continue;
    const around = { ...window, row: own.row, height: own.height };
    if (coversCentre({ rings }, around)) withCentre += 1;
    else if (touchesCell({ rings }, around)) touching.push(part);
  }
  return { withCentre, touching };
}
