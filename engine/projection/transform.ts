import proj4 from 'proj4';
import type { Position } from '../geometry/polygon.ts';

export interface Transform {
  /** The result is not finite where the target CRS has no image of the position. */
  readonly forward: (position: Position) => Position;
  readonly inverse: (position: Position) => Position;
}

const WGS84 = '+proj=longlat +datum=WGS84 +no_defs';

/**
 * Maps WGS84 [lon, lat] degrees to a grid's CRS and back. Uses the full definition, as proj4 has almost no EPSG
 * codes.
 */
export function transformOfGrid({ crs }: { readonly crs: { readonly proj4: string } }): Transform {
  return createTransform(WGS84, crs.proj4);
}

/** `from` and `to` are `+proj=` definitions. */
export function createTransform(from: string, to: string): Transform {
  const converter = proj4(from, to);
  return {
    forward: ([x, y]) => convertOrNaN(() => converter.forward([x, y])),
    inverse: ([x, y]) => convertOrNaN(() => converter.inverse([x, y])),
  };
}

/**
 * Outside a projection's domain, proj4 throws for some positions and returns numbers that are not
 * finite for others.
 */
function convertOrNaN(convert: () => number[]): Position {
  try {
    const [x, y] = convert();
    return [x ?? Number.NaN, y ?? Number.NaN];
  } catch {
    return [Number.NaN, Number.NaN];
  }
}
