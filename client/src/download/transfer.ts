import { backOff } from '../http/retries.ts';
import { SoilError } from '../http/soil-error.ts';
import { reasonOf, type Transport } from '../http/transport.ts';
import { abortWith, sleep, unlessAborted } from '../http/waiting.ts';
import { freshUrl } from './fresh-url.ts';
import { readResponse } from './read-response.ts';
import type { ResultFile, SinkFile } from './sink.ts';

/** A slower connection is given up: four downloads share a modem of 16 kbit/s at this rate. */
const LEAST_BYTES_PER_SECOND = 500;
/** How often the rate of a connection is judged. */
const WINDOW_SECONDS = 60;

/** A failure after which the download continues where it stopped. */
class Interrupted extends Error {}

/** Fetches what is missing of one file, over as many connections as it takes. */
export class Transfer {
  readonly #transport: Transport;
  readonly #batchId: string;
  readonly #file: ResultFile;
  readonly #target: SinkFile;
  readonly #signal: AbortSignal;
  readonly #onBytes: (received: number) => void;
  #url: string | null;
  #received: number;
  /** Bytes that arrived since the rate was judged. */
  #arrived = 0;

  constructor(
    transport: Transport,
    batchId: string,
    file: ResultFile,
    target: SinkFile,
    signal: AbortSignal,
    onBytes: (received: number) => void,
  ) {
    this.#transport = transport;
    this.#batchId = batchId;
    this.#file = file;
    this.#target = target;
    this.#signal = signal;
    this.#onBytes = onBytes;
    this.#url = file.job.signed_cog_url;
    this.#received = target.held;
  }

  async run(): Promise<void> {
    const { retries } = this.#transport;
    const { bytes } = this.#file;
    if (this.#received > bytes) await this.#restart();
    let failures = 0;
    let furthest = this.#received;
    while (this.#received < bytes) {
      const url = await this.#currentUrl();
      const start = Date.now();
      try {
        await this.#connect(url);
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
        const gained = this.#received - furthest;
        const isSlow = gained < ((Date.now() - start) / 1000) * LEAST_BYTES_PER_SECOND;
        failures = gained > 0 && !isSlow ? 1 : failures + 1;
        furthest = Math.max(furthest, this.#received);
        if (failures >= retries.attempts) throw this.#failed(error.message);
        // A page can't tell a rejected URL from a broken connection if the response allows no origin.
        if (failures > 1) this.#url = null;
        await sleep(backOff(failures, retries) * 1000, this.#signal);
      }
    }
  }

  /** One connection. @throws Interrupted if another one may continue */
  async #connect(url: string): Promise<void> {
    const connection = new AbortController();
    const stopFollowing = abortWith(this.#signal, connection);
    this.#arrived = 0;
    const judge = () => {
      const least = WINDOW_SECONDS * LEAST_BYTES_PER_SECOND;
      const late = `fewer than ${least} bytes in ${WINDOW_SECONDS} s`;
      if (this.#arrived < least) connection.abort(new Error(late));
      this.#arrived = 0;
    };
    const timer = setInterval(judge, WINDOW_SECONDS * 1000);
    try {
      const response = await this.#request(url, connection.signal);
      await this.#receive(response, connection.signal);
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error;
    } finally {
      clearInterval(timer);
      stopFollowing();
      connection.abort();
    }
  }

  /** Requests the missing bytes from the bucket: without the key, which is for the service alone. */
  async #request(url: string, signal: AbortSignal): Promise<Response> {
    const from = this.#received;
    const requested = this.#transport.fetch(url, {
      headers: from > 0 ? { Range: `bytes=${from}-` } : {},
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal,
    });
    const response = await unlessAborted(signal, requested).catch((error: unknown) => {
      throw new Interrupted(reasonOf(error));
    });
    const outcome = readResponse(response, this.#file.etag, from);
    switch (outcome.kind) {
      case 'bytes':
        if (outcome.start === 0 && from > 0) await this.#restart();
        return response;
      case 'expired':
        this.#url = null;
        throw new Interrupted('the signed URL is not valid');
      case 'restart':
        if (from === 0) throw this.#failed(outcome.reason);
        await this.#restart();
        throw new Interrupted(outcome.reason);
      case 'transient':
        throw new Interrupted(outcome.reason);
      case 'final':
        throw this.#failed(outcome.reason);
    }
  }

  async #currentUrl(): Promise<string> {
    const { job } = this.#file;
    this.#url ??= await freshUrl(this.#transport, this.#batchId, job.job_id, this.#signal);
    return this.#url;
  }

  async #receive(response: Response, signal: AbortSignal): Promise<void> {
    const { bytes } = this.#file;
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Interrupted('the response has no body');
    try {
      for (;;) {
        const read = unlessAborted(signal, reader.read());
        const { done, value } = await read.catch((error: unknown) => {
          throw new Interrupted(reasonOf(error));
        });
        if (done) break;
        this.#arrived += value.length;
        await this.#target.write(value);
        this.#received += value.length;
        if (this.#received > bytes) {
          throw this.#failed(`it has more than the ${bytes} bytes that the status gives`);
        }
        this.#onBytes(this.#received);
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
    if (this.#received < bytes) {
      throw new Interrupted(`the connection ended after ${this.#received} of ${bytes} bytes`);
    }
  }

  async #restart(): Promise<void> {
    await this.#target.restart();
    this.#received = 0;
    this.#onBytes(0);
  }

  /** The error never names the signed URL, which is a secret. */
  #failed(reason: string): SoilError {
    const { name, job } = this.#file;
    return new SoilError(`${name} (job ${job.job_id}) can not be downloaded: ${reason}.`, {
      type: 'download',
    });
  }
}
