import { type Batch, type BatchStatus, isFinal, type Job } from 'soil-batch-client';

const POLL_MS = 500;

/** The length of the longest job name in the example. */
const NAME_WIDTH = 26;

export async function watchBatch(
  batch: Batch,
  print: (line: string) => void,
): Promise<BatchStatus> {
  const printed = new Map<string, string>();
  for (;;) {
    const status = await batch.status({ jobs: 'all' });
    for (const job of status.jobs) {
      const line = await formatJobLine(batch, job);
      if (printed.get(job.job_id) !== line) print(line);
      printed.set(job.job_id, line);
    }
    if (isFinal(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function formatJobLine(batch: Batch, job: Job): Promise<string> {
  const detail = await batch.job(job.job_id, { limit: 1 });
  const progress = `${detail.completed_patch_batches ?? 0}/${detail.total_patch_batches ?? 0}`;
  const name = (job.name ?? job.job_id).padEnd(NAME_WIDTH);
  return `  ${name} ${job.status}, ${progress} patch-batches`;
}
