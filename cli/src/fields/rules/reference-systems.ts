/** A reference system as a file or its user names it. */
export interface NamedCrs {
  /** Null if it has no EPSG code. */
  readonly epsg: number | null;
  readonly name: string;
}

/** West, south, east and north in degrees. */
export type Area = readonly [west: number, south: number, east: number, north: number];

const WGS84 = 4326;

/** Names of WGS 84 longitude and latitude without an EPSG code. */
const CRS84 = /(^|[:/])(OGC[:/][\d.]*[:/]?)?CRS84$/i;
const EPSG = /(^|[:/])EPSG[:/](?:[\d.]*[:/])?(\d{1,6})$/i;

/**
 * What the field `crs` of GeoJSON 2008 says, which RFC 7946 (section 4) removed; null without the field.
 * A name may be a URN, a URL, or `EPSG:28992`.
 */
export function crsOfGeoJson(document: unknown): NamedCrs | null {
  const crs: unknown = Object(document)['crs'];
  if (crs === undefined || crs === null) return null;
  const given: unknown = Object(Object(crs)['properties'])['name'];
  const name = typeof given === 'string' ? given : '';
  if (CRS84.test(name)) return { epsg: WGS84, name };
  const code = EPSG.exec(name)?.[2];
  return { epsg: code === undefined ? null : Number(code), name };
}

/** Whether a system's name says that it is not known which one it is. */
export function isNoName(name: string): boolean {
  return /^((undefined|unknown|unnamed)\b|$)/i.test(name);
}

/** The code of `EPSG:28992` or `28992`; null for anything else. */
export function epsgCode(text: string): number | null {
  const [, code] = /^(?:EPSG:)?(\d{4,6})\b/i.exec(text.trim()) ?? [];
  return code === undefined ? null : Number(code);
}

/**
 * Whether a position may be longitude and latitude. Coordinates in metres, in GeoJSON that does not name
 * its system, are the most common mistake.
 */
export function isInDegrees([x, y]: readonly number[]): boolean {
  if (x === undefined || y === undefined) return true;
  return Math.abs(x) <= 360 && Math.abs(y) <= 360;
}

/** The first position of a GeoJSON geometry; empty without one. */
export function firstPosition(geometry: unknown): readonly number[] {
  let value: unknown = Object(geometry)['coordinates'];
  while (Array.isArray(value) && Array.isArray(value[0])) value = value[0];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'number') : [];
}

/** Systems are used some way beyond the area that they are made for, such as UTM's zones. */
const BEYOND_DEGREES = 5;

/** Whether a file that someone says is in the system of this area may have a field at this place. */
export function isNear([west, south, east, north]: Area, lon: number, lat: number): boolean {
  const isBetween = (low: number, value: number, high: number) =>
    value >= low - BEYOND_DEGREES && value <= high + BEYOND_DEGREES;
  return isBetween(west, lon, east) && isBetween(south, lat, north);
}
