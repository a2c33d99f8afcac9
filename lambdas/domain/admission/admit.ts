import { verticesOf } from '../../geometry/count-vertices.ts';
import type { BatchOrder } from '../batch/batch-order.ts';
import { LIMITS } from '../limits.ts';

/** One thing wrong with a request: where (RFC 6901 pointer) and what is allowed instead. */
export interface Violation {
  readonly pointer: string;
  readonly message: string;
}

/**
 * The limits of a single request that its schema does not state, the same for every tenant. No polygon
 * is judged for them: counting its vertices costs a thousandth of that.
 * @returns nothing when the order keeps them
 */
export function admit({ jobs, metadata }: BatchOrder): readonly Violation[] {
  const violations: Violation[] = [];
  const vertices = jobs.entries.reduce((sum, { polygon }) => sum + verticesOf(polygon), 0);
  if (vertices > LIMITS.verticesPerBatch) {
    violations.push({
      pointer: '/jobs',
      message: `may have ${LIMITS.verticesPerBatch} vertices in all their polygons together; got ${vertices}. Simplify the polygons, or send the jobs in several batches`,
    });
  }
  const metadataBytes = metadata === null ? 0 : Buffer.byteLength(metadata, 'utf8');
  if (metadataBytes > LIMITS.metadataBytes) {
    violations.push({
      pointer: '/metadata',
      message: `must be at most ${LIMITS.metadataBytes} bytes of JSON text as sent; got ${metadataBytes}`,
    });
  }
  return violations;
}
