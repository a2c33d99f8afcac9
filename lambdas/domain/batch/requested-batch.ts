import { countVertices } from '#engine/geometry/positions.ts';
import type { Destination } from '../destination/destination.ts';
import type { NewJob } from '../job/requested-job.ts';
import { LIMITS } from '../limits.ts';

export interface RequestedBatch {
  readonly jobs: readonly NewJob[];
  readonly name: string | null;
  /** The exact JSON text; null if there is none. */
  readonly metadata: string | null;
  /** `id` or `id@version`, for jobs that name no model. */
  readonly model: string | null;
  readonly webhook: RequestedWebhook | null;
  readonly destination: Destination | null;
}

export interface RequestedWebhook {
  readonly url: string;
  /** The secret exists as plain text only in memory, until it is encrypted. */
  readonly secret: string | null;
  readonly jobs: 'full' | 'none';
}

/** `pointer` follows RFC 6901; `message` says what is allowed. */
export interface Violation {
  readonly pointer: string;
  readonly message: string;
}

/** Checks the limits that the schema does not state; they are the same for every tenant. */
export function findLimitViolations({
  jobs,
  metadata,
  destination,
}: RequestedBatch): readonly Violation[] {
  const violations: Violation[] = [];
  const vertices = jobs.reduce((sum, { polygon }) => sum + countVertices(polygon), 0);
  if (vertices > LIMITS.verticesPerBatch) {
    violations.push({
      pointer: '/jobs',
      message: `may have at most ${LIMITS.verticesPerBatch} vertices in all polygons together; got ${vertices}. Simplify the polygons, or send the jobs in several batches`,
    });
  }
  const nameBytes =
    destination === null ? 0 : Buffer.byteLength(JSON.stringify(jobs.map(({ name }) => name)));
  if (nameBytes > LIMITS.nameBytesWithDestination) {
    violations.push({
      pointer: '/jobs',
      message: `may have at most ${LIMITS.nameBytesWithDestination} bytes of names, as JSON, in a batch with a destination; got ${nameBytes}. Shorten the names, or send the jobs in several batches`,
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
