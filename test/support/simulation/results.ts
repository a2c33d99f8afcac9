import { createHash } from 'node:crypto';
import { addSeconds, type Clock, timestamp } from '../../../lambdas/domain/clock.ts';
import type { BatchId, JobId } from '../../../lambdas/domain/identity.ts';
import type { ResultSigner } from '../../../lambdas/domain/job/reading/result-signer.ts';
import { inMemoryBlocks } from '../../../local/in-memory/files.ts';
import { inMemoryRasters, type RasterFiles } from '../../../local/in-memory/rasters.ts';

/** The results bucket with its objects, the digests of all their versions, and the blocks from which it copies. */
export class Results {
  /** Digests of the versions, by `<batch>/<job>`. */
  readonly versions = new Map<string, string[]>();
  readonly blocks = inMemoryBlocks();
  readonly files: RasterFiles = inMemoryRasters(this.blocks, (name, bytes) => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    this.versions.set(name, [...(this.versions.get(name) ?? []), digest]);
  });

  has(batchId: BatchId, jobId: JobId): boolean {
    return this.files.read(batchId, jobId) !== undefined;
  }
}

/** Returns a signer that never returns the same URL twice, so that a body that is built twice differs. */
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
