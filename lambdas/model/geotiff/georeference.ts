import type { GeoTIFFImage } from 'geotiff';

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

/** GeoTIFF 1.1 (OGC 19-008), GTRasterTypeGeoKey: a tie point is a cell's centre, not its corner. */
const PIXEL_IS_POINT = 2;
/** The same standard, GTModelTypeGeoKey: coordinates of a projection. */
const PROJECTED = 1;
/** The same standard: a CRS of the file's own. */
const USER_DEFINED = 32767;

/** Throws `Error` for an image without a position, or one that is turned or upside down. */
export function georeferenceOf(image: GeoTIFFImage): Georeference {
  const keys = image.getGeoKeys();
  const isProjected = keys?.GTModelTypeGeoKey === PROJECTED;
  const code: unknown =
    keys?.ProjectedCSTypeGeoKey ?? (isProjected ? USER_DEFINED : keys?.GeographicTypeGeoKey);
  const half = keys?.GTRasterTypeGeoKey === PIXEL_IS_POINT ? 0.5 : 0;
  const { x, y, cellWidth, cellHeight } = cornerOf(image);
  if (![x, y, cellWidth, cellHeight].every(Number.isFinite) || !(cellWidth > 0 && cellHeight > 0)) {
    throw new Error(`its cells of ${cellWidth} × ${cellHeight} do not run east and south`);
  }
  return {
    epsg: typeof code === 'number' && code !== USER_DEFINED ? code : null,
    hasOwnCrs: code === USER_DEFINED,
    west: x - half * cellWidth,
    north: y + half * cellHeight,
    cellWidth,
    cellHeight,
  };
}

/** `geotiff` gives a tie point as it stands: that it may be of another cell than the first is ours. */
function cornerOf(image: GeoTIFFImage) {
  const tags = image.fileDirectory;
  const scale = tags.getValue('ModelPixelScale');
  const tie = tags.getValue('ModelTiepoint');
  const matrix = tags.getValue('ModelTransformation');
  if (scale && tie && tie.length >= 6) {
    const [i = 0, j = 0, , x = Number.NaN, y = Number.NaN] = tie;
    const [cellWidth = Number.NaN, cellHeight = Number.NaN] = scale;
    return { x: x - i * cellWidth, y: y + j * cellHeight, cellWidth, cellHeight };
  }
  if (matrix && matrix.length >= 8) {
    const [a = 0, b = 0, , x = Number.NaN, d = 0, e = 0, , y = Number.NaN] = matrix;
    if (b !== 0 || d !== 0) throw new Error('its rows do not run east: it is turned');
    return { x, y, cellWidth: a, cellHeight: -e };
  }
  throw new Error('it says nothing of where it lies');
}
