import { type DownloadableJob, downloadResult } from '../download/download.ts';
import { requestFreshUrl } from '../download/fresh-url.ts';
import { SoilError } from '../http/soil-error.ts';
import type { Transport } from '../http/transport.ts';
import { batchPath } from '../http/urls.ts';
import { withTimeout } from '../http/waiting.ts';
import type {
  BatchRetried,
  BatchStatus,
  BatchTotal,
  Deliveries,
  Item,
  Job,
  JobDetail,
  PatchBatch,
  RetryBatch,
} from '../schemas.ts';
import { pollChanges } from './changes.ts';
import { type JobsOptions, listJobs } from './jobs.ts';
import { pageThrough } from './pages.ts';
import { isFinal, pollProgress } from './progress.ts';
import {
  listResultPages,
  listResultRows,
  type ResultRow,
  type ResultsOptions,
  type ResultsPage,
} from './results.ts';

/** Options of every request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WaitOptions extends RequestOptions {
  /** The longest wait in milliseconds; by default, it lasts as long as the batch. */
  readonly timeout?: number | undefined;
}

export interface PageOptions extends RequestOptions {
  /** A number from 1 to 100. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface TotalOptions extends RequestOptions {
  /** Further batches in the same total, such as those of one run. */
  readonly others?: readonly (string | Batch)[] | undefined;
  /** Ids of jobs that no longer count, at most 150: those whose fields were sent again. */
  readonly exclude?: readonly string[] | undefined;
  /** A member of the jobs' properties: each total then has one for the jobs of each of its values. */
  readonly by?: string | undefined;
}

/** A batch of the service, by its ID. Constructing one makes no request. */
export class Batch {
  readonly id: string;
  readonly #transport: Transport;

  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.id = id;
  }

  /** Counts and progress, and one page of jobs if `jobs` is given. */
  status({
    jobs = 'none',
    updatedSince,
    signal,
    ...page
  }: PageOptions & {
    readonly jobs?: 'all' | 'completed' | 'failed' | 'none';
    /** Lists only jobs that changed at this time or later. */
    readonly updatedSince?: string | undefined;
  } = {}): Promise<BatchStatus> {
    const query = { jobs, updated_since: updatedSince, ...page };
    return this.#transport.getJson(batchPath(this.id, 'status'), { signal, query }, 'BatchStatus');
  }

  /**
   * The state of the batch whenever it has changed, without jobs; ends with the final one. Polls as often
   * as the service's `Retry-After` allows.
   */
  progress({ signal }: RequestOptions = {}): AsyncGenerator<BatchStatus, void, undefined> {
    return pollProgress(this.#transport, this.id, signal);
  }

  /**
   * The state of the batch at each poll, with the jobs that may have changed since the one before: at first with all. Ends
   * with the final one.
   */
  changes({ signal }: RequestOptions = {}): AsyncGenerator<BatchStatus, void, undefined> {
    return pollChanges(this.#transport, this.id, signal);
  }

  /** The jobs as they are now, or with `follow`, each one as it finishes. */
  jobs(options: JobsOptions = {}): AsyncGenerator<Job, void, undefined> {
    return listJobs(this.#transport, this.id, options);
  }

  /**
   * The final state of the batch.
   * @throws SoilError `timeout` if it is not final in time
   */
  waitFor({ signal: given, timeout = Infinity }: WaitOptions = {}): Promise<BatchStatus> {
    const message = `Batch ${this.id} is not finished after ${timeout} ms.`;
    const late = () => new SoilError(message, { type: 'timeout' });
    return withTimeout(timeout, late, given, async (signal) => {
      for await (const status of this.progress({ signal })) if (isFinal(status)) return status;
      throw late();
    });
  }

  /** Stops the batch: finished jobs keep their results, all others fail as `cancelled`. `waitFor()` returns how it ended. */
  async cancel({ signal }: RequestOptions = {}): Promise<BatchStatus> {
    let repeated = false;
    const onRepeat = () => {
      repeated = true;
    };
    const request = { signal, repeatable: true, onRepeat };
    try {
      return await this.#transport.postJson(batchPath(this.id, 'cancel'), request, 'BatchStatus');
    } catch (error) {
      // A lost response to the first attempt: it cancelled the batch.
      const done = repeated && error instanceof SoilError && error.type === 'batch-finished';
      if (!done) throw error;
      return this.status({ signal });
    }
  }

  /** Runs failed jobs again as a new batch; by default all. Repeating it returns the same batch. */
  async retry(
    selection: RetryBatch = {},
    { signal }: RequestOptions = {},
  ): Promise<{ readonly batch: Batch; readonly retried: BatchRetried }> {
    const body = JSON.stringify(selection);
    const request = { signal, body, repeatable: true };
    const path = batchPath(this.id, 'retry');
    const retried = await this.#transport.postJson(path, request, 'BatchRetried');
    return { batch: new Batch(this.#transport, retried.batch_id), retried };
  }

  /**
   * The raster of a completed job, which `jobs()` or `job()` returned. Continues broken connections, renews
   * expired URLs, and fails unless every byte has arrived.
   */
  download(job: DownloadableJob, { signal }: RequestOptions = {}): ReadableStream<Uint8Array> {
    return downloadResult(this.#transport, this.id, job, signal);
  }

  /** The rows of the table of all jobs: polygon, status, errors, summary and properties of each. */
  rows({ signal }: RequestOptions = {}): AsyncGenerator<ResultRow, void, undefined> {
    return listResultRows(this.#transport, this.id, signal);
  }

  /** The same table as text, page by page: byte for byte as the service wrote it, to store it. */
  results(options: ResultsOptions = {}): AsyncGenerator<ResultsPage, void, undefined> {
    return listResultPages(this.#transport, this.id, options);
  }

  /** Area, mean and stock of all completed jobs together, with the interval of one polygon of all their cells. */
  total({ others = [], exclude = [], by, signal }: TotalOptions = {}): Promise<BatchTotal> {
    const query = {
      batch_id: others.map((other) => (typeof other === 'string' ? other : other.id)),
      exclude,
      by,
    };
    return this.#transport.getJson(batchPath(this.id, 'total'), { signal, query }, 'BatchTotal');
  }

  /** One job with a page of its patch-batches. Only on V2. */
  job(jobId: string, { signal, ...query }: PageOptions = {}): Promise<JobDetail> {
    const path = batchPath(this.id, 'jobs', jobId, 'status');
    return this.#transport.getJson(path, { signal, query }, 'JobDetail');
  }

  /** Every patch-batch of a job. Only on V2. */
  patchBatches(
    jobId: string,
    { signal }: RequestOptions = {},
  ): AsyncGenerator<PatchBatch, void, undefined> {
    return pageThrough(async (cursor) => {
      const { patch_batches, next_cursor } = await this.job(jobId, { cursor, signal });
      return { items: patch_batches, next: next_cursor };
    });
  }

  /** One patch-batch. Only on V2. */
  patchBatch(jobId: string, index: number, { signal }: RequestOptions = {}): Promise<PatchBatch> {
    const path = batchPath(this.id, 'jobs', jobId, 'patches', String(index), 'status');
    return this.#transport.getJson(path, { signal }, 'PatchBatch');
  }

  /** A newly signed URL of a job's result, valid for 24 hours. Never send the API key to it. */
  resultUrl(jobId: string, { signal }: RequestOptions = {}): Promise<string> {
    return requestFreshUrl(this.#transport, this.id, jobId, signal);
  }

  /** A map of a job's result as SVG. */
  async preview(
    jobId: string,
    { band, signal }: RequestOptions & { readonly band?: string | undefined } = {},
  ): Promise<string> {
    const path = batchPath(this.id, 'jobs', jobId, 'preview');
    return this.#transport.getText(path, { query: { band }, signal });
  }

  /** A job's result as a STAC Item. */
  item(jobId: string, { signal }: RequestOptions = {}): Promise<Item> {
    return this.#transport.getJson(batchPath(this.id, 'jobs', jobId, 'item'), { signal }, 'Item');
  }

  /** The attempts to deliver the batch's webhook. */
  deliveries({ signal }: RequestOptions = {}): Promise<Deliveries> {
    return this.#transport.getJson(batchPath(this.id, 'deliveries'), { signal }, 'Deliveries');
  }

  /** Delivers the webhook again. Not repeated when its response is lost: see `deliveries()`. */
  redeliver({ signal }: RequestOptions = {}): Promise<Deliveries> {
    const request = { signal, repeatable: false };
    return this.#transport.postJson(batchPath(this.id, 'deliveries'), request, 'Deliveries');
  }
}
