import type { JobRequests } from '../../domain/job/job-requests.ts';
import { indexKey, readIndex } from './job-requests.ts';
import { objectReader } from './read-object.ts';

/** The index alone, without the SDK's S3 client: what the status operations read. */
export function s3JobEntries(bucket: string): Pick<JobRequests, 'entries'> {
  const read = objectReader(bucket);
  return { entries: async (batchId) => readIndex(await read(indexKey(batchId))) };
}
