import { readdir } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { BYTES_AS_CHARACTERS, DbfText, declaredEncoding, textsOf } from './dbf-encoding.ts';
import type { FieldCollection } from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import { MAX_FILE_BYTES, megabytes } from './limits.ts';
import { loadFile, unreadable } from './load-file.ts';
import type { ReadOptions } from './read-options.ts';
import { collectionOf, readByGdal, wrongLayer } from './vector-file.ts';

/** Parts that are read, besides the .shp itself; others are indexes and metadata. */
const PARTS = ['.shx', '.dbf', '.prj', '.cpg'] as const;
type Part = '.shp' | (typeof PARTS)[number];

/** The parts of a Shapefile by their ending, in lower case. */
export type ShapefileParts = ReadonlyMap<string, Uint8Array>;

/** A .shp file and the parts beside it, whatever the case of their endings. */
export async function shapefileOnDisk(
  path: string,
  file: string,
  shp: Uint8Array,
): Promise<ShapefileParts> {
  const { name: stem } = parse(file);
  const names = await readdir(dirname(path)).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  const parts = new Map<string, Uint8Array>([['.shp', shp]]);
  for (const name of names) {
    const { name: otherStem, ext } = parse(name);
    const part = ext.toLowerCase();
    if (otherStem !== stem || !isPart(part) || part === '.shp') continue;
    parts.set(part, await loadFile(join(dirname(path), name), name));
  }
  const size = [...parts.values()].reduce((sum, { length }) => sum + length, 0);
  if (size <= MAX_FILE_BYTES) return parts;
  throw new FieldsError(
    'too-large',
    `${file} and its parts have ${megabytes(size)}; at most ${megabytes(MAX_FILE_BYTES)} can be read.`,
  );
}

export function isPart(ending: string): ending is Part {
  return ending === '.shp' || PARTS.some((part) => part === ending);
}

/** The layer is the name of the Shapefile, if it is given. */
export async function readShapefile(
  file: string,
  parts: ShapefileParts,
  { layer = null, crs = null }: ReadOptions,
): Promise<FieldCollection> {
  const { name: stem } = parse(file);
  if (layer !== null && layer !== stem) throw wrongLayer(file, [stem], layer);
  const dbf = required(file, parts, '.dbf');
  const prj = parts.get('.prj');
  const files = [
    { name: 'fields.shp', content: required(file, parts, '.shp') },
    { name: 'fields.shx', content: required(file, parts, '.shx') },
    { name: 'fields.dbf', content: dbf },
    ...(prj === undefined ? [] : [{ name: 'fields.prj', content: prj }]),
  ] as const;
  const openOptions = [BYTES_AS_CHARACTERS];
  const read = await readByGdal(file, {
    driver: 'ESRI Shapefile',
    files,
    openOptions,
    layer: null,
    crs,
  });
  const declared = declaredEncoding(dbf, parts.get('.cpg'));
  const text = new DbfText(file, declared, textsOf(read.features));
  return collectionOf('Shapefile', file, {
    ...read,
    layer: stem,
    attributes: read.attributes.map((one) => text.attribute(one)),
    features: read.features.map((one) => text.feature(one)),
  });
}

function required(file: string, parts: ShapefileParts, part: Part): Uint8Array {
  const content = parts.get(part);
  if (content !== undefined) return content;
  throw new FieldsError(
    'damaged',
    `The ${part} file of ${file} is missing: a Shapefile needs its .shp, .shx and .dbf files, and has its system in a .prj file, side by side.`,
  );
}
