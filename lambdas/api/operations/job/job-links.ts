import type { JobView } from '../../../domain/job/reading/job-view.ts';
import type { ViewOf } from '../../../domain/wire.ts';
import { JOB_OPERATIONS, type statusJob } from '../../definitions/jobs.ts';
import { pathOf } from '../../http/routes.ts';

/** Where a job's result can be read while it exists, unlike at a signed URL. */
export function jobLinks(baseUrl: string, batchId: string, jobId: string) {
  const ids = { batch_id: batchId, job_id: jobId };
  return {
    result: baseUrl + pathOf(JOB_OPERATIONS.result, ids),
    preview: baseUrl + pathOf(JOB_OPERATIONS['result-preview'], ids),
    item: baseUrl + pathOf(JOB_OPERATIONS['result-item'], ids),
  };
}

/** A job with its links. */
export function withLinks<Job extends JobView>(
  job: Job,
  baseUrl: string,
  batchId: string,
): Job & ViewOf<typeof statusJob> {
  const links = job.status === 'completed' ? jobLinks(baseUrl, batchId, job.job_id) : null;
  return {
    ...job,
    result_url: links?.result ?? null,
    preview_url: links?.preview ?? null,
    item_url: links?.item ?? null,
  };
}
