/** What one benchmark found: a table, and the versions of both sides. */
export interface BenchReport {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Sentences under the table: what was measured, and how to read it. */
  readonly notes: readonly string[];
  /** Of what was compared, e.g. `{ GDAL: '3.10.3' }`. */
  readonly versions: Readonly<Record<string, string>>;
}

/** What `bench/<name>.bench.ts` exports. Both sides run in it, in turns. */
export interface Bench {
  readonly title: string;
  run(): Promise<BenchReport>;
}
