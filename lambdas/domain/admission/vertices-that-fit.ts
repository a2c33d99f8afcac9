import { LIMITS } from '../limits.ts';

/** The longest text of a position with 6 decimals of a degree (0.1 m), with the comma after it. */
const POSITION_BYTES = '[-179.123456,-89.123456],'.length;
const JOB_BYTES = '{"polygon":{"type":"Polygon","coordinates":[[]]},"year":2024},'.length;
const ENVELOPE_BYTES = '{"jobs":[]}'.length;

/**
 * The number of vertices that each of `jobs` polygons may have if they share one body evenly, written
 * without white space. The body limit is reached long before the limit per job.
 */
export function verticesThatFit(jobs: number, bodyBytes: number = LIMITS.bodyBytes): number {
  const bytes = Math.floor((bodyBytes - ENVELOPE_BYTES) / jobs) - JOB_BYTES;
  return Math.min(LIMITS.verticesPerJob, Math.floor(bytes / POSITION_BYTES));
}
