import { jobsOf } from '../batch/jobs.ts';
import { invalidInput } from '../http/soil-error.ts';
import type { Transport } from '../http/transport.ts';
import { abortWith } from '../http/waiting.ts';
import type { Job } from '../schemas.ts';
import { fileNameOf, uniqueNames } from './file-names.ts';
import type { ResultFile, Sink } from './sink.ts';
import { Transfer } from './transfer.ts';

const DEFAULT_CONCURRENCY = 4;

export interface DownloadOptions {
  /** How many files at the same time; 4 by default. */
  readonly concurrency?: number | undefined;
  /** Downloads each result as its job finishes, until the batch is final. */
  readonly follow?: boolean | undefined;
  /** Completed jobs of the batch, as `jobs()` yields them; without it, all are listed. */
  readonly jobs?: Iterable<Job> | undefined;
  /** The file name of a job; by default that of `fileNameOf`. A repeated name gets the job's index. */
  readonly nameOf?: ((job: Job) => string) | undefined;
  /** Called as bytes arrive. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** Called for each file as soon as the sink holds it whole. */
  readonly onFile?: ((result: DownloadResult) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DownloadProgress {
  readonly file: ResultFile;
  /** Bytes held so far; falls when a file has to be restarted. */
  readonly receivedBytes: number;
}

/** A file that the sink now holds whole. */
export interface DownloadResult {
  readonly file: ResultFile;
  /** Whether the sink held it before. */
  readonly skipped: boolean;
}

/**
 * Downloads the results of completed jobs. The first failure stops the other files too; what they have
 * received is kept for the next call.
 */
export async function downloadBatch(
  transport: Transport,
  batchId: string,
  sink: Sink,
  options: DownloadOptions,
): Promise<DownloadResult[]> {
  const { concurrency = DEFAULT_CONCURRENCY, follow, jobs: given } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw invalidInput('concurrency must be an integer from 1');
  }
  const failure = new AbortController();
  const { signal } = failure;
  const stopFollowing = abortWith(options.signal, failure);
  const jobs =
    given === undefined
      ? jobsOf(transport, batchId, { status: 'completed', follow, signal })
      : each(given);
  const nameOf = uniqueNames(options.nameOf ?? fileNameOf);
  const results: DownloadResult[] = [];
  const errors: unknown[] = [];
  const worker = async () => {
    try {
      for await (const job of shared(jobs)) {
        const file = fileOf(job, nameOf(job));
        const result = await downloadFile(transport, batchId, sink, file, signal, options);
        results.push(result);
        options.onFile?.(result);
      }
    } catch (error) {
      errors.push(error);
      failure.abort(error);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  stopFollowing();
  if (errors.length > 0) throw errors[0];
  return results.sort((a, b) => a.file.job.job_index - b.file.job.job_index);
}

async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  yield* items;
}

/** Lets several loops take turns on one iterator: none of them ends it for the others. */
function shared<Item>(iterator: AsyncGenerator<Item, void, undefined>): AsyncIterable<Item> {
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}

function fileOf(job: Job, name: string): ResultFile {
  if (job.result === null)
    throw invalidInput(`job ${job.job_id} is ${job.status}: it has no result`);
  const { bytes, etag } = job.result;
  return { name, job, bytes, etag };
}

async function downloadFile(
  transport: Transport,
  batchId: string,
  sink: Sink,
  file: ResultFile,
  signal: AbortSignal,
  { onProgress }: DownloadOptions,
): Promise<DownloadResult> {
  signal.throwIfAborted();
  const target = await sink.open(file);
  if (target === null) return { file, skipped: true };
  const onBytes = (receivedBytes: number) => onProgress?.({ file, receivedBytes });
  try {
    await new Transfer(transport, batchId, file, target, signal, onBytes).run();
    await target.finish();
    return { file, skipped: false };
  } catch (error) {
    // The first error is the cause.
    await target.suspend().catch(() => {});
    throw error;
  }
}
