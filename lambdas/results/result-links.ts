import { formatPath } from '../api/routes.ts';

/** Stands for the job in a path: a status fills in 2,000 of them. */
const JOB = '{job_id}';

/** The URLs at which a batch's results can be read while they exist, unlike signed URLs. */
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
