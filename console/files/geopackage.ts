import initSqlJs, { type Database } from 'sql.js';
import { TEXTS } from '../texts.ts';
import { findConversion, type NamedCrs } from './crs.ts';
import { selectFields } from './fields-among.ts';
import {
  type Choice,
  chooseLayer,
  type FileFields,
  FileRejected,
  type Remark,
  tooManyError,
} from './file-fields.ts';
import { MOST_FIELDS, MOST_VERTICES } from './file-limits.ts';
import { type PositionBudget, readWkb, TooManyPositions, type WkbGeometry } from './wkb.ts';

/** Feature tables with their geometry columns and reference systems (GeoPackage 1.3, table 5 ff.). */
const LAYERS = `
SELECT columns.table_name, columns.column_name, systems.organization, systems.organization_coordsys_id,
  systems.srs_name, columns.srs_id
FROM gpkg_geometry_columns AS columns
JOIN gpkg_contents AS contents ON contents.table_name = columns.table_name
LEFT JOIN gpkg_spatial_ref_sys AS systems ON systems.srs_id = columns.srs_id
WHERE contents.data_type = 'features' ORDER BY contents.rowid`;

/** Tables that store their rows. A view, a virtual table or a generated column could compute endlessly. */
const TABLES = `
SELECT name FROM sqlite_schema AS tables WHERE type = 'table' AND rootpage > 0
AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(tables.name) WHERE hidden > 0)`;
const METADATA = ['gpkg_geometry_columns', 'gpkg_contents', 'gpkg_spatial_ref_sys'];

/** @throws FileRejected */
export async function readGeoPackage(
  fileName: string,
  content: Uint8Array,
  choice: Choice,
): Promise<FileFields> {
  const { Database } = await initSqlJs();
  const database = new Database(content);
  try {
    const tables = new Set(readRows(database, TABLES).map(([name]) => normalizeIdentifier(name)));
    const isStored = (name: unknown) => tables.has(normalizeIdentifier(name));
    if (!METADATA.every(isStored)) {
      throw new FileRejected('damaged', TEXTS.file.damaged(fileName));
    }
    requireOneGeometry(fileName, database, choice);
    const layers = readRows(database, LAYERS).map((row) => ({ name: String(row[0]), row }));
    const { name, row } = chooseLayer(fileName, layers, choice);
    if (!isStored(name)) throw new FileRejected('not_read', TEXTS.file.view(fileName, name));
    const read = readFields(database, fileName, row, choice);
    return { ...read, remarks: [...read.remarks, ...remarkOnSeparateEdits(fileName, content)] };
  } catch (error) {
    if (error instanceof FileRejected) throw error;
    throw new FileRejected('damaged', TEXTS.file.damaged(fileName), { cause: error });
  } finally {
    database.close();
  }
}

/** @throws FileRejected for a layer with several geometry columns */
function requireOneGeometry(fileName: string, database: Database, { layer }: Choice): void {
  const listed = readRows(database, 'SELECT table_name FROM gpkg_geometry_columns');
  const tables = listed
    .map(([name]) => normalizeIdentifier(name))
    .filter((name) => layer === undefined || name === normalizeIdentifier(layer));
  const [table = ''] = tables;
  if (tables.length > 1 && tables.every((name) => name === table)) {
    throw new FileRejected('geometries_several', TEXTS.file.geometriesSeveral(fileName, table));
  }
}

/**
 * The read version, at byte 19, is 2 in a database with a write-ahead log (SQLite Database File Format, 1.3.3).
 */
const READ_VERSION = 19;
const WRITE_AHEAD_LOG = 2;

/** A GIS that has a GeoPackage open keeps saved edits in a file with the ending -wal, which the page cannot see. */
function remarkOnSeparateEdits(fileName: string, content: Uint8Array): readonly Remark[] {
  if (content[READ_VERSION] !== WRITE_AHEAD_LOG) return [];
  return [{ kind: 'edits', message: TEXTS.file.edits(fileName) }];
}

/** SQLite ignores case only in ASCII letters. */
function normalizeIdentifier(name: unknown): string {
  return String(name).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The names by which the standard says that the reference system is unknown (GeoPackage 1.3, 1.1.2.1.2). */
const NO_SYSTEM = /^((undefined|unknown|unnamed)\b|$)/i;

type Row = readonly unknown[];

function readFields(database: Database, fileName: string, layer: Row, choice: Choice): FileFields {
  const [table, column, organization, code, name, id] = layer;
  const crs: NamedCrs = {
    epsg: String(organization).toUpperCase() === 'EPSG' ? Number(code) : null,
    name: String(name),
  };
  const convert = findConversion(fileName, NO_SYSTEM.test(crs.name) ? null : crs, choice.crs);
  const exact: ExactDatabase = database;
  const [result] = exact.exec(
    `SELECT * FROM ${quoteIdentifier(String(table))} LIMIT ${MOST_FIELDS + 1}`,
    [],
    { useBigInt: true },
  );
  const { columns = [], values: rows = [] } = result ?? {};
  if (rows.length > MOST_FIELDS) throw tooManyError(fileName);
  const geometryAt = columns.findIndex(
    (key) => normalizeIdentifier(key) === normalizeIdentifier(column),
  );
  requireOneSystem(
    fileName,
    rows.map((values) => values[geometryAt]),
    Number(id),
    crs.name,
  );
  const budget = { left: MOST_VERTICES };
  const candidates = rows.map((values) => {
    const attributes = Object.fromEntries(
      columns.map((key, index) => [key, toExactValue(values[index])]),
    );
    return { attributes, geometry: readGeometry(fileName, values[geometryAt], budget) };
  });
  return selectFields(fileName, candidates, convert, choice);
}

/** An option that the types of sql.js lack: integers as bigint, which are exact. */
interface ExactDatabase {
  exec(
    sql: string,
    parameters: never[],
    options: { readonly useBigInt: boolean },
  ): readonly { readonly columns: readonly string[]; readonly values: readonly Row[] }[];
}

function toExactValue(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function readRows(database: Database, sql: string): readonly Row[] {
  return database.exec(sql)[0]?.values ?? [];
}

const quoteIdentifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Each geometry names its reference system, too, which must be the layer's (GeoPackage 1.3, requirement 33);
 * many programs leave it undefined, as 0 or -1. @throws FileRejected
 */
function requireOneSystem(
  fileName: string,
  blobs: readonly unknown[],
  layerId: number,
  layerName: string,
): void {
  for (const blob of blobs) {
    if (!(blob instanceof Uint8Array) || blob.length < 8) continue;
    const isLittle = ((blob[3] ?? 0) & 1) === 1;
    const id = new DataView(blob.buffer, blob.byteOffset).getInt32(4, isLittle);
    if (id === layerId || id === 0 || id === -1) continue;
    throw new FileRejected('crs_conflict', TEXTS.file.systemsDiffer(fileName, layerName, id));
  }
}

/**
 * Length of the envelope, which follows the 8-byte header, by bits 1 to 3 of the header's flags (GeoPackage,
 * 2.1.3).
 */
const ENVELOPE_BYTES = [0, 32, 48, 48, 64];

function readGeometry(fileName: string, blob: unknown, budget: PositionBudget): WkbGeometry | null {
  if (blob === null || blob === undefined) return null;
  if (!(blob instanceof Uint8Array)) return { type: 'unreadable' };
  const flags = blob[3] ?? 0;
  const envelope = ENVELOPE_BYTES[(flags >> 1) & 7];
  if (blob[0] !== 0x47 || blob[1] !== 0x50 || envelope === undefined) return { type: 'unreadable' };
  try {
    return readWkb(blob.subarray(8 + envelope), budget);
  } catch (error) {
    throw error instanceof TooManyPositions ? tooManyError(fileName) : error;
  }
}
