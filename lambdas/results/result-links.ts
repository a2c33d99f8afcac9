import { formatPath } from '../api/routes.ts';

/** Stands for the job ID, so that each URL is formatted once rather than for each of up to 1,000 jobs. */
const JOB = '{job_id}';

/** Unlike signed URLs, these links work as long as the result exists. */
export function jobLinks(baseUrl: string, batchId: string) {
  const ids = { batch_id: batchId, job_id: JOB };
  const result = baseUrl + formatPath('result', ids);
  const preview = baseUrl + formatPath('result-preview', ids);
  const item = baseUrl + formatPath('result-item', ids);
  return (jobId: string) => ({
    result: result.replace(JOB, jobId),
    preview: preview.replace(JOB, jobId),
    item: item.replace(JOB, jobId),
  });
}

export type JobLinks = ReturnType<typeof jobLinks>;
