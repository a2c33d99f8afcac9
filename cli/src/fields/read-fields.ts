import { basename } from 'node:path';
import { type Archived, readArchive } from './archive.ts';
import type { FieldCollection } from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import { type FileKind, fileKind, SIGNATURE_BYTES } from './file-kind.ts';
import { readGeoJson } from './geojson.ts';
import { loadFile } from './load-file.ts';
import { readShapefile, shapefileOnDisk } from './shapefile.ts';
import { readVectorFile } from './vector-file.ts';

export interface ReadOptions {
  /** The layer to read, if the file has several. */
  readonly layer?: string | undefined;
}

/**
 * The fields of a GeoJSON, GeoPackage, Shapefile (zipped too) or FlatGeobuf file, in WGS 84. Throws a
 * `FieldsError` for everything that is wrong with the file.
 */
export async function readFields(
  path: string,
  options: ReadOptions = {},
): Promise<FieldCollection> {
  const file = basename(path);
  const layer = options.layer ?? null;
  const content = await loadFile(path, file);
  const kind = kindOf(file, content);
  switch (kind) {
    case 'zip':
      return readArchived(await readArchive(file, content, layer), layer);
    case 'shapefile':
      return readShapefile(file, await shapefileOnDisk(path, file, content), layer);
    case 'geojson':
      return readGeoJson(file, content, layer);
    default:
      return readVectorFile(kind, file, content, layer);
  }
}

function readArchived(archived: Archived, layer: string | null): Promise<FieldCollection> {
  if (archived.kind === 'shapefile') return readShapefile(archived.file, archived.parts, null);
  if (archived.kind === 'geojson') return readGeoJson(archived.file, archived.content, layer);
  return readVectorFile(archived.kind, archived.file, archived.content, layer);
}

function kindOf(file: string, content: Buffer): FileKind {
  const kind = fileKind(content.subarray(0, SIGNATURE_BYTES));
  if (kind !== null) return kind;
  if (content.length === 0) throw new FieldsError('no-fields', `${file} is empty.`);
  if (/\.(dbf|shx|prj|cpg)$/i.test(file)) {
    throw new FieldsError(
      'unknown-format',
      `${file} is only a part of a Shapefile: name its .shp file, or a .zip of all its parts.`,
    );
  }
  throw new FieldsError(
    'unknown-format',
    `${file} is not a GeoJSON, GeoPackage, Shapefile or FlatGeobuf file.`,
  );
}
