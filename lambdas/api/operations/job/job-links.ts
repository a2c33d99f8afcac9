import type { JobView } from '../../../domain/job/reading/job-view.ts';
import type { ViewOf } from '../../../domain/wire.ts';
import { JOB_OPERATIONS, type statusJob } from '../../definitions/jobs.ts';
import { pathOf } from '../../handling/routes.ts';

/** Stands for the job in a path: a status fills in 3,000 of them. */
const JOB = '{job_id}';

/** Where the results of a batch's jobs can be read while they exist, unlike at a signed URL. */
export function jobLinks(baseUrl: string, batchId: string) {
  const ids = { batch_id: batchId, job_id: JOB };
  const result = baseUrl + pathOf(JOB_OPERATIONS.result, ids);
  const preview = baseUrl + pathOf(JOB_OPERATIONS['result-preview'], ids);
  const item = baseUrl + pathOf(JOB_OPERATIONS['result-item'], ids);
  return (jobId: string) => ({
    result: result.replace(JOB, jobId),
    preview: preview.replace(JOB, jobId),
    item: item.replace(JOB, jobId),
  });
}

/** A job with its links. */
export function withLinks<Job extends JobView>(
  job: Job,
  linksOf: ReturnType<typeof jobLinks>,
): Job & ViewOf<typeof statusJob> {
  const links = job.status === 'completed' ? linksOf(job.job_id) : null;
  return {
    ...job,
    result_url: links?.result ?? null,
    preview_url: links?.preview ?? null,
    item_url: links?.item ?? null,
  };
}
