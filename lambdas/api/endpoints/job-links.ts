import * as z from 'zod/mini';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { JobModel } from '../../domain/job/job.ts';
import { INCONSISTENT, isConsistent, jobFields } from '../../domain/job/reading/job-schema.ts';
import type { JobView } from '../../domain/job/reading/job-view.ts';
import { describeModels, modelDescription } from '../../domain/job/reading/model-description.ts';
import type { ViewOf } from '../../domain/wire.ts';
import type { JobLinks } from '../../results/result-links.ts';
import { named } from '../specification/published.ts';

const link = (what: string) =>
  z
    .nullable(z.url())
    .check(z.describe(`${what}; needs your API key. Null unless the job is completed`));

const linkFields = {
  result_url: link('Lasts as long as the result: redirects to the raster at a newly signed URL'),
  item_url: link('The result as a STAC Item'),
} as const;

/**
 * The fields of a job in a status, of which one may have 1,000: the link to the preview is in the STAC Item. Webhooks lack the links, because they belong to no deployment.
 */
export const statusJobFields = { ...jobFields, ...linkFields } as const;

interface Linked {
  readonly status: string;
  readonly result_url: string | null;
  readonly item_url: string | null;
}

export function hasItsLinks({ status, ...job }: Linked): boolean {
  const links = [job.result_url, job.item_url];
  return links.every((url) => (url !== null) === (status === 'completed'));
}

export const LINKS_INCONSISTENT = 'status and links contradict each other';

export const jobModels = z
  .array(named('ModelDescription', modelDescription))
  .check(z.describe('The models of the jobs in this response, once each'));

export const statusJob = named(
  'Job',
  z
    .strictObject(statusJobFields)
    .check(z.refine(isConsistent, INCONSISTENT), z.refine(hasItsLinks, LINKS_INCONSISTENT)),
);

/** Their manifests describe the models of jobs. */
export interface ModelPorts {
  readonly catalogue: () => Promise<PackCatalogue>;
}

export async function describeJobModels({ catalogue }: ModelPorts, models: readonly JobModel[]) {
  return models.length === 0 ? [] : describeModels(await catalogue(), models);
}

/** A job with its links. */
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
