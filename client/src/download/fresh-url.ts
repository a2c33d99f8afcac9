import { listJobs } from '../batch/jobs.ts';
import { notTheServiceError, SoilError } from '../http/soil-error.ts';
import type { Transport } from '../http/transport.ts';
import { batchPath } from '../http/urls.ts';
import type { Job, JobDetail } from '../schemas.ts';

export async function requestFreshUrl(
  transport: Transport,
  batchId: string,
  jobId: string,
  signal?: AbortSignal,
): Promise<string> {
  const path = (what: string) => batchPath(batchId, 'jobs', jobId, what);
  const request = { method: 'GET', path: path('result'), signal, redirects: true } as const;
  const { headers } = await transport.send(request);
  const location = headers.get('Location') ?? (await readUrlFromStatus());
  if (URL.canParse(location) && /^https?:$/.test(new URL(location).protocol)) return location;
  throw notTheServiceError(`Job ${jobId} has no result URL.`);

  /** A web page cannot read a redirect's target, so the URL comes from the job status or, on V1, the batch status. */
  async function readUrlFromStatus(): Promise<string> {
    try {
      const options = { query: { limit: 1 }, signal };
      return signedUrlOf(await transport.getJson(path('status'), options, 'JobDetail'));
    } catch (error) {
      if (!(error instanceof SoilError) || error.type !== 'only-on-v2') throw error;
    }
    for await (const job of listJobs(transport, batchId, { status: 'completed', signal })) {
      if (job.job_id === jobId) return signedUrlOf(job);
    }
    return '';
  }
}

function signedUrlOf({ signed_cog_url }: Job | JobDetail): string {
  return signed_cog_url ?? '';
}
