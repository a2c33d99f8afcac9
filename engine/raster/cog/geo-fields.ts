import type { Field } from './ifd.ts';
import type { RasterDescription } from './raster.ts';

const MODEL_PIXEL_SCALE = 33550;
const MODEL_TIEPOINT = 33922;
const GEO_KEY_DIRECTORY = 34735;
const GEO_ASCII_PARAMS = 34737;

/** OGC GeoTIFF 1.1 (19-008r4), chapter 7: key codes and their values. */
const KEY = { modelType: 1024, rasterType: 1025, citation: 1026, geodetic: 2048, projected: 3072 };
const MODEL_PROJECTED = 1;
const MODEL_GEOGRAPHIC = 2;
const PIXEL_IS_AREA = 1;

/** The largest EPSG code of a GeoKey; higher values are reserved for private codes. */
const MAX_EPSG = 32_766;

/** Georeferencing: the position, the cell size and the EPSG code. */
export function geoFields({ crs, origin, cellSize }: RasterDescription): Field[] {
  if (crs.epsg < 1024 || crs.epsg > MAX_EPSG) {
    throw new RangeError(`EPSG:${crs.epsg}: a GeoKey holds codes from 1024 to ${MAX_EPSG}`);
  }
  // GeoTIFF 1.1 stores text as ASCII, terminated by "|".
  const citation = `${crs.name.replace(/[^\x20-\x7e]|\|/g, '?')}|`;
  const keys = [
    [KEY.modelType, 0, 1, crs.geographic ? MODEL_GEOGRAPHIC : MODEL_PROJECTED],
    [KEY.rasterType, 0, 1, PIXEL_IS_AREA],
    [KEY.citation, GEO_ASCII_PARAMS, citation.length, 0],
    [crs.geographic ? KEY.geodetic : KEY.projected, 0, 1, crs.epsg],
  ];
  return [
    { tag: MODEL_PIXEL_SCALE, type: 'double', values: [cellSize, cellSize, 0] },
    { tag: MODEL_TIEPOINT, type: 'double', values: [0, 0, 0, origin[0], origin[1], 0] },
    { tag: GEO_KEY_DIRECTORY, type: 'short', values: [1, 1, 1, keys.length, ...keys.flat()] },
    { tag: GEO_ASCII_PARAMS, type: 'ascii', text: citation },
  ];
}
