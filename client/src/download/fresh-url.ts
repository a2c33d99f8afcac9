import { jobsOf } from '../batch/jobs.ts';
import { batchPath } from '../http/paths.ts';
import { SoilError } from '../http/soil-error.ts';
import type { ApiRequest, Transport } from '../http/transport.ts';
import type { Job, JobDetail } from '../schemas.ts';

/** A newly signed URL of a job's result. */
export async function freshUrl(
  transport: Transport,
  batchId: string,
  jobId: string,
  signal?: AbortSignal,
): Promise<string> {
  const read = (what: string): ApiRequest => {
    return { method: 'GET', path: batchPath(batchId, 'jobs', jobId, what), signal };
  };
  const { headers } = await transport.send({ ...read('result'), redirects: true });
  const location = headers.get('Location') ?? (await urlForPage());
  if (URL.canParse(location) && /^https?:$/.test(new URL(location).protocol)) return location;
  throw new SoilError(`Job ${jobId} has no URL of a result.`, { type: 'not-the-service' });

  /** A page can't read where a redirect leads to. V1 has no job status. */
  async function urlForPage(): Promise<string> {
    try {
      const request = { ...read('status'), query: { limit: 1 } };
      return urlOf(await transport.read<JobDetail>(request, 'signed_cog_url'));
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
