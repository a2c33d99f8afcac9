import { type Job, type SoilClient, SoilError } from 'soil-batch-client';
import { DirectorySink } from 'soil-batch-client/node';
import { allBatches, jobsIn } from './batches.ts';
import { unchangedText, writeRecorded } from './digests.ts';
import type { Run } from './run.ts';
import { STATE_FOLDER } from './run-file.ts';

/** The newest job of the service for one job of the run, and the batch that has it. */
export interface Outcome {
  readonly batchId: string;
  readonly job: Job;
}

export interface Outcomes {
  /** By the index in the run. A retried job replaces its predecessor. Jobs of no batch are absent. */
  readonly jobs: ReadonlyMap<number, Outcome>;
  /** Indexes of the jobs whose result expired before it was downloaded. */
  readonly expired: ReadonlySet<number>;
  /** Every job, by its batch: also those that were replaced, or whose field the run no longer has. */
  readonly batches: ReadonlyMap<string, readonly Job[]>;
}

/** What became of each job of the run; without a client, as far as the folder knows. */
export async function readOutcomes(
  client: SoilClient | null,
  run: Run,
  signal: AbortSignal,
): Promise<Outcomes> {
  const jobs = new Map<number, Outcome>();
  const expired = new Set<number>();
  const batches = new Map<string, readonly Job[]>();
  const indexes = new Map<string, number>();
  const folder = new DirectorySink(run.folder);
  for (const { id: batchId, chunk } of allBatches(run.state)) {
    const indexOf = (job: Job) => {
      const before = job.retry_of_job_id;
      return before === undefined ? (chunk.jobs[job.job_index] ?? null) : indexes.get(before);
    };
    const isHere = async (job: Job) => {
      const file = run.jobs[indexOf(job) ?? -1]?.file;
      if (job.result === null || file === undefined) return true;
      return folder.holds({ ...job.result, name: file });
    };
    const { found, isGone } = await jobsOfBatch(client, run, batchId, isHere, signal);
    batches.set(batchId, found);
    // Of a batch that was deleted before its jobs were read, nothing is known but that it had them.
    const isUnknown = found.length === 0 && batchId === chunk.batches[0].batch_id;
    for (const index of isUnknown ? jobsIn(chunk) : []) expired.add(index);
    for (const job of found) {
      const index = indexOf(job) ?? null;
      if (index === null) continue;
      indexes.set(job.job_id, index);
      jobs.set(index, { batchId, job });
      if (isGone && !(await isHere(job))) expired.add(index);
      else expired.delete(index);
    }
  }
  return { jobs, expired, batches };
}

interface BatchJobs {
  readonly found: readonly Job[];
  /** The service has deleted the batch with its results. */
  readonly isGone: boolean;
}

/**
 * The jobs of a batch: from the folder if they are final and each result is downloaded, so that they
 * outlive the batch; or else from the service, with URLs of their results.
 */
async function jobsOfBatch(
  client: SoilClient | null,
  { folder }: Run,
  batchId: string,
  isHere: (job: Job) => Promise<boolean>,
  signal: AbortSignal,
): Promise<BatchJobs> {
  const stored = await storedJobs(folder, batchId);
  if (stored !== null && (await every(stored, isHere))) return { found: stored, isGone: false };
  if (client === null) return { found: stored ?? [], isGone: false };
  try {
    const found: Job[] = [];
    for await (const job of client.batch(batchId).jobs({ signal })) found.push(job);
    if (stored === null && found.every(isFinal)) await storeJobs(folder, batchId, found);
    return { found, isGone: false };
  } catch (error) {
    if (!isDeleted(error)) throw error;
    return { found: stored ?? [], isGone: true };
  }
}

/** Whether the service no longer has a batch, or never had it. */
export function isDeleted(error: unknown): boolean {
  return error instanceof SoilError && error.type === 'batch-not-found';
}

function isFinal({ status }: Job): boolean {
  return status === 'completed' || status === 'failed';
}

/** Without signed URLs, which are secrets and valid for a day. */
async function storeJobs(folder: string, batchId: string, jobs: readonly Job[]): Promise<void> {
  const unsigned = jobs.map((job) => ({
    ...job,
    signed_cog_url: null,
    signed_cog_url_created_at: null,
    signed_url_expires_at: null,
  }));
  await writeRecorded(folder, new Map([[jobsFile(batchId), JSON.stringify(unsigned)]]));
}

/** Null if they were changed, too: the service is asked again. */
async function storedJobs(folder: string, batchId: string): Promise<readonly Job[] | null> {
  const text = await unchangedText(folder, jobsFile(batchId));
  try {
    // This program wrote it, as a whole.
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** The jobs of a finished batch, by path in the folder of the run. */
export function jobsFile(batchId: string): string {
  return `${STATE_FOLDER}/batch-${batchId}.json`;
}

async function every<Item>(items: readonly Item[], holds: (item: Item) => Promise<boolean>) {
  for (const item of items) if (!(await holds(item))) return false;
  return true;
}
