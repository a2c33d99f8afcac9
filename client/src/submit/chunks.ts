import { invalidInput } from '../http/soil-error.ts';
import type { CreateBatch, Limits } from '../schemas.ts';
import { countVertices, type FeatureJob } from './jobs-of-features.ts';

/** The limits of one request that a batch is split by. */
export type SplitLimits = Pick<Limits, 'jobs_per_batch' | 'body_bytes' | 'vertices_per_batch'>;

/** The fields of a batch besides its jobs. */
export type BatchFields = Omit<CreateBatch, 'jobs'>;

/** One batch of a submission. */
export interface Chunk {
  /** Position in the submission, from 0. */
  readonly index: number;
  /** The same for the same run and chunk: sending a chunk twice creates one batch. */
  readonly idempotencyKey: string;
  /** The exact JSON text of the request. */
  readonly body: string;
  /** The features and years of its jobs, by `job_index`. */
  readonly jobs: readonly Pick<FeatureJob, 'featureIndex' | 'year'>[];
}

/** Splits jobs, in their order, into as few requests as the limits allow. */
export async function chunksOf(
  jobs: readonly FeatureJob[],
  limits: SplitLimits,
  fields: BatchFields,
  runId: string,
): Promise<readonly Chunk[]> {
  const tail = envelopeTail(fields);
  const groups = split(jobs, limits, HEAD.length + sizeOf(tail));
  return Promise.all(
    groups.map(async (group, index) => ({
      index,
      idempotencyKey: await idempotencyKey(runId, index),
      body: `${HEAD}${group.map(({ text }) => text).join(',')}${tail}`,
      jobs: group.map(({ job: { featureIndex, year } }) => ({ featureIndex, year })),
    })),
  );
}

const HEAD = '{"jobs":[';

/** What follows the jobs in the body. */
function envelopeTail(fields: BatchFields): string {
  const text = JSON.stringify(fields);
  return text === '{}' ? ']}' : `],${text.slice(1)}`;
}

interface Piece {
  readonly job: FeatureJob;
  readonly text: string;
}

function split(
  jobs: readonly FeatureJob[],
  limits: SplitLimits,
  envelopeBytes: number,
): readonly (readonly Piece[])[] {
  const groups: Piece[][] = [];
  let group: Piece[] = [];
  let bytes = envelopeBytes;
  let vertices = 0;
  for (const job of jobs) {
    const text = JSON.stringify(job.request);
    const size = sizeOf(text) + 1;
    const corners = countVertices(job.request.polygon);
    requireRoom(job, limits, envelopeBytes + size, corners);
    const full =
      group.length === limits.jobs_per_batch ||
      bytes + size > limits.body_bytes ||
      vertices + corners > limits.vertices_per_batch;
    if (group.length === 0 || full) {
      group = [];
      groups.push(group);
      bytes = envelopeBytes;
      vertices = 0;
    }
    group.push({ job, text });
    bytes += size;
    vertices += corners;
  }
  return groups;
}

/** @throws SoilError `invalid-input` for a job that is too large even alone */
function requireRoom(
  { featureIndex }: FeatureJob,
  limits: SplitLimits,
  bytes: number,
  vertices: number,
): void {
  const pointer = `/features/${featureIndex}`;
  const reject = (message: string) => {
    throw invalidInput(`${pointer}: ${message}`, [{ pointer, message }]);
  };
  if (bytes > limits.body_bytes) {
    reject(`needs a request of ${bytes} bytes; at most ${limits.body_bytes} are allowed`);
  }
  if (vertices > limits.vertices_per_batch) {
    reject(`has ${vertices} vertices; at most ${limits.vertices_per_batch} are allowed`);
  }
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * The `Idempotency-Key` of a chunk: a hash of the run and the chunk's position. A crashed run sends the
 * same keys again and creates no second batch; if its jobs have changed meanwhile, the service rejects
 * the key (`idempotency-key-reused`). A new run id gives new batches.
 */
async function idempotencyKey(runId: string, chunkIndex: number): Promise<string> {
  const text = new TextEncoder().encode(`${chunkIndex}/${runId}`);
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', text)));
}

/** A random run id or key. `crypto.randomUUID` is missing on pages without https. */
export function randomId(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
