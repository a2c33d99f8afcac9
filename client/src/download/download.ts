import { computeBackOff } from '../http/retries.ts';
import { invalidInputError, SoilError } from '../http/soil-error.ts';
import { describeFailure, type Transport } from '../http/transport.ts';
import { abortWith, sleep, withTimeout } from '../http/waiting.ts';
import type { Job } from '../schemas.ts';
import { requestFreshUrl } from './fresh-url.ts';
import { readResponse } from './read-response.ts';

/** A slower connection is abandoned. */
const LEAST_BYTES_PER_SECOND = 500;
const WINDOW_SECONDS = 60;
const LEAST_BYTES = WINDOW_SECONDS * LEAST_BYTES_PER_SECOND;

export type DownloadableJob = Pick<Job, 'job_id' | 'status' | 'result' | 'signed_cog_url'>;

class DownloadInterrupted extends Error {}

/** @throws SoilError `invalid-input` if the job has no result */
export function downloadResult(
  transport: Transport,
  batchId: string,
  job: DownloadableJob,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const cancelled = new AbortController();
  const stopFollowing = abortWith(signal, cancelled);
  const bytes = new Download(transport, batchId, job, cancelled.signal).bytes();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await bytes.next();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        stopFollowing();
      },
      async cancel(reason) {
        stopFollowing();
        cancelled.abort(reason);
        await bytes.return();
      },
    },
    // The first read sends the first request.
    { highWaterMark: 0 },
  );
}

class Download {
  readonly #transport: Transport;
  readonly #batchId: string;
  readonly #jobId: string;
  readonly #size: number;
  readonly #etag: string;
  readonly #signal: AbortSignal;
  #url: string | null;
  #received = 0;
  /** The time spent waiting for the server on this connection, without the reader's pauses. */
  #waitedMs = 0;

  constructor(transport: Transport, batchId: string, job: DownloadableJob, signal: AbortSignal) {
    const { job_id, status, result, signed_cog_url } = job;
    if (result === null) throw invalidInputError(`job ${job_id} is ${status}: it has no result`);
    this.#transport = transport;
    this.#batchId = batchId;
    this.#jobId = job_id;
    this.#size = result.bytes;
    this.#etag = result.etag;
    this.#signal = signal;
    this.#url = signed_cog_url;
  }

  async *bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    const { retries } = this.#transport;
    let failures = 0;
    while (this.#received < this.#size) {
      const before = this.#received;
      this.#waitedMs = 0;
      try {
        yield* this.#connection();
      } catch (error) {
        if (!(error instanceof DownloadInterrupted)) throw error;
        if (this.#received === this.#size) return;
        const gained = this.#received - before;
        const isSlow = gained < (this.#waitedMs / 1000) * LEAST_BYTES_PER_SECOND;
        failures = gained > 0 && !isSlow ? 1 : failures + 1;
        if (failures >= retries.attempts) throw this.#failed(error.message);
        // A web page cannot distinguish a rejected URL from a broken connection if the response has no CORS
        // headers.
        if (failures > 1) this.#url = null;
        await sleep(computeBackOff(failures, retries) * 1000, this.#signal);
      }
    }
  }

  /** Yields missing bytes until the connection ends. @throws DownloadInterrupted if another connection may continue */
  async *#connection(): AsyncGenerator<Uint8Array, void, undefined> {
    this.#url ??= await requestFreshUrl(this.#transport, this.#batchId, this.#jobId, this.#signal);
    const connection = new AbortController();
    const stopFollowing = abortWith(this.#signal, connection);
    try {
      const response = await this.#request(this.#url, connection.signal);
      // A server without range support sends the whole content again.
      let repeated = this.#received - this.#startOf(response);
      for await (const chunk of this.#chunks(response)) {
        const bytes = chunk.subarray(Math.min(repeated, chunk.length));
        repeated -= chunk.length - bytes.length;
        this.#received += bytes.length;
        if (this.#received > this.#size) {
          throw this.#failed(`it has more bytes than the ${this.#size} in the job's status`);
        }
        if (bytes.length > 0) yield bytes;
      }
    } finally {
      stopFollowing();
      connection.abort();
    }
    if (this.#received < this.#size) {
      const progress = `${this.#received} of ${this.#size} bytes`;
      throw new DownloadInterrupted(`the connection ended after ${progress}`);
    }
  }

  /** Requests the missing bytes from the bucket, without the API key, which only the service may see. */
  #request(url: string, signal: AbortSignal): Promise<Response> {
    return this.#waitFor(WINDOW_SECONDS * 1000, () =>
      this.#transport.fetch(url, {
        headers: this.#received > 0 ? { Range: `bytes=${this.#received}-` } : {},
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        signal,
      }),
    );
  }

  #startOf(response: Response): number {
    const outcome = readResponse(response, this.#etag, this.#received);
    switch (outcome.kind) {
      case 'bytes':
        return outcome.start;
      case 'expired':
        this.#url = null;
        throw new DownloadInterrupted('the signed URL is not valid');
      case 'transient':
        throw new DownloadInterrupted(outcome.reason);
      case 'final':
        throw this.#failed(outcome.reason);
    }
  }

  async *#chunks({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = body?.getReader();
    if (reader === undefined) throw new DownloadInterrupted('the response has no body');
    let arrived = 0;
    let deadlineMs = this.#waitedMs + WINDOW_SECONDS * 1000;
    try {
      for (;;) {
        const read = this.#waitFor(deadlineMs - this.#waitedMs, () => reader.read());
        const { done, value } = await read;
        if (done) return;
        arrived += value.length;
        if (arrived >= LEAST_BYTES) {
          arrived = 0;
          deadlineMs = this.#waitedMs + WINDOW_SECONDS * 1000;
        }
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  /** @throws DownloadInterrupted if the work fails, or takes longer than `milliseconds` */
  async #waitFor<Value>(milliseconds: number, work: () => Promise<Value>): Promise<Value> {
    this.#signal.throwIfAborted();
    const started = Date.now();
    const late = () => new Error(`fewer than ${LEAST_BYTES} bytes arrived in ${WINDOW_SECONDS} s`);
    try {
      return await withTimeout(milliseconds, late, this.#signal, work);
    } catch (error) {
      this.#signal.throwIfAborted();
      throw new DownloadInterrupted(describeFailure(error));
    } finally {
      this.#waitedMs += Date.now() - started;
    }
  }

  /** The error never names the signed URL, which is a secret. */
  #failed(reason: string): SoilError {
    return new SoilError(`The result of job ${this.#jobId} cannot be downloaded: ${reason}.`, {
      type: 'download',
    });
  }
}
