import * as z from 'zod/mini';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { JobModel } from '../../domain/job/job.ts';
import { INCONSISTENT, isConsistent, jobFields } from '../../domain/job/reading/job-schema.ts';
import type { JobView } from '../../domain/job/reading/job-view.ts';
import { describeModels, modelDescription } from '../../domain/job/reading/model-description.ts';
import type { ViewOf } from '../../domain/wire.ts';
import type { JobLinks } from '../../results/result-links.ts';
import { named } from '../specification/published.ts';

const link = (subject: string) =>
  z
    .nullable(z.url())
    .check(z.describe(`${subject}; requires your API key. Null unless the job is completed`));

const linkFields = {
  result_url: link(
    'Link that works as long as the result exists and redirects to a newly signed URL of the raster',
  ),
  item_url: link('The result as a STAC Item'),
} as const;

/**
 * A status has no links to previews, which would lengthen a response with up to 1,000 jobs. The jobs in a webhook have
 * no links, because a webhook belongs to neither V1 nor V2.
 */
export const statusJobFields = { ...jobFields, ...linkFields } as const;

interface LinkedJob {
  readonly status: string;
  readonly result_url: string | null;
  readonly item_url: string | null;
}

export function hasLinksIfCompleted({ status, ...job }: LinkedJob): boolean {
  const links = [job.result_url, job.item_url];
  return links.every((url) => (url !== null) === (status === 'completed'));
}

export const LINKS_INCONSISTENT = 'the status and the links contradict each other';

export const jobModels = z
  .array(named('ModelDescription', modelDescription))
  .check(
    z.describe(
      'The models of the jobs in this response, one entry for each `model` and `model_sha256`',
    ),
  );

export const statusJob = named(
  'Job',
  z
    .strictObject(statusJobFields)
    .check(z.refine(isConsistent, INCONSISTENT), z.refine(hasLinksIfCompleted, LINKS_INCONSISTENT)),
);

export interface ModelPorts {
  readonly catalogue: () => Promise<PackCatalogue>;
}

export async function describeJobModels({ catalogue }: ModelPorts, models: readonly JobModel[]) {
  return models.length === 0 ? [] : describeModels(await catalogue(), models);
}

/** The links are null unless the job is completed. */
export function withLinks<Job extends JobView>(
  job: Job,
  linksOf: JobLinks,
): Job & ViewOf<typeof statusJob> {
  const links = job.status === 'completed' ? linksOf(job.job_id) : null;
  return {
    ...job,
    result_url: links?.result ?? null,
    item_url: links?.item ?? null,
  };
}
