import proj4 from 'proj4';
import type { Position } from '../geometry/polygon.ts';

export interface Transform {
  /** Not finite where the target CRS has no image of the position. */
  readonly forward: (position: Position) => Position;
  readonly inverse: (position: Position) => Position;
}

const WGS84 = '+proj=longlat +datum=WGS84 +no_defs';

/** Between WGS84 [lon, lat] degrees and a grid's CRS, by its full definition: proj4 ships almost none. */
export function transformOf({ crs }: { readonly crs: { readonly proj4: string } }): Transform {
  return transformBetween(WGS84, crs.proj4);
}

/** Between two CRSs, given as `+proj=` definitions. */
export function transformBetween(from: string, to: string): Transform {
  const converter = proj4(from, to);
  return {
    forward: ([x, y]) => finitePair(() => converter.forward([x, y])),
    inverse: ([x, y]) => finitePair(() => converter.inverse([x, y])),
  };
}

/** For points outside a projection's domain proj4 sometimes throws and sometimes returns NaN. */
function finitePair(convert: () => number[]): Position {
  try {
    const [x, y] = convert();
    return [x ?? Number.NaN, y ?? Number.NaN];
  } catch {
    return [Number.NaN, Number.NaN];
  }
}
