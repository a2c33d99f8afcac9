/**
 * Of a file, and of what is read from an archive. A field takes a kilobyte or less: this is enough for
 * 100,000 fields, far more than a day's quota, and their coordinates fit into Node's default heap.
 */
export const MAX_FILE_BYTES = 100_000_000;

export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
