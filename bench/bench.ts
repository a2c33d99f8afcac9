/** The result of one benchmark: a table, and the versions of both sides. */
export interface BenchReport {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Paragraphs below the table: what was measured, and how to read it. */
  readonly notes: readonly string[];
  /** Versions of the compared software, e.g. `{ GDAL: '3.10.3' }`. */
  readonly versions: Readonly<Record<string, string>>;
}

/** The export of `bench/<name>.bench.ts`. Both sides run in it, alternating. */
export interface Bench {
  readonly title: string;
  run(): Promise<BenchReport>;
}
