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
  CopiesRequested,
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

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WaitOptions extends RequestOptions {
  /** The longest wait in milliseconds; by default, there is no limit. */
  readonly timeout?: number | undefined;
}

export interface PageOptions extends RequestOptions {
  /** The number of items on a page, from 1 to 100. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface TotalOptions extends RequestOptions {
  /** Further batches to include in the total, such as all batches of one run. */
  readonly others?: readonly (string | Batch)[] | undefined;
  /** IDs of jobs to leave out, at most 150, such as jobs whose fields were submitted again. */
  readonly exclude?: readonly string[] | undefined;
  /** The name of a property of the jobs. Each total then also has a subtotal for each value of this property. */
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

  /** Returns counts and progress, and the jobs that `jobs` selects: all of them or, with `limit`, one page. */
  status({
    jobs = 'none',
    updatedSince,
    signal,
    ...page
  }: PageOptions & {
    readonly jobs?: 'all' | 'completed' | 'failed' | 'none';
    /** Only list jobs that changed at this time or later. */
    readonly updatedSince?: string | undefined;
  } = {}): Promise<BatchStatus> {
    const query = { jobs, updated_since: updatedSince, ...page };
    return this.#transport.getJson(batchPath(this.id, 'status'), { signal, query }, 'BatchStatus');
  }

  /**
   * Yields the state of the batch, without jobs, whenever it has changed, up to the final state. Polls as often
   * as the service's `Retry-After` allows.
   */
  progress({ signal }: RequestOptions = {}): AsyncGenerator<BatchStatus, void, undefined> {
    return pollProgress(this.#transport, this.id, signal);
  }

  /**
   * Yields the state of the batch at each poll, with the jobs that may have changed since the previous poll;
   * the first poll has all jobs. Ends with the final state.
   */
  changes({ signal }: RequestOptions = {}): AsyncGenerator<BatchStatus, void, undefined> {
    return pollChanges(this.#transport, this.id, signal);
  }

  /** Yields the jobs in the order of the request or, with `follow`, each job as it finishes. */
  jobs(options: JobsOptions = {}): AsyncGenerator<Job, void, undefined> {
    return listJobs(this.#transport, this.id, options);
  }

  /** Waits for the final state of the batch. @throws SoilError `timeout` if the batch is not final in time */
  waitFor({ signal: given, timeout = Infinity }: WaitOptions = {}): Promise<BatchStatus> {
    const message = `Batch ${this.id} is not finished after ${timeout} ms.`;
    const late = () => new SoilError(message, { type: 'timeout' });
    return withTimeout(timeout, late, given, async (signal) => {
      for await (const status of this.progress({ signal })) if (isFinal(status)) return status;
      throw late();
    });
  }

  /**
   * Stops the batch: finished jobs keep their results, all others fail as `cancelled`. `waitFor()` then returns
   * the final state.
   */
  async cancel({ signal }: RequestOptions = {}): Promise<BatchStatus> {
    let repeated = false;
    const onRepeat = () => {
      repeated = true;
    };
    const request = { signal, repeatable: true, onRepeat };
    try {
      return await this.#transport.postJson(batchPath(this.id, 'cancel'), request, 'BatchStatus');
    } catch (error) {
      // An earlier attempt may have cancelled the batch although it seemed to fail.
      const done = repeated && error instanceof SoilError && error.type === 'batch-finished';
      if (!done) throw error;
      return this.status({ signal });
    }
  }

  /** Retries failed jobs, by default all, as a new batch. The same selection returns the same batch again. */
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

  /** Starts copying the results that the destination of a finished batch lacks. */
  copyResults({ signal }: RequestOptions = {}): Promise<CopiesRequested> {
    const request = { signal, repeatable: false };
    return this.#transport.postJson(batchPath(this.id, 'destination'), request, 'CopiesRequested');
  }

  /**
   * Downloads the raster of a completed job, as returned by `jobs()` or `job()`. Continues after a broken
   * connection, renews expired URLs, and fails unless every byte arrives.
   */
  download(job: DownloadableJob, { signal }: RequestOptions = {}): ReadableStream<Uint8Array> {
    return downloadResult(this.#transport, this.id, job, signal);
  }

  /** Yields a row for every job, with its polygon, status, errors, summary and properties. */
  rows({ signal }: RequestOptions = {}): AsyncGenerator<ResultRow, void, undefined> {
    return listResultRows(this.#transport, this.id, signal);
  }

  /** Yields the table of `rows()` as text, page by page, exactly as the service wrote it. */
  results(options: ResultsOptions = {}): AsyncGenerator<ResultsPage, void, undefined> {
    return listResultPages(this.#transport, this.id, options);
  }

  /**
   * Returns the area, mean and stock of the completed jobs together, for each model and data period, with the interval
   * that a single polygon of all their cells would have.
   */
  total({ others = [], exclude = [], by, signal }: TotalOptions = {}): Promise<BatchTotal> {
    const query = {
      batch_id: others.map((other) => (typeof other === 'string' ? other : other.id)),
      exclude,
      by,
    };
    return this.#transport.getJson(batchPath(this.id, 'total'), { signal, query }, 'BatchTotal');
  }

  /** Returns a job with a page of its patch-batches. Only on V2. */
  job(jobId: string, { signal, ...query }: PageOptions = {}): Promise<JobDetail> {
    const path = batchPath(this.id, 'jobs', jobId, 'status');
    return this.#transport.getJson(path, { signal, query }, 'JobDetail');
  }

  /** Yields every patch-batch of a job. Only on V2. */
  patchBatches(
    jobId: string,
    { signal }: RequestOptions = {},
  ): AsyncGenerator<PatchBatch, void, undefined> {
    return pageThrough(async (cursor) => {
      const { patch_batches, next_cursor } = await this.job(jobId, { cursor, signal });
      return { items: patch_batches, next: next_cursor };
    });
  }

  /** Returns a patch-batch. Only on V2. */
  patchBatch(jobId: string, index: number, { signal }: RequestOptions = {}): Promise<PatchBatch> {
    const path = batchPath(this.id, 'jobs', jobId, 'patches', String(index), 'status');
    return this.#transport.getJson(path, { signal }, 'PatchBatch');
  }

  /** Returns a newly signed URL of a job's result, valid for 24 hours. Never send the API key to this URL. */
  resultUrl(jobId: string, { signal }: RequestOptions = {}): Promise<string> {
    return requestFreshUrl(this.#transport, this.id, jobId, signal);
  }

  /** Returns a map of a job's result as SVG. */
  async preview(
    jobId: string,
    { band, signal }: RequestOptions & { readonly band?: string | undefined } = {},
  ): Promise<string> {
    const path = batchPath(this.id, 'jobs', jobId, 'preview');
    return this.#transport.getText(path, { query: { band }, signal });
  }

  /** Returns a job's result as a STAC Item. */
  item(jobId: string, { signal }: RequestOptions = {}): Promise<Item> {
    return this.#transport.getJson(batchPath(this.id, 'jobs', jobId, 'item'), { signal }, 'Item');
  }

  /** Lists the attempts to deliver the batch's webhook. */
  deliveries({ signal }: RequestOptions = {}): Promise<Deliveries> {
    return this.#transport.getJson(batchPath(this.id, 'deliveries'), { signal }, 'Deliveries');
  }

  /** Delivers the webhook again. If the response is lost, the request is not retried: check `deliveries()`. */
  redeliver({ signal }: RequestOptions = {}): Promise<Deliveries> {
    const request = { signal, repeatable: false };
    return this.#transport.postJson(batchPath(this.id, 'deliveries'), request, 'Deliveries');
  }
}
