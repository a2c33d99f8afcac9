export interface BenchReport {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
  /** Versions of the compared software, such as `{ GDAL: '3.10.3' }`. */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * A bound on a figure, such as a ratio, CPU time or memory. Elapsed times have no bound, because they depend on other
 * load.
 */
export type Goal = { readonly most: number } | { readonly least: number };

const MISSED = '✗';

/** Writes a figure next to its goal, and marks a figure that misses it, which makes `npm run bench` fail. */
export function formatAgainstGoal(value: number, goal: Goal | null, digits: number): string {
  const text = value.toFixed(digits);
  if (goal === null) return text;
  const isMet = 'most' in goal ? value <= goal.most : value >= goal.least;
  const bound = 'most' in goal ? `≤ ${goal.most}` : `≥ ${goal.least}`;
  return isMet ? `${text} (${bound})` : `${text} ${MISSED} (${bound})`;
}

export function countMissedGoals({ rows }: BenchReport): number {
  return rows.flat().filter((cell) => cell.includes(MISSED)).length;
}

/** The export of `bench/<name>.bench.ts`. Compared programs run alternately. */
export interface Bench {
  readonly title: string;
  run(): Promise<BenchReport>;
}
