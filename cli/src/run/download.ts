import type { Job } from 'soil-batch-client';
import { DirectorySink } from 'soil-batch-client/node';
import { allBatches } from './batches.ts';
import type { Outcomes } from './outcomes.ts';
import type { Following } from './watch.ts';

/** A raster of the run. */
export interface Raster {
  /** Its job's index in the run. */
  readonly index: number;
  readonly file: string;
  readonly bytes: number;
  /** Whether an earlier call downloaded it. */
  readonly skipped: boolean;
}

/** Downloads the rasters that the folder does not have yet. */
export async function downloadRasters(
  { client, run, terminal, signal }: Following,
  { jobs, expired }: Outcomes,
): Promise<readonly Raster[]> {
  const completed = [...jobs].filter(
    ([index, { job }]) => job.status === 'completed' && !expired.has(index),
  );
  const indexes = new Map(completed.map(([index, { job }]) => [job.job_id, index]));
  const total = completed.reduce((sum, [, { job }]) => sum + bytesOf(job), 0);
  const sink = new DirectorySink(run.folder);
  const rasters: Raster[] = [];
  const received = new Map<string, number>();
  const bar = terminal.bar('Downloading', total);
  const show = () => {
    const bytes = [...received.values()].reduce((sum, one) => sum + one, 0);
    bar.update(bytes, `${rasters.length} of ${completed.length} files`);
  };
  try {
    for (const { id } of allBatches(run.state)) {
      await client.batch(id).download(sink, {
        signal,
        jobs: completed.flatMap(([, { batchId, job }]) => (batchId === id ? [job] : [])),
        nameOf: ({ job_id }) => run.jobs[indexes.get(job_id) ?? -1]?.file ?? `${job_id}.tif`,
        onProgress({ file, receivedBytes }) {
          received.set(file.name, receivedBytes);
          show();
        },
        onFile({ file, skipped }) {
          const { name, bytes, job } = file;
          const index = indexes.get(job.job_id);
          if (index === undefined) return;
          rasters.push({ index, file: name, bytes, skipped });
          received.set(name, bytes);
          show();
          terminal.report({ event: 'downloaded', file: name, bytes, skipped }, []);
        },
      });
    }
  } finally {
    bar.stop();
  }
  return rasters;
}

function bytesOf({ result }: Job): number {
  return result?.bytes ?? 0;
}
