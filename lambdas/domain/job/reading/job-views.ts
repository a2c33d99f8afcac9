import type { Batch } from '../../batch/batch.ts';
import type { JobRecord } from '../job.ts';
import { entryAt, type JobRequests } from '../job-requests.ts';
import { downloadNames } from './download-names.ts';
import { type JobView, jobView } from './job-view.ts';
import type { ResultSigner } from './result-signer.ts';
import { resultUrl } from './result-url.ts';

export interface JobViewsPorts {
  readonly jobRequests: Pick<JobRequests, 'entries'>;
  readonly signer: ResultSigner;
}

/**
 * The jobs at these indexes on the wire, in order.
 * @param records of all jobs that are past `pending`; may include others
 * @throws SigningKeyUnavailable if the URL of a completed job cannot be signed now
 */
export async function jobViews(
  { jobRequests, signer }: JobViewsPorts,
  batch: Batch,
  records: readonly JobRecord[],
  indexes: readonly number[],
): Promise<readonly JobView[]> {
  if (indexes.length === 0) return [];
  const entries = await jobRequests.entries(batch.batchId);
  const fileNames = downloadNames(batch, entries);
  const byIndex = new Map(records.map((record) => [record.index, record]));
  return Promise.all(
    indexes.map(async (index) => {
      const entry = entryAt(entries, batch.batchId, index);
      const record = byIndex.get(index) ?? null;
      const url = await resultUrl(signer, batch.batchId, index, record, fileNames[index] ?? '');
      return jobView(batch, index, entry, record, url);
    }),
  );
}
