import { FieldsError } from './fields-error.ts';

/** Of a file, and of what is read from an archive: it is held in memory. */
export const MAX_FILE_BYTES = 100_000_000;

/** 50 batches. Fields of 30 vertices take some 20 kB each in memory while they are read. */
export const MAX_FIELDS = 50_000;

export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

export function tooManyFields(file: string, count: number): FieldsError {
  return new FieldsError(
    'too-large',
    `${file} has ${count} features; at most ${MAX_FIELDS} can be read. Split it.`,
  );
}
