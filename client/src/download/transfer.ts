import { backOff } from '../http/retries.ts';
import { anySignal, sleep } from '../http/sleep.ts';
import { SoilError } from '../http/soil-error.ts';
import { reasonOf, type Transport } from '../http/transport.ts';
import { freshUrl } from './fresh-url.ts';
import { readResponse } from './read-response.ts';
import type { ResultFile, SinkFile } from './sink.ts';

/** A connection that delivers nothing for so long is dead. */
const STALLED_MS = 60_000;

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
      try {
        await this.#connect();
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
        failures = this.#received > furthest ? 1 : failures + 1;
        furthest = Math.max(furthest, this.#received);
        if (failures >= retries.attempts) throw this.#failed(error.message);
        // A page can't tell a rejected URL from a broken connection if the response allows no origin.
        if (failures > 1) this.#url = null;
        await sleep(backOff(failures, retries) * 1000, this.#signal);
      }
    }
  }

  /** One connection. @throws Interrupted if another one may continue */
  async #connect(): Promise<void> {
    const stalled = new AbortController();
    const onStalled = () => stalled.abort(new Error(`no bytes for ${STALLED_MS / 1000} s`));
    let timer = setTimeout(onStalled, STALLED_MS);
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(onStalled, STALLED_MS);
    };
    try {
      const response = await this.#request(anySignal(this.#signal, stalled.signal));
      await this.#receive(response, alive);
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      stalled.abort();
    }
  }

  /** Requests the missing bytes from the bucket: without the key, which is for the service alone. */
  async #request(signal: AbortSignal): Promise<Response> {
    const url = await this.#currentUrl();
    const from = this.#received;
    const response = await this.#transport
      .fetch(url, {
        headers: from > 0 ? { Range: `bytes=${from}-` } : {},
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        signal,
      })
      .catch((error: unknown) => {
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

  async #receive(response: Response, alive: () => void): Promise<void> {
    const { bytes } = this.#file;
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Interrupted('the response has no body');
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw new Interrupted(reasonOf(error));
        });
        if (done) break;
        alive();
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

  /** Without the signed URL, which is a secret. */
  #failed(reason: string): SoilError {
    const { name, job } = this.#file;
    return new SoilError(`${name} (job ${job.job_id}) can not be downloaded: ${reason}.`, {
      type: 'download',
    });
  }
}
