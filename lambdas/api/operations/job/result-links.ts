import * as z from 'zod/mini';
import { INCONSISTENT, isConsistent, jobFields } from '../../../domain/job/reading/job-schema.ts';
import type { JobView } from '../../../domain/job/reading/job-view.ts';
import type { ViewOf } from '../../../domain/wire.ts';
import { paths } from '../../http/routes.ts';
import { named } from '../../specification/published.ts';

const link = (what: string) =>
  z
    .nullable(z.url())
    .check(z.describe(`${what}; needs your API key. Null unless the job is completed`));

const linkFields = {
  result_url: link('Lasts as long as the result: redirects to the raster at a newly signed URL'),
  preview_url: link('A map of the result as SVG'),
  item_url: link('The result as a STAC Item'),
} as const;

/** The fields of a job in a status. Webhooks lack the links, because they belong to no deployment. */
export const statusJobFields = { ...jobFields, ...linkFields } as const;

interface Linked {
  readonly status: string;
  readonly result_url: string | null;
  readonly preview_url: string | null;
  readonly item_url: string | null;
}

export function hasItsLinks({ status, ...job }: Linked): boolean {
  const links = [job.result_url, job.preview_url, job.item_url];
  return links.every((url) => (url !== null) === (status === 'completed'));
}

export const LINKS_INCONSISTENT = 'status and links contradict each other';

export const statusJob = named(
  'Job',
  z
    .strictObject(statusJobFields)
    .check(z.refine(isConsistent, INCONSISTENT), z.refine(hasItsLinks, LINKS_INCONSISTENT)),
);

/** Where a result can be read while it exists, unlike at a signed URL. */
export function resultLinks(baseUrl: string, batchId: string, jobId: string) {
  const at = (what: 'result' | 'preview' | 'item') =>
    baseUrl + paths.ofResult(batchId, jobId, what);
  return { result: at('result'), preview: at('preview'), item: at('item') };
}

/** A job with its links. */
export function withLinks<Job extends JobView>(
  job: Job,
  baseUrl: string,
  batchId: string,
): Job & ViewOf<typeof statusJob> {
  const links = job.status === 'completed' ? resultLinks(baseUrl, batchId, job.job_id) : null;
  return {
    ...job,
    result_url: links?.result ?? null,
    preview_url: links?.preview ?? null,
    item_url: links?.item ?? null,
  };
}
