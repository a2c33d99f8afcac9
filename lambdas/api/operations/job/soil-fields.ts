import { RawJson } from '#engine/json/raw-json.ts';
import type { JobDetail } from '../../../domain/job/reading/job-view.ts';

/** What a STAC Item says of its job, besides STAC's own fields: as in the batch status, without nulls. */
export function soilFields({ job, properties }: JobDetail): Readonly<Record<string, unknown>> {
  const fields = {
    job_index: job.job_index,
    status: job.status,
    model: job.model,
    error_code: job.error_code,
    error_message: job.error_message,
    warnings: job.warnings.length === 0 ? null : job.warnings,
    summary: job.summary,
    properties: properties === null ? null : new RawJson(properties),
  };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [`soil:${name}`, value]),
  );
}
