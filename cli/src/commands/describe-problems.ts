import type { Job } from 'soil-batch-client';
import { amount, count } from './numbers.ts';

/** Failures that are listed for people; `--json` has all. */
const LISTED_FAILURES = 10;

/** A job of the run, as far as it is known why it fails. */
export interface Failure {
  readonly name: string | null;
  readonly year: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

/**
 * The failing jobs with their errors, which say where the fault is.
 * @param jobs all years of a field together, as in a run
 */
export function failureLines(what: string, jobs: readonly Failure[]): readonly string[] {
  const failing = jobs.filter(({ error_code }) => error_code !== null);
  if (failing.length === 0) return [];
  const groups = byField(failing);
  const more = groups.slice(LISTED_FAILURES).flatMap(({ years }) => years).length;
  return [
    `${count(failing.length, 'job')} ${what}:`,
    ...groups.slice(0, LISTED_FAILURES).map(({ name, years, error }) => {
      return `  ${name} (${years.join(', ')}): ${error}`;
    }),
    ...(more > 0 ? [`  and ${amount(more)} more`] : []),
  ];
}

interface FieldFailure {
  readonly name: string | null;
  readonly error: string;
  readonly years: number[];
}

/** A field fails in all its years for the same reason, unless that is the year. */
function byField(failing: readonly Failure[]): readonly FieldFailure[] {
  const groups: FieldFailure[] = [];
  for (const { name, year, error_code, error_message } of failing) {
    const error = `${error_code}: ${error_message}`;
    const last = groups.at(-1);
    // Another field of the same name has a year again.
    const isSame = last?.name === name && last.error === error && !last.years.includes(year);
    if (isSame) last.years.push(year);
    else groups.push({ name, error, years: [year] });
  }
  return groups;
}

/** Different warnings that are listed for people; the tables have all. */
const LISTED_WARNINGS = 5;

/** The warnings of the jobs, each once: a static model gives the same one to every field of a year. */
export function warningLines(jobs: readonly Pick<Job, 'warnings'>[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { warnings } of jobs) {
    for (const message of new Set(warnings.map((warning) => warning.message))) {
      counts.set(message, (counts.get(message) ?? 0) + 1);
    }
  }
  const lines = [...counts].map(
    ([message, times]) => `Warning for ${count(times, 'job')}: ${message}`,
  );
  const more = lines.length - LISTED_WARNINGS;
  return [
    ...lines.slice(0, LISTED_WARNINGS),
    ...(more > 0 ? [`and ${count(more, 'more warning')}`] : []),
  ];
}
