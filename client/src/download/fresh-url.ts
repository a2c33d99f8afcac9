import { jobsOf } from '../batch/jobs.ts';
import { notTheService, SoilError } from '../http/soil-error.ts';
import type { Transport } from '../http/transport.ts';
import { batchPath } from '../http/urls.ts';
import type { Job, JobDetail } from '../schemas.ts';

/** A newly signed URL of a job's result. */
export async function freshUrl(
  transport: Transport,
  batchId: string,
  jobId: string,
  signal?: AbortSignal,
): Promise<string> {
  const path = (what: string) => batchPath(batchId, 'jobs', jobId, what);
  const request = { method: 'GET', path: path('result'), signal, redirects: true } as const;
  const { headers } = await transport.send(request);
  const location = headers.get('Location') ?? (await urlForPage());
  if (URL.canParse(location) && /^https?:$/.test(new URL(location).protocol)) return location;
  throw notTheService(`Job ${jobId} has no URL of a result.`);

  /** A page can't read where a redirect leads to. V1 has no job status. */
  async function urlForPage(): Promise<string> {
    try {
      const options = { query: { limit: 1 }, signal };
      return urlOf(await transport.get(path('status'), options, 'JobDetail'));
    } catch (error) {
      if (!(error instanceof SoilError) || error.type !== 'only-on-v2') throw error;
    }
    for await (const job of jobsOf(transport, batchId, { status: 'completed', signal })) {
      if (job.job_id === jobId) return urlOf(job);
    }
    return '';
  }
}

function urlOf({ signed_cog_url }: Job | JobDetail): string {
  return signed_cog_url ?? '';
}
