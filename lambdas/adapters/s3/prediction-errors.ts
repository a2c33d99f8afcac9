import type { BatchId } from '../../domain/identity.ts';
import type {
  BatchPredictionErrors,
  JobPredictionErrors,
} from '../../domain/total/prediction-errors.ts';
import { objectRequests } from './object-request.ts';

/** Stores a job's prediction errors in the work bucket as `work/<batch>/<job index>/errors`. */
export function s3JobPredictionErrors(work: string): JobPredictionErrors {
  const request = objectRequests(work);
  const keyOf = (batchId: BatchId, jobIndex: number) => `work/${batchId}/${jobIndex}/errors`;
  return {
    async write(batchId, jobIndex, body) {
      await request('PutObject', keyOf(batchId, jobIndex), { body });
    },
    read: (batchId, jobIndex) => request('GetObject', keyOf(batchId, jobIndex)),
  };
}

/**
 * Stores a batch's prediction errors in the results bucket as `totals/<batch>.errors`, for which no URL is ever signed.
 */
export function s3BatchPredictionErrors(results: string): BatchPredictionErrors {
  const request = objectRequests(results);
  const keyOf = (batchId: BatchId) => `totals/${batchId}.errors`;
  return {
    async write(batchId, body) {
      await request('PutObject', keyOf(batchId), {
        body,
        headers: { 'If-None-Match': '*' },
        // Another invocation has written the same bytes, or is writing them now.
        orElse: ['PreconditionFailed', 'ConditionalRequestConflict'],
      });
    },
    async read(batchId) {
      const bytes = await request('GetObject', keyOf(batchId), { orElse: ABSENT });
      return bytes.length === 0 ? null : bytes;
    },
  };
}

/** Without `s3:ListBucket`, S3 responds to a read of a missing object with `AccessDenied`. */
const ABSENT = ['NoSuchKey', 'AccessDenied'];
