import { createHash } from 'node:crypto';
import { addSeconds, type Clock, timestamp } from '../../lambdas/domain/clock.ts';
import type { BatchId, JobId } from '../../lambdas/domain/identity.ts';
import type { FinishedRasters, RasterTargets } from '../../lambdas/domain/job/finished-rasters.ts';
import type { ResultSigner } from '../../lambdas/domain/job/result-signer.ts';

/** The results bucket: what lies in it, and every version it ever had. */
export class Results implements FinishedRasters, RasterTargets {
  /** Digests by `<batch>/<job>`. */
  readonly versions = new Map<string, string[]>();

  exists = async (batchId: BatchId, jobId: JobId): Promise<boolean> =>
    this.versions.has(`${batchId}/${jobId}`);

  target = (batchId: BatchId, jobId: JobId) => ({
    putWhole: async (bytes: Uint8Array): Promise<void> => {
      const key = `${batchId}/${jobId}`;
      const digest = createHash('sha256').update(bytes).digest('hex');
      this.versions.set(key, [...(this.versions.get(key) ?? []), digest]);
    },
    begin: async () => {
      throw new Error('too large for this bucket');
    },
  });
}

/** Signs so that no two URLs are the same: a body made twice would show. */
export function countingSigner(clock: Clock): ResultSigner {
  let signed = 0;
  return {
    async sign(batchId, jobId) {
      signed += 1;
      const createdAt = timestamp(clock());
      const url = `https://results.example.org/${batchId}/${jobId}?signature=${signed}`;
      return { url, createdAt, expiresAt: addSeconds(createdAt, 86_400) };
    },
  };
}
