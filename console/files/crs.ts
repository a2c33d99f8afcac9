import proj4 from 'proj4';
import { TEXTS } from '../texts.ts';
import { FileQuestion, FileRejected, mapPositions, type ToWgs84 } from './file-fields.ts';

export interface NamedCrs {
  readonly epsg: number | null;
  readonly name: string;
  readonly wkt?: string;
}

const WGS84 = '+proj=longlat +datum=WGS84 +no_defs';

/**
 * Reference systems that this page converts itself, to about a metre (EPSG Dataset). Systems that need a shift grid,
 * such as the British National Grid, are excluded.
 */
const DEFINITIONS: ReadonlyMap<number, string> = new Map([
  [4326, WGS84],
  [4258, '+proj=longlat +ellps=GRS80 +no_defs'],
  [
    3857,
    '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +k=1 +units=m +nadgrids=@null +no_defs',
  ],
  [3035, '+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +units=m +no_defs'],
  [
    2154,
    '+proj=lcc +lat_0=46.5 +lon_0=3 +lat_1=49 +lat_2=44 +x_0=700000 +y_0=6600000 +ellps=GRS80 +units=m +no_defs',
  ],
  [
    28992,
    '+proj=sterea +lat_0=52.1561605555556 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000 +ellps=bessel +towgs84=565.4171,50.3319,465.5524,-0.398957388243134,0.343987817378283,-1.87740163998045,4.0725 +units=m +no_defs',
  ],
  [
    31370,
    '+proj=lcc +lat_0=90 +lon_0=4.36748666666667 +lat_1=51.1666672333333 +lat_2=49.8333339 +x_0=150000.013 +y_0=5400088.438 +ellps=intl +towgs84=-106.8686,52.2978,-103.7239,0.3366,-0.457,1.8422,-1.2747 +units=m +no_defs',
  ],
  ...listZones(1, 60, (zone) => [32_600 + zone, `+proj=utm +zone=${zone} +datum=WGS84`]),
  ...listZones(1, 60, (zone) => [32_700 + zone, `+proj=utm +zone=${zone} +south +datum=WGS84`]),
  ...listZones(28, 38, (zone) => [25_800 + zone, `+proj=utm +zone=${zone} +ellps=GRS80`]),
]);

/** West, south, east and north in degrees. */
type Area = readonly [west: number, south: number, east: number, north: number];

interface ChoosableCrs {
  readonly title: string;
  readonly area: Area;
}

const utm = (title: string, zone: number, south: number, north: number): ChoosableCrs => ({
  title: `${title} / UTM zone ${zone}${south < 0 ? 'S' : 'N'}`,
  area: [6 * zone - 186, south, 6 * zone - 180, north],
});

/** Reference systems that the user can choose for a file that names none, with their areas of use (EPSG Dataset). */
const CHOICES: ReadonlyMap<number, ChoosableCrs> = new Map([
  [28992, { title: 'RD New (Netherlands)', area: [3.2, 50.75, 7.22, 53.7] }],
  [31370, { title: 'Lambert 72 (Belgium)', area: [2.5, 49.5, 6.4, 51.51] }],
  [2154, { title: 'Lambert-93 (France)', area: [-9.86, 41.15, 10.38, 51.56] }],
  [3035, { title: 'LAEA Europe', area: [-35.58, 24.6, 44.83, 84.73] }],
  [4326, { title: 'WGS 84, degrees', area: [-180, -90, 180, 90] }],
  [4258, { title: 'ETRS89, degrees', area: [-35.58, 24.6, 44.83, 84.73] }],
  [3857, { title: 'Web Mercator', area: [-180, -85.06, 180, 85.06] }],
  ...listZones<number, ChoosableCrs>(28, 38, (zone) => [25_800 + zone, utm('ETRS89', zone, 0, 84)]),
  ...listZones<number, ChoosableCrs>(1, 60, (zone) => [32_600 + zone, utm('WGS 84', zone, 0, 84)]),
  ...listZones<number, ChoosableCrs>(1, 60, (zone) => [32_700 + zone, utm('WGS 84', zone, -80, 0)]),
]);

/** The choices as the page offers them, such as `EPSG:28992 – RD New (Netherlands)`. */
export const CHOOSABLE: readonly string[] = [...CHOICES].map(
  ([code, { title }]) => `EPSG:${code} – ${title}`,
);

/**
 * The returned conversion rejects a polygon whose first position is far from the system's area of use.
 * @throws FileRejected if this page cannot convert the system
 */
function convertFromChosen(fileName: string, epsg: number): ToWgs84 {
  const name = `EPSG:${epsg}`;
  const convert = toWgs84({ epsg, name });
  const area = CHOICES.get(epsg)?.area;
  if (convert === null || area === undefined) {
    throw new FileRejected('crs_unusable', TEXTS.file.otherCrs(fileName, name));
  }
  return (polygon) => {
    const converted = convert(polygon);
    const [lon = Number.NaN, lat = Number.NaN] = firstPosition(converted);
    if (Number.isNaN(lon) || isNear(area, lon, lat)) return converted;
    throw new FileRejected('crs_unusable', TEXTS.file.farAway(fileName, name, lon, lat));
  };
}

export function firstPosition(geometry: unknown): readonly number[] {
  let value: unknown = Object(geometry).coordinates;
  while (Array.isArray(value) && Array.isArray(value[0])) value = value[0];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'number') : [];
}

/** Reference systems, such as UTM zones, are also used somewhat beyond their area of use. */
const BEYOND_DEGREES = 5;

function isNear([west, south, east, north]: Area, lon: number, lat: number): boolean {
  const isBetween = (low: number, value: number, high: number) =>
    value >= low - BEYOND_DEGREES && value <= high + BEYOND_DEGREES;
  return isBetween(west, lon, east) && isBetween(south, lat, north);
}

/**
 * Finds the conversion from the reference system that the file names or the user chose.
 * @throws FileQuestion if there is neither; FileRejected if they conflict or this page cannot convert the system
 */
export function findConversion(
  fileName: string,
  named: NamedCrs | null,
  chosen: number | undefined,
): ToWgs84 {
  if (named === null) {
    if (chosen !== undefined) return convertFromChosen(fileName, chosen);
    throw new FileQuestion(TEXTS.file.noCrs(fileName), { kind: 'crs' });
  }
  const own = findCode(named);
  if (chosen !== undefined && own !== undefined && chosen !== own) {
    const message = TEXTS.file.crsConflict(fileName, named.name, `EPSG:${chosen}`);
    throw new FileRejected('crs_conflict', message);
  }
  const convert = toWgs84(named);
  if (convert === null) {
    throw new FileRejected('crs_unusable', TEXTS.file.otherCrs(fileName, named.name));
  }
  return convert;
}

/** Names of reference systems in .prj files by Esri and GDAL. */
const NAMES: ReadonlyMap<string, number> = new Map(
  [
    ['GCS WGS 1984', 4326] as const,
    ['WGS 84', 4326] as const,
    ['GCS ETRS 1989', 4258] as const,
    ['ETRS89', 4258] as const,
    ['WGS 1984 Web Mercator Auxiliary Sphere', 3857] as const,
    ['WGS 84 / Pseudo-Mercator', 3857] as const,
    ['ETRS 1989 LAEA', 3035] as const,
    ['RGF 1993 Lambert 93', 2154] as const,
    ['RGF93 / Lambert-93', 2154] as const,
    ['RD New', 28992] as const,
    ['Amersfoort / RD New', 28992] as const,
    ['Belge Lambert 1972', 31370] as const,
    ['Belge 1972 / Belgian Lambert 72', 31370] as const,
    ...listZones(1, 60, (zone) => [`WGS 1984 UTM Zone ${zone}N`, 32_600 + zone]),
    ...listZones(1, 60, (zone) => [`WGS 1984 UTM Zone ${zone}S`, 32_700 + zone]),
    ...listZones(28, 38, (zone) => [`ETRS 1989 UTM Zone ${zone}N`, 25_800 + zone]),
  ].map(([name, code]) => [normalizeName(name), code]),
);

/** Punctuation differs between programs. */
function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function listZones<Key, Value>(
  first: number,
  last: number,
  entry: (zone: number) => readonly [Key, Value],
): readonly (readonly [Key, Value])[] {
  return Array.from({ length: last - first + 1 }, (_, index) => entry(first + index));
}

function findCode({ epsg, name }: NamedCrs): number | undefined {
  return epsg ?? NAMES.get(normalizeName(name));
}

/**
 * Slightly more than the Earth's circumference. Larger coordinates are invalid, even if formulas turn them into
 * degrees.
 */
export const MOST_METRES = 41_000_000;

/** @returns null for an unknown reference system, which must never be guessed */
function toWgs84(named: NamedCrs): ToWgs84 | null {
  const code = findCode(named);
  const definition = code === undefined ? undefined : DEFINITIONS.get(code);
  if (code === undefined || definition === undefined) return null;
  if (!matchesDefinition(named, definition, CHOICES.get(code)?.area)) return null;
  if (code === 4326) return (polygon) => polygon;
  const { forward } = proj4(definition, WGS84);
  return (polygon) =>
    mapPositions(polygon, ([x = Number.NaN, y = Number.NaN]) => {
      // The service explains what is wrong with numbers that cannot be coordinates.
      const isPlace = Math.max(Math.abs(x), Math.abs(y)) <= MOST_METRES;
      return isPlace ? forward([x, y]) : [x, y];
    });
}

/**
 * Whether well-known text without a code describes the system that it names, apart from the datum shift:
 * programs keep a name but change the projection (https://github.com/OSGeo/PROJ/issues/4639), the unit, or the
 * meridian.
 */
function matchesDefinition(
  { epsg, wkt }: NamedCrs,
  definition: string,
  area: Area | undefined,
): boolean {
  if (epsg !== null || wkt === undefined) return true;
  const [, angle] = /(?:\bANGLE|\b)UNIT\s*\[\s*"[^"]*"\s*,\s*([\d.e-]+)/i.exec(wkt) ?? [];
  const isInDegrees = Math.abs(Number(angle) * 180 - Math.PI) < 1e-4;
  if (area === undefined || !isInDegrees) return false;
  const [west, south, east, north] = area;
  // Compare a place away from the middle of the area, because different projections may agree in the middle.
  const place = [west + (east - west) / 3, south + (north - south) * 0.7] as const;
  try {
    const [x, y] = proj4(WGS84, definition).forward([...place]);
    const [lon, lat] = proj4(wkt.trim(), WGS84).forward([x, y]);
    return Math.hypot(lon - place[0], lat - place[1]) < MOST_SHIFT_DEGREES;
  } catch {
    return false;
  }
}

/** More than the datum shift of any of this page's systems. */
const MOST_SHIFT_DEGREES = 0.005;

/** Reads WKT 1, as in a .prj file; null if it has no name. */
export function crsOfWkt(wkt: string): NamedCrs | null {
  const [, name = ''] = /^\s*[A-Z]+\s*\[\s*"([^"]*)"/i.exec(wkt) ?? [];
  if (name === '') return null;
  const [, code] = /AUTHORITY\s*\[\s*"EPSG"\s*,\s*"?(\d+)"?\s*\]\s*\]\s*$/i.exec(wkt) ?? [];
  return { epsg: code === undefined ? null : Number(code), name, wkt };
}
