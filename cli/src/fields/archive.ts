import { parse, posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import crc32 from 'crc-32';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { FieldsError } from './fields-error.ts';
import { type FileKind, fileKind, SIGNATURE_BYTES } from './file-kind.ts';
import { MAX_ENTRIES, MAX_FILE_BYTES, megabytes } from './limits.ts';
import { isPart, type ShapefileParts } from './shapefile.ts';
import { wrongLayer } from './vector-file.ts';

/** What an archive holds: one Shapefile, or one file of another format. */
export type Archived =
  | { readonly kind: 'shapefile'; readonly file: string; readonly parts: ShapefileParts }
  | {
      readonly kind: Exclude<FileKind, 'shapefile' | 'zip'>;
      readonly file: string;
      readonly content: Uint8Array;
    };

const SINGLE_FILES = /\.(csv|fgb|geojson|gpkg|json|kml)$/i;
/** What macOS adds for each file. */
const RESOURCE_FORK = /(^|\/)(__MACOSX\/|\._)/;

/**
 * Reads an archive in memory; nothing is written to the disk. yauzl rejects names that leave the archive's
 * folder, and entries that grow beyond the size they declare.
 */
export async function readArchive(file: string, content: Buffer, layer: string | null) {
  try {
    return await archived(await yauzl.fromBufferPromise(content), file, layer);
  } catch (error) {
    if (error instanceof FieldsError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FieldsError(
      'damaged',
      `${file} is not a whole zip archive: ${reason.replace(/\.$/, '')}.`,
      {
        cause: error,
      },
    );
  }
}

async function archived(zip: ZipFile, file: string, layer: string | null): Promise<Archived> {
  if (zip.entryCount > MAX_ENTRIES) {
    throw new FieldsError(
      'too-large',
      `${file} contains ${zip.entryCount} files; at most ${MAX_ENTRIES} can be read. Make an archive of the fields alone.`,
    );
  }
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    if (isOfInterest(entry.fileName)) entries.push(entry);
  }
  const main = mainEntry(file, entries, layer);
  const { dir, name, ext, base } = posix.parse(main.fileName);
  if (ext.toLowerCase() !== '.shp') {
    const content = await read(zip, file, [main]).then(([only]) => only ?? Buffer.alloc(0));
    const kind = fileKind(base, content.subarray(0, SIGNATURE_BYTES));
    if (kind !== null && kind !== 'shapefile' && kind !== 'zip') {
      return { kind, file: `${base} in ${file}`, content };
    }
    throw new FieldsError('unknown-format', `${base} in ${file} is not what its name says.`);
  }
  const parts = entries.filter(({ fileName }) => {
    const other = posix.parse(fileName);
    return other.dir === dir && other.name === name && isPart(other.ext.toLowerCase());
  });
  const contents = await read(zip, file, parts);
  const endings = parts.map(({ fileName }) => parse(fileName).ext.toLowerCase());
  const byEnding = endings.map(
    (ending, index) => [ending, contents[index] ?? Buffer.alloc(0)] as const,
  );
  return { kind: 'shapefile', file: base, parts: new Map(byEnding) };
}

function isOfInterest(name: string): boolean {
  if (RESOURCE_FORK.test(name)) return false;
  return SINGLE_FILES.test(name) || isPart(posix.extname(name).toLowerCase());
}

function mainEntry(file: string, entries: readonly Entry[], layer: string | null): Entry {
  const shapefiles = entries.filter(({ fileName }) => /\.shp$/i.test(fileName));
  const singles = entries.filter(({ fileName }) => SINGLE_FILES.test(fileName));
  const [only] = [...shapefiles, ...singles];
  if (only === undefined) {
    throw new FieldsError(
      'unknown-format',
      `${file} contains no file of fields, such as GeoJSON, GeoPackage or Shapefile.`,
    );
  }
  if (shapefiles.length + singles.length === 1 && singles.length === 1) return only;
  if (singles.length > 0) {
    throw new FieldsError(
      'choose-layer',
      `${file} contains ${shapefiles.length + singles.length} files of fields: extract it and name one of them.`,
    );
  }
  const names = shapefiles.map(({ fileName }) => posix.parse(fileName).name);
  const chosen = shapefiles.filter((_, index) => layer === null || names[index] === layer);
  const [main] = chosen;
  if (main === undefined || chosen.length > 1) throw wrongLayer(file, names, layer);
  return main;
}

async function read(
  zip: ZipFile,
  file: string,
  entries: readonly Entry[],
): Promise<readonly Buffer[]> {
  const size = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (size > MAX_FILE_BYTES) {
    throw new FieldsError(
      'too-large',
      `The fields in ${file} have ${megabytes(size)}; at most ${megabytes(MAX_FILE_BYTES)} can be read.`,
    );
  }
  const contents: Buffer[] = [];
  for (const entry of entries) contents.push(await contentOf(zip, file, entry));
  return contents;
}

async function contentOf(zip: ZipFile, file: string, entry: Entry): Promise<Buffer> {
  const name = posix.basename(entry.fileName);
  if (entry.isEncrypted()) {
    throw new FieldsError('damaged', `${name} in ${file} is encrypted: extract it first.`);
  }
  const content = await buffer(await zip.openReadStreamPromise(entry));
  if (crc32.buf(content) >>> 0 === entry.crc32) return content;
  throw new FieldsError('damaged', `${name} in ${file} is damaged: its checksum is another.`);
}
