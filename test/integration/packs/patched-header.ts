import { closeSync, openSync, readSync, writeSync } from 'node:fs';

// Tags of TIFF 6.0 and GDAL.
export const WIDTH = 256;
export const SAMPLE_FORMAT = 339;
export const NODATA = 42_113;
export const SCALE = 'SCALE';
export const OFFSET = 'OFFSET';
export const OVERVIEWS = 'overviews';

type Field =
  | typeof WIDTH
  | typeof SAMPLE_FORMAT
  | typeof NODATA
  | typeof SCALE
  | typeof OFFSET
  | typeof OVERVIEWS;

const HEADER_BYTES = 65_536;
const DESCRIPTION = 270;
const GDAL_METADATA = 42_112;
const UNKNOWN = 42_100;
const ENTRY_BYTES = 20;

/**
 * Changes a field of the full resolution in the header of a mirror's file, a BigTIFF. @param value null removes
 * the field @returns a function that undoes the change
 */
export function patchHeader(path: string, field: Field, value: number | null): () => void {
  const before = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r+');
  readSync(file, before, 0, HEADER_BYTES, 0);
  const after = Buffer.from(before);
  if (typeof field === 'number') {
    const entry = findEntry(after, field);
    if (value === null) after.writeUInt16LE(UNKNOWN, entry);
    else if (field === SAMPLE_FORMAT) after.writeUInt16LE(value, entry + 12);
    else after.writeUInt32LE(value, entry + 12);
  } else if (field === OVERVIEWS) {
    after.writeBigUInt64LE(0n, findDirectory(after).next);
  } else {
    stateItem(after, `<Item name="${field}" sample="0">${value}</Item>`);
  }
  writeSync(file, after, 0, HEADER_BYTES, 0);
  return () => {
    writeSync(file, before, 0, HEADER_BYTES, 0);
    closeSync(file);
  };
}

function findDirectory(header: Buffer) {
  const at = Number(header.readBigUInt64LE(8));
  const entries = Number(header.readBigUInt64LE(at));
  return { first: at + 8, entries, next: at + 8 + entries * ENTRY_BYTES };
}

function findEntry(header: Buffer, tag: number): number {
  const { first, next } = findDirectory(header);
  for (let at = first; at < next; at += ENTRY_BYTES) if (header.readUInt16LE(at) === tag) return at;
  throw new Error(`no tag ${tag}`);
}

/** Replaces the description with GDAL's metadata, which is shorter. */
function stateItem(header: Buffer, item: string): void {
  const entry = findEntry(header, DESCRIPTION);
  const length = Number(header.readBigUInt64LE(entry + 4));
  header.writeUInt16LE(GDAL_METADATA, entry);
  header.write(item.padEnd(length - 1), Number(header.readBigUInt64LE(entry + 12)), 'latin1');
}
