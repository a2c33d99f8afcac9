import { amount, count } from './numbers.ts';

/** Failures that are listed for people; `--json` has all. */
const LISTED = 10;

/** A job of the run, as far as it is known why it fails. */
export interface Failure {
  readonly name: string | null;
  readonly year: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

/** The failing jobs with their errors, which say where the fault is. */
export function failureLines(what: string, jobs: readonly Failure[]): readonly string[] {
  const failing = jobs.filter(({ error_code }) => error_code !== null);
  if (failing.length === 0) return [];
  const more = failing.length - LISTED;
  return [
    `${count(failing.length, 'job')} ${what}:`,
    ...failing.slice(0, LISTED).map((job) => {
      return `  ${job.name} (${job.year}): ${job.error_code}: ${job.error_message}`;
    }),
    ...(more > 0 ? [`  and ${amount(more)} more`] : []),
  ];
}
