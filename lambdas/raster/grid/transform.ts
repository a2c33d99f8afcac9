import proj4 from 'proj4';
import type { Position } from '../geometry/polygon.ts';
import type { Grid } from './grid.ts';

export interface Transform {
  /** WGS84 [lon, lat] degrees → CRS [x, y]; not finite where the projection has no image. */
  readonly forward: (lonLat: Position) => Position;
  /** CRS [x, y] → WGS84 [lon, lat] degrees; not finite where there is none. */
  readonly inverse: (xy: Position) => Position;
}

const WGS84 = '+proj=longlat +datum=WGS84 +no_defs';

/** Between WGS84 and the grid's CRS, by its full definition: proj4 itself ships almost none. */
export function transformOf(grid: Grid): Transform {
  const converter = proj4(WGS84, grid.crs.proj4);
  return {
    forward: ([lon, lat]) => finitePair(() => converter.forward([lon, lat])),
    inverse: ([x, y]) => finitePair(() => converter.inverse([x, y])),
  };
}

/** proj4 throws for some points outside a projection's domain and gives NaN for others: one answer. */
function finitePair(convert: () => number[]): Position {
  try {
    const [x, y] = convert();
    return [x ?? Number.NaN, y ?? Number.NaN];
  } catch {
    return [Number.NaN, Number.NaN];
  }
}
