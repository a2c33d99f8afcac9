import { readTagNumbers, TAG, type Tags } from './tags.ts';

/** The position of an image's cells: the outer corner of the first cell; rows run south. */
export interface Georeference {
  /** EPSG code of its CRS; null if the file names no CRS or a user-defined one. */
  readonly epsg: number | null;
  /** Whether its CRS is user-defined, in GeoKeys that are not read. */
  readonly hasOwnCrs: boolean;
  readonly west: number;
  readonly north: number;
  /** Size of a cell in CRS units, both positive. */
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** GeoTIFF 1.1 (OGC 19-008), section 7: keys with a single SHORT value. */
const KEY = { modelType: 1024, rasterType: 1025, geographicCrs: 2048, projectedCrs: 3072 } as const;
/** GTRasterTypeGeoKey: tie points are cell centres, not corners. */
const PIXEL_IS_POINT = 2;
/** GTModelTypeGeoKey: projected coordinates. */
const PROJECTED = 1;
const USER_DEFINED = 32767;

/** @throws Error for an image that has no position, is rotated or is upside down */
export async function readGeoreference(tags: Tags): Promise<Georeference> {
  const keys = parseShortKeys(await readTagNumbers(tags, TAG.geoKeyDirectory));
  const isProjected = keys.get(KEY.modelType) === PROJECTED;
  const code =
    keys.get(KEY.projectedCrs) ?? (isProjected ? USER_DEFINED : keys.get(KEY.geographicCrs));
  const half = keys.get(KEY.rasterType) === PIXEL_IS_POINT ? 0.5 : 0;
  const { x, y, cellWidth, cellHeight } = await readCorner(tags);
  if (![x, y, cellWidth, cellHeight].every(Number.isFinite) || !(cellWidth > 0 && cellHeight > 0)) {
    throw new Error(
      `columns must be numbered from west to east and rows from north to south: the corner is at ${x}, ${y}, and the cell size is ${cellWidth} × ${cellHeight}`,
    );
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

/**
 * The directory has a header, then four numbers per key: its ID, the tag that holds its value (0 if it is inline),
 * count and value.
 */
function parseShortKeys(directory: readonly number[]): ReadonlyMap<number, number> {
  const keys = new Map<number, number>();
  for (let at = 4; at + 4 <= directory.length; at += 4) {
    const [key = 0, location, , value = 0] = directory.slice(at, at + 4);
    if (location === 0) keys.set(key, value);
  }
  return keys;
}

/** The tie point may refer to any cell. */
async function readCorner(tags: Tags) {
  const scale = await readTagNumbers(tags, TAG.modelPixelScale);
  const tie = await readTagNumbers(tags, TAG.modelTiepoint);
  const matrix = await readTagNumbers(tags, TAG.modelTransformation);
  if (scale.length > 0 && tie.length >= 6) {
    const [i = 0, j = 0, , x = Number.NaN, y = Number.NaN] = tie;
    const [cellWidth = Number.NaN, cellHeight = Number.NaN] = scale;
    return { x: x - i * cellWidth, y: y + j * cellHeight, cellWidth, cellHeight };
  }
  if (matrix.length >= 8) {
    const [a = 0, b = 0, , x = Number.NaN, d = 0, e = 0, , y = Number.NaN] = matrix;
    if (b !== 0 || d !== 0)
      throw new Error('the image is rotated: rows must run from west to east');
    return { x, y, cellWidth: a, cellHeight: -e };
  }
  throw new Error(
    'the file has no georeference: no tie point with pixel scale, and no transformation',
  );
}
