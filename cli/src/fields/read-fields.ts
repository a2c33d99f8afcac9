import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Archived, readArchive } from './archive.ts';
import type { FieldCollection } from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import { type FileKind, fileKind, SIGNATURE_BYTES } from './file-kind.ts';
import { readGeoJson } from './geojson.ts';
import { MAX_FILE_BYTES, megabytes } from './limits.ts';
import { loadFile, unreadable } from './load-file.ts';
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
  const kind = await kindOnDisk(path, file);
  switch (kind) {
    case 'zip':
      return readArchived(await readArchive(path, file, layer), layer);
    case 'shapefile':
      return readShapefile(file, await shapefileOnDisk(path, file), layer);
    case 'geojson':
      return readGeoJson(file, await loadFile(path, file), layer);
    default:
      return readVectorFile(kind, file, await loadFile(path, file), layer);
  }
}

function readArchived(archived: Archived, layer: string | null): Promise<FieldCollection> {
  if (archived.kind === 'shapefile') return readShapefile(archived.file, archived.parts, null);
  if (archived.kind === 'geojson') return readGeoJson(archived.file, archived.content, layer);
  return readVectorFile(archived.kind, archived.file, archived.content, layer);
}

async function kindOnDisk(path: string, file: string): Promise<FileKind> {
  const start = await startOf(path, file);
  const kind = fileKind(start);
  if (kind !== null) return kind;
  if (start.length === 0) throw new FieldsError('no-fields', `${file} is empty.`);
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

async function startOf(path: string, file: string): Promise<Buffer> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new FieldsError('unknown-format', `${file} is a folder.`);
    if (found.size > MAX_FILE_BYTES) {
      throw new FieldsError(
        'too-large',
        `${file} has ${megabytes(found.size)}; at most ${megabytes(MAX_FILE_BYTES)} can be read. Split it, or remove what is not needed.`,
      );
    }
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(SIGNATURE_BYTES), 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof FieldsError) throw error;
    throw unreadable(file, error);
  }
}
