import { FieldsError } from './fields-error.ts';

/** Of a file, and of what is read from an archive: it is held in memory. */
export const MAX_FILE_BYTES = 100_000_000;

/** 50 batches. Fields of 30 vertices take some 20 kB each in memory while they are read. */
export const MAX_FIELDS = 50_000;

/**
 * Arrays and objects of a GeoJSON file, which has one for each vertex. 50 batches of 170,000 vertices have
 * 8.5 million; 100 MB of `{}` would be 33 million, which take 3.3 GB.
 */
export const MAX_JSON_CONTAINERS = 10_000_000;

/** Of an archive: a Shapefile has some ten. Each takes memory before anything of it is read. */
export const MAX_ENTRIES = 1_000;

export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

export function tooManyFields(file: string, count: number): FieldsError {
  return new FieldsError(
    'too-large',
    `${file} has ${count} features; at most ${MAX_FIELDS} can be read. Split it.`,
  );
}
