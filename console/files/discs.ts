import proj4 from 'proj4';
import type { Polygonal } from '../fields/field.ts';
import { MOST_LATITUDE } from './file-limits.ts';

/** The corners lie on the circle, so a disc is slightly smaller than its circle. */
const CORNERS = 64;
/** The last decimal is about 0.1 mm. */
const DECIMALS = 9;

const DEGREES = '+proj=longlat +datum=WGS84 +no_defs';

/**
 * The disc around a place in degrees, at the place's height; the radius is in metres. An azimuthal equidistant
 * projection around the place keeps distances from it exact on the ellipsoid.
 * @returns null where no disc is possible: near a pole, across the antimeridian, or for a place not in degrees
 */
export function discAround(place: readonly number[], radius: number): Polygonal | null {
  const [lon = Number.NaN, lat = Number.NaN, ...height] = place;
  if (!(Math.abs(lon) <= 180 && Math.abs(lat) <= MOST_LATITUDE)) return null;
  const { forward } = proj4(`+proj=aeqd +lat_0=${lat} +lon_0=${lon} +datum=WGS84`, DEGREES);
  const corners = Array.from({ length: CORNERS }, (_, index) => {
    // The corners run counterclockwise from the north (RFC 7946, section 3.1.6).
    const azimuth = (-2 * Math.PI * index) / CORNERS;
    const corner = forward([radius * Math.sin(azimuth), radius * Math.cos(azimuth)]);
    return [...corner.map((degrees) => Number(degrees.toFixed(DECIMALS))), ...height];
  });
  const isAcross = (x: number) => Math.abs(x) > 180 || Math.abs(x - lon) > 180;
  if (corners.some(([x = Number.NaN]) => isAcross(x))) return null;
  return { type: 'Polygon', coordinates: [[...corners, ...corners.slice(0, 1)]] };
}
