import { basename } from 'node:path';
import { type Archived, readArchive } from './archive.ts';
import type { FieldCollection } from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import { type FileKind, fileKind, SIGNATURE_BYTES } from './file-kind.ts';
import { readGeoJson } from './geojson.ts';
import { readKmlFile } from './kml.ts';
import { loadFile } from './load-file.ts';
import type { ReadOptions } from './read-options.ts';
import { readShapefile, shapefileOnDisk } from './shapefile.ts';
import { readVectorFile } from './vector-file.ts';

/** What can be read. */
export const FORMATS = 'GeoJSON, GeoPackage, Shapefile, FlatGeobuf, KML and CSV with WKT';

/**
 * The fields of a file (`FORMATS`), in WGS 84. Throws a `FieldsError` for everything that is wrong with the
 * file.
 */
export async function readFields(
  path: string,
  options: ReadOptions = {},
): Promise<FieldCollection> {
  const file = basename(path);
  const content = await loadFile(path, file);
  const kind = kindOf(file, content);
  switch (kind) {
    case 'zip':
      return readArchived(await readArchive(file, content, options.layer ?? null), options);
    case 'shapefile':
      return readShapefile(file, await shapefileOnDisk(path, file, content), options);
    case 'geojson':
      return readGeoJson(file, content, options);
    case 'kml':
      return readKmlFile(file, content, options);
    default:
      return readVectorFile(kind, file, content, options);
  }
}

async function readArchived(archived: Archived, options: ReadOptions): Promise<FieldCollection> {
  // The layer has chosen the Shapefile.
  if (archived.kind === 'shapefile') {
    return readShapefile(archived.file, archived.parts, { crs: options.crs });
  }
  const { kind, file, content } = archived;
  if (kind === 'geojson') return readGeoJson(file, content, options);
  if (kind === 'kml') return readKmlFile(file, content, options);
  return readVectorFile(kind, file, content, options);
}

function kindOf(file: string, content: Buffer): FileKind {
  const kind = fileKind(file, content.subarray(0, SIGNATURE_BYTES));
  if (kind !== null) return kind;
  if (content.length === 0) throw new FieldsError('no-fields', `${file} is empty.`);
  if (/\.(dbf|shx|prj|cpg)$/i.test(file)) {
    throw new FieldsError(
      'unknown-format',
      `${file} is only a part of a Shapefile: name its .shp file, or a .zip of all its parts.`,
    );
  }
  throw new FieldsError('unknown-format', `${file} is none of ${FORMATS}.`);
}
