import proj4 from 'proj4';
import type { Polygonal } from '../fields/field.ts';

/** Turns the polygons of a file into degrees of WGS 84. */
export type ToWgs84 = (polygon: Polygonal) => Polygonal;

/** What a file says about its coordinate reference system. */
export interface NamedCrs {
  /** Null if it has none. */
  readonly epsg: number | null;
  readonly name: string;
}

const WGS84 = '+proj=longlat +datum=WGS84 +no_defs';

/**
 * Systems that this page converts by itself, each with its datum shift to WGS 84 to better than a metre
 * (EPSG Dataset; ETRS89 and WGS 84 differ by less than that). A system that needs a grid of shifts, such
 * as the British National Grid, is not among them.
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
  ...zones(1, 60, (zone) => [32_600 + zone, `+proj=utm +zone=${zone} +datum=WGS84`]),
  ...zones(1, 60, (zone) => [32_700 + zone, `+proj=utm +zone=${zone} +south +datum=WGS84`]),
  ...zones(28, 38, (zone) => [25_800 + zone, `+proj=utm +zone=${zone} +ellps=GRS80`]),
]);

/** Names of systems in the .prj files of Esri and GDAL. */
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
    ...zones(1, 60, (zone) => [`WGS 1984 UTM Zone ${zone}N`, 32_600 + zone]),
    ...zones(1, 60, (zone) => [`WGS 1984 UTM Zone ${zone}S`, 32_700 + zone]),
    ...zones(28, 38, (zone) => [`ETRS 1989 UTM Zone ${zone}N`, 25_800 + zone]),
  ].map(([name, code]) => [plain(name), code]),
);

/** Without punctuation, in which the names differ by their writer. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function zones<Key>(
  first: number,
  last: number,
  entry: (zone: number) => readonly [Key, Key extends number ? string : number],
) {
  return Array.from({ length: last - first + 1 }, (_, index) => entry(first + index));
}

/** @returns null for a system that is not known, which must never be guessed */
export function toWgs84({ epsg, name }: NamedCrs): ToWgs84 | null {
  const code = epsg ?? NAMES.get(plain(name));
  const definition = code === undefined ? undefined : DEFINITIONS.get(code);
  if (definition === undefined) return null;
  if (code === 4326) return (polygon) => polygon;
  const { forward } = proj4(definition, WGS84);
  const position = ([x = Number.NaN, y = Number.NaN]: readonly number[]) => forward([x, y]);
  const ring = (positions: readonly (readonly number[])[]) => positions.map(position);
  return (polygon) =>
    polygon.type === 'Polygon'
      ? { type: 'Polygon', coordinates: polygon.coordinates.map(ring) }
      : {
          type: 'MultiPolygon',
          coordinates: polygon.coordinates.map((rings) => rings.map(ring)),
        };
}

/** The system of well-known text (WKT 1), as in a .prj file. */
export function crsOfWkt(wkt: string): NamedCrs {
  const [, name = ''] = /^\s*[A-Z]+\s*\[\s*"([^"]*)"/i.exec(wkt) ?? [];
  const [, code] = /AUTHORITY\s*\[\s*"EPSG"\s*,\s*"?(\d+)"?\s*\]\s*\]\s*$/i.exec(wkt) ?? [];
  return { epsg: code === undefined ? null : Number(code), name };
}

/** The system that the `crs` of GeoJSON names (GeoJSON 2008, section 3), as a URN or as `EPSG:28992`. */
export function crsOfGeoJson(name: string): NamedCrs {
  const [, code] = /EPSG:(?:[\d.]*:)?(\d{1,6})$/i.exec(name) ?? [];
  return { epsg: code === undefined ? null : Number(code), name };
}
