import type { Job } from 'soil-batch-client';
import { count } from './numbers.ts';

/** Different warnings that are listed for people; the tables have all. */
const LISTED = 5;

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
  const more = lines.length - LISTED;
  return [...lines.slice(0, LISTED), ...(more > 0 ? [`and ${count(more, 'more warning')}`] : [])];
}
