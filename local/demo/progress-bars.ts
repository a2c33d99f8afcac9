import { MultiBar, type SingleBar } from 'cli-progress';
import { type Batch, type BatchStatus, isFinal, type Job } from 'soil-batch-client';

const POLL_MS = 500;

/** Beside the bar, the counts and the longest state, a name of this width fits into a line of 80 columns. */
const NAME_WIDTH = 26;

/**
 * Polls the batch until it is final and shows one progress bar per job on stderr. If stderr is not a
 * terminal, it prints a line at each change of a job instead.
 */
export async function watchBatch(
  batch: Batch,
  print: (line: string) => void,
): Promise<BatchStatus> {
  const bars = new MultiBar({
    format: '  {name} {bar} {value}/{total} patch-batches  {status}',
    hideCursor: true,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 16,
    noTTYOutput: false,
    stream: process.stderr,
  });
  const rows = new Map<string, SingleBar>();
  const printed = new Map<string, string>();
  for (;;) {
    const status = await batch.status({ jobs: 'all' });
    for (const job of status.jobs) await showJob(batch, job, bars, rows, printed, print);
    if (isFinal(status)) {
      bars.stop();
      return status;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function showJob(
  batch: Batch,
  job: Job,
  bars: MultiBar,
  rows: Map<string, SingleBar>,
  printed: Map<string, string>,
  print: (line: string) => void,
): Promise<void> {
  const detail = await batch.job(job.job_id, { limit: 1 });
  const total = detail.total_patch_batches ?? 0;
  const done = detail.completed_patch_batches ?? 0;
  const name = (job.name ?? job.job_id).padEnd(NAME_WIDTH);
  if (!process.stderr.isTTY) {
    const line = `  ${name} ${job.status}, ${done}/${total} patch-batches`;
    if (printed.get(job.job_id) !== line) print(line);
    printed.set(job.job_id, line);
    return;
  }
  const row = rows.get(job.job_id) ?? bars.create(total, 0, { name, status: job.status });
  rows.set(job.job_id, row);
  row.setTotal(Math.max(total, 1));
  row.update(job.status === 'completed' ? Math.max(total, 1) : done, { name, status: job.status });
}
