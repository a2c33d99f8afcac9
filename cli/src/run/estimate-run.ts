import type { Estimate, JobEstimate, SoilClient, Usage } from 'soil-batch-client';
import type { PlannedChunk } from './plan-run.ts';

/** What the jobs of some batches would yield. */
export interface RunEstimate {
  readonly hectares: number;
  /** Null while the service can't tell. */
  readonly seconds: { readonly min: number; readonly max: number } | null;
  readonly usd: number | null;
  readonly region: string | null;
  /** Jobs that were not planned in time: their errors are not known. */
  readonly unplanned: number;
  readonly jobs: readonly RunJobEstimate[];
  /** Today's quota, before the run. */
  readonly usage: Usage;
  readonly fitsToday: boolean;
}

export interface RunJobEstimate extends JobEstimate {
  /** Position in the run. */
  readonly index: number;
}

export async function estimateRun(
  client: SoilClient,
  chunks: readonly PlannedChunk[],
  signal: AbortSignal,
  onChunk: (done: number) => void,
): Promise<RunEstimate> {
  const usage = await client.usage({ signal });
  const estimates: Estimate[] = [];
  for (const { body } of chunks) {
    estimates.push(await client.estimate(body, { signal }));
    onChunk(estimates.length);
  }
  const jobs = estimates.flatMap((estimate, chunk) =>
    estimate.jobs.map((job) => ({ ...job, index: chunks[chunk]?.jobs[job.job_index] ?? -1 })),
  );
  const hectares = sumOf(estimates, (estimate) => estimate.hectares) ?? 0;
  return {
    hectares,
    seconds: secondsOf(estimates),
    usd: sumOf(estimates, ({ expected_cost }) => expected_cost?.usd ?? null),
    region: estimates[0]?.expected_cost?.region ?? null,
    unplanned: sumOf(estimates, (estimate) => estimate.unplanned_jobs) ?? 0,
    jobs,
    usage,
    fitsToday: jobs.length <= usage.jobs.remaining && hectares <= usage.hectares.remaining,
  };
}

/** Batches run side by side at best, one after another at worst. */
function secondsOf(estimates: readonly Estimate[]): RunEstimate['seconds'] {
  const ranges = estimates.map(({ expected_duration }) => expected_duration);
  const max = sumOf(ranges, (range) => range?.max_seconds ?? null);
  if (max === null) return null;
  return { min: Math.max(...ranges.map((range) => range?.min_seconds ?? 0)), max };
}

/** Null if one of the values is. */
function sumOf<Item>(items: readonly Item[], value: (item: Item) => number | null): number | null {
  return items.reduce<number | null>((sum, item) => {
    const one = value(item);
    return sum === null || one === null ? null : sum + one;
  }, 0);
}
