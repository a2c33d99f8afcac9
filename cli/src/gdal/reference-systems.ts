import * as z from 'zod';
import type { Area } from '../fields/rules/reference-systems.ts';
import { type Dataset, type Gdal, GdalError } from './gdal.ts';
import { datasetInfo, type ProjJson } from './layer-info.ts';

const PROJ_DATABASE = '/usr/share/proj/proj.db';

const POINT = '/point.geojson';
const WITH_SYSTEM = '/point.fgb';

export interface Definition {
  readonly wkt: string;
  readonly projjson: ProjJson;
}

/** The system of an EPSG code; null for a code that PROJ doesn't know. */
export function systemOf(gdal: Gdal, epsg: number): Definition | null {
  // As the system of a layer, because GDAL describes those.
  const point =
    '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[0,0]}}';
  gdal.writeFile(POINT, new TextEncoder().encode(point));
  try {
    const options = ['-f', 'FlatGeobuf', '-a_srs', `EPSG:${epsg}`];
    gdal.vectorTranslate(gdal.open(POINT, ['GeoJSON']), WITH_SYSTEM, options);
  } catch (error) {
    if (error instanceof GdalError) return null;
    throw error;
  }
  const { layers } = datasetInfo.parse(
    gdal.vectorInfo(gdal.open(WITH_SYSTEM, ['FlatGeobuf']), ['-so']),
  );
  const system = layers[0]?.geometryFields[0]?.coordinateSystem;
  return system?.projjson === undefined ? null : { wkt: system.wkt, projjson: system.projjson };
}

export interface AreaOfUse {
  readonly area: Area;
  readonly name: string;
}

const extents = z.object({
  west_lon: z.number(),
  south_lat: z.number(),
  east_lon: z.number(),
  north_lat: z.number(),
  name: z.string(),
});

/** Where EPSG says that a system is used; null for a system without a code, or across the antimeridian. */
export function areaOfUse(gdal: Gdal, { id }: ProjJson): AreaOfUse | null {
  if (id?.authority !== 'EPSG' || !/^\d+$/.test(String(id.code))) return null;
  const sql = `SELECT west_lon, south_lat, east_lon, north_lat, extent.name AS name FROM usage JOIN extent ON extent.auth_name = extent_auth_name AND extent.code = extent_code WHERE object_auth_name = 'EPSG' AND object_code = '${id.code}' AND object_table_name IN ('projected_crs', 'geodetic_crs', 'compound_crs') LIMIT 1`;
  const [row] = rowsOf(gdal, gdal.open(PROJ_DATABASE, ['SQLite']), sql);
  const found = extents.safeParse(row);
  if (!found.success) return null;
  const { west_lon: west, south_lat: south, east_lon: east, north_lat: north, name } = found.data;
  return west > east ? null : { area: [west, south, east, north], name };
}

/** Whether a datum is a registered one, not a name for an unknown datum. */
export function isRegistered(gdal: Gdal, datum: string): boolean {
  const quoted = `'${datum.replaceAll("'", "''")}'`;
  const sql = `SELECT name FROM geodetic_datum WHERE name = ${quoted} UNION SELECT alt_name FROM alias_name WHERE table_name = 'geodetic_datum' AND alt_name = ${quoted}`;
  return rowsOf(gdal, gdal.open(PROJ_DATABASE, ['SQLite']), sql).length > 0;
}

const rows = z.object({
  layers: z.array(
    z.object({ features: z.array(z.object({ properties: z.record(z.string(), z.unknown()) })) }),
  ),
});

function rowsOf(gdal: Gdal, database: Dataset, sql: string) {
  const info = rows.parse(gdal.vectorInfo(database, ['-features', '-sql', sql]));
  return info.layers.flatMap(({ features }) => features.map(({ properties }) => properties));
}
