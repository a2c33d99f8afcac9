import type { BatchId } from '../../domain/identity.ts';
import type { ErrorFiles } from '../../domain/total/job-errors.ts';
import { objectRequests } from './object-request.ts';

/** In the work bucket: `work/<batch>/<job index>/errors`. */
export function s3JobErrors(work: string): Pick<ErrorFiles, 'writeJob' | 'readJob'> {
  const request = objectRequests(work);
  const keyOf = (batchId: BatchId, jobIndex: number) => `work/${batchId}/${jobIndex}/errors`;
  return {
    async writeJob(batchId, jobIndex, body) {
      await request('PutObject', keyOf(batchId, jobIndex), { body });
    },
    readJob: async (batchId, jobIndex) =>
      orNull(await request('GetObject', keyOf(batchId, jobIndex), { orElse: ABSENT })),
  };
}

/** In the results bucket: `totals/<batch>.errors`, which no signed URL leads to. */
export function s3BatchErrors(results: string): Pick<ErrorFiles, 'keepBatch' | 'readBatch'> {
  const request = objectRequests(results);
  const keyOf = (batchId: BatchId) => `totals/${batchId}.errors`;
  return {
    async keepBatch(batchId, body) {
      await request('PutObject', keyOf(batchId), {
        body,
        headers: { 'If-None-Match': '*' },
        // Another invocation has written the same bytes, or is writing them.
        orElse: ['PreconditionFailed', 'ConditionalRequestConflict'],
      });
    },
    readBatch: async (batchId) =>
      orNull(await request('GetObject', keyOf(batchId), { orElse: ABSENT })),
  };
}

/** Without `s3:ListBucket`, S3 responds with `AccessDenied` for a missing object. */
const ABSENT = ['NoSuchKey', 'AccessDenied'];

function orNull(bytes: Uint8Array): Uint8Array | null {
  return bytes.length === 0 ? null : bytes;
}
