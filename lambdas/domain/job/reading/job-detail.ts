import type { Batch } from '../../batch/batch.ts';
import type { JobRecord } from '../job.ts';
import type { JobEntry } from '../job-requests.ts';
import { type JobProperties, propertiesWarnings } from '../job-text.ts';
import { type JobView, jobView } from './job-view.ts';
import type { SignedUrl } from './result-signer.ts';

/** A job with what only its text holds. */
export interface JobDetail {
  readonly job: JobView;
  /** Exact JSON text; null = none. */
  readonly properties: string | null;
}

export function jobDetail(
  batch: Batch,
  index: number,
  entry: JobEntry,
  record: JobRecord | null,
  properties: JobProperties | null,
  url: SignedUrl | null,
): JobDetail {
  const job = jobView(batch, index, entry, record, url);
  // Planning stores the warning with the job.
  const beforePlan = (record?.model ?? null) === null ? propertiesWarnings(properties) : [];
  return {
    job: { ...job, warnings: [...job.warnings, ...beforePlan] },
    properties: properties?.text ?? null,
  };
}
