import { LIMITS } from '../limits.ts';

/** The longest a position gets with 6 decimals of a degree (0.1 m), and the comma before the next. */
const POSITION_BYTES = '[-179.123456,-89.123456],'.length;
const JOB_BYTES = '{"polygon":{"type":"Polygon","coordinates":[[]]},"year":2024},'.length;
const ENVELOPE_BYTES = '{"jobs":[]}'.length;

/**
 * Vertices that each of `jobs` polygons may have when they share one body evenly, written without
 * white space: the body's limit binds long before the limit of a single job.
 */
export function verticesThatFit(jobs: number, bodyBytes: number = LIMITS.bodyBytes): number {
  const bytes = Math.floor((bodyBytes - ENVELOPE_BYTES) / jobs) - JOB_BYTES;
  return Math.min(LIMITS.verticesPerJob, Math.floor(bytes / POSITION_BYTES));
}
