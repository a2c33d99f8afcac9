import { numbersOf, TAG, type Tags } from './tags.ts';

/** Where an image's cells lie: outer corner of the first one, rows running south. */
export interface Georeference {
  /** Of its CRS; null where the file says nothing, or defines one of its own. */
  readonly epsg: number | null;
  /** Whether it defines one of its own, in keys that are not read here. */
  readonly hasOwnCrs: boolean;
  readonly west: number;
  readonly north: number;
  /** Edges of a cell in CRS units, both positive. */
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** GeoTIFF 1.1 (OGC 19-008), section 7: keys that hold one short number. */
const KEY = { modelType: 1024, rasterType: 1025, geographicCrs: 2048, projectedCrs: 3072 } as const;
/** The same standard, GTRasterTypeGeoKey: a tie point is a cell's centre, not its corner. */
const PIXEL_IS_POINT = 2;
/** The same standard, GTModelTypeGeoKey: coordinates of a projection. */
const PROJECTED = 1;
/** The same standard: a CRS of the file's own. */
const USER_DEFINED = 32767;

/** Throws `Error` for an image without a position, or one that is turned or upside down. */
export async function georeferenceOf(tags: Tags): Promise<Georeference> {
  const keys = shortKeysOf(await numbersOf(tags, TAG.geoKeyDirectory));
  const isProjected = keys.get(KEY.modelType) === PROJECTED;
  const code =
    keys.get(KEY.projectedCrs) ?? (isProjected ? USER_DEFINED : keys.get(KEY.geographicCrs));
  const half = keys.get(KEY.rasterType) === PIXEL_IS_POINT ? 0.5 : 0;
  const { x, y, cellWidth, cellHeight } = await cornerOf(tags);
  if (![x, y, cellWidth, cellHeight].every(Number.isFinite) || !(cellWidth > 0 && cellHeight > 0)) {
    throw new Error(`its cells of ${cellWidth} × ${cellHeight} do not run east and south`);
  }
  return {
    epsg: code === undefined || code === USER_DEFINED ? null : code,
    hasOwnCrs: code === USER_DEFINED,
    west: x - half * cellWidth,
    north: y + half * cellHeight,
    cellWidth,
    cellHeight,
  };
}

/** The directory's header is followed by a key's number, the tag that holds it (0: none), count and value. */
function shortKeysOf(directory: readonly number[]): ReadonlyMap<number, number> {
  const keys = new Map<number, number>();
  for (let at = 4; at + 4 <= directory.length; at += 4) {
    const [key = 0, location, , value = 0] = directory.slice(at, at + 4);
    if (location === 0) keys.set(key, value);
  }
  return keys;
}

/** A tie point may be of another cell than the first. */
async function cornerOf(tags: Tags) {
  const scale = await numbersOf(tags, TAG.modelPixelScale);
  const tie = await numbersOf(tags, TAG.modelTiepoint);
  const matrix = await numbersOf(tags, TAG.modelTransformation);
  if (scale.length > 0 && tie.length >= 6) {
    const [i = 0, j = 0, , x = Number.NaN, y = Number.NaN] = tie;
    const [cellWidth = Number.NaN, cellHeight = Number.NaN] = scale;
    return { x: x - i * cellWidth, y: y + j * cellHeight, cellWidth, cellHeight };
  }
  if (matrix.length >= 8) {
    const [a = 0, b = 0, , x = Number.NaN, d = 0, e = 0, , y = Number.NaN] = matrix;
    if (b !== 0 || d !== 0) throw new Error('its rows do not run east: it is turned');
    return { x, y, cellWidth: a, cellHeight: -e };
  }
  throw new Error('it says nothing of where it lies');
}
