import { Batch, type RequestOptions } from './batch/batch.ts';
import { pageThrough } from './batch/pages.ts';
import { DEFAULT_RETRIES, type RetryPolicy } from './http/retries.ts';
import { type Fetch, Transport, type Wait } from './http/transport.ts';
import { encodeSegment } from './http/urls.ts';
import type {
  BatchCreated,
  BatchList,
  BatchStatus,
  Estimate,
  Health,
  Limits,
  ListBatchesQuery,
  ModelList,
  NewBatch,
  NewJob,
  TestWebhook,
  Usage,
  WebhookTested,
} from './schemas.ts';

const DEFAULT_TIMEOUT_SECONDS = 60;

export interface SoilClientOptions {
  /** The URL of V1 or V2, such as `https://v2.soil.example`. Plain http is allowed only for this machine. */
  readonly baseUrl: string;
  /** Sent only to the base URL, never to the URLs of results. */
  readonly apiKey: string;
  /** By default, the `fetch` of Node or the browser. */
  readonly fetch?: Fetch | undefined;
  /** When and how often requests are retried. */
  readonly retries?: Partial<RetryPolicy> | undefined;
  /** How long each attempt may take until its response has been read, in seconds; 60 by default. */
  readonly timeoutSeconds?: number | undefined;
  /** Called before each wait for a retry, such as after `throttled`. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
}

export interface StyleOptions extends RequestOptions {
  readonly band?: string | undefined;
  /** The values that have the first and the last colour; by default, the band's `display_range`. */
  readonly range?: readonly [minimum: number, maximum: number] | undefined;
}

export interface CreateOptions extends RequestOptions {
  /** By default, a random key, which makes retries within this call safe. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Client of the Soil Batch API. Its methods throw `SoilError` or, when their `signal` aborts, the signal's reason.
 * `throttled` requests are retried after a wait; requests that get no response or 5xx are retried where that is safe.
 */
export class SoilClient {
  readonly #transport: Transport;

  constructor({ fetch, retries, timeoutSeconds, ...options }: SoilClientOptions) {
    this.#transport = new Transport({
      ...options,
      fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
      retries: { ...DEFAULT_RETRIES, ...retries },
      timeoutSeconds: timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
    });
  }

  /** Lists the models of the deployment, in the order in which the service tries them. */
  models({ signal }: RequestOptions = {}): Promise<ModelList> {
    return this.#transport.getJson('/v1/models', { signal }, 'ModelList');
  }

  /** Returns the QGIS style (QML) of a model's band: the given one, or the first that is not a quantile. */
  async modelStyle(model: string, { band, range, signal }: StyleOptions = {}): Promise<string> {
    const path = `/v1/models/${encodeSegment(model)}/style.qml`;
    const query = { band, minimum: range?.[0], maximum: range?.[1] };
    return this.#transport.getText(path, { query, signal });
  }

  /** Returns the limits of requests, and how long results are kept. */
  limits({ signal }: RequestOptions = {}): Promise<Limits> {
    return this.#transport.getJson('/v1/limits', { signal }, 'Limits');
  }

  /** Returns how much of today's quota is used and left. */
  usage({ signal }: RequestOptions = {}): Promise<Usage> {
    return this.#transport.getJson('/v1/usage', { signal }, 'Usage');
  }

  /** Estimates a batch of these jobs: areas, models, errors, time, cost and quota. */
  estimate(
    jobs: readonly NewJob[] | NewBatch | string,
    { signal }: RequestOptions = {},
  ): Promise<Estimate> {
    const body = isJobs(jobs) ? { jobs } : jobs;
    const request = { body: toJsonText(body), repeatable: true, signal };
    return this.#transport.postJson('/v1/batch/estimate', request, 'Estimate');
  }

  /** Creates a batch. A body of JSON text is sent unchanged. */
  createBatch(
    body: NewBatch | string,
    { idempotencyKey, signal }: CreateOptions = {},
  ): Promise<BatchCreated> {
    const headers = { 'Idempotency-Key': idempotencyKey ?? makeRandomKey() };
    const request = { body: toJsonText(body), headers, repeatable: true, signal };
    return this.#transport.postJson('/v1/batch', request, 'BatchCreated');
  }

  /** Returns a handle for a batch by its ID, without a request. */
  batch(batchId: string): Batch {
    return new Batch(this.#transport, batchId);
  }

  /** Returns a page of the tenant's batches, newest first. */
  listBatches(query: ListBatchesQuery = {}, { signal }: RequestOptions = {}): Promise<BatchList> {
    return this.#transport.getJson('/v1/batch', { query, signal }, 'BatchList');
  }

  /** Yields the tenant's batches, newest first. */
  batches(
    filter: Omit<ListBatchesQuery, 'cursor'> = {},
    options: RequestOptions = {},
  ): AsyncGenerator<BatchStatus, void, undefined> {
    return pageThrough(async (cursor) => {
      const query = cursor === undefined ? filter : { ...filter, cursor };
      const { batches, next_cursor } = await this.listBatches(query, options);
      return { items: batches, next: next_cursor };
    });
  }

  /** Sends a sample event to a webhook receiver, once, and returns the outcome. */
  testWebhook(body: TestWebhook, { signal }: RequestOptions = {}): Promise<WebhookTested> {
    const request = { body: JSON.stringify(body), repeatable: false, signal };
    return this.#transport.postJson('/v1/webhooks/test', request, 'WebhookTested');
  }

  /** Returns the API's version, if the API responds. */
  health({ signal }: RequestOptions = {}): Promise<Health> {
    return this.#transport.getJson('/health', { signal }, 'Health');
  }

  /** Returns the OpenAPI document of the deployment. */
  openApi({ signal }: RequestOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.#transport.getObject('/openapi.json', { signal });
  }

  /** Returns the API reference as an HTML page. */
  docs({ signal }: RequestOptions = {}): Promise<string> {
    return this.#transport.getText('/docs', { signal });
  }

  /** Returns the HTML page that explains a problem, such as `quota-exceeded`. */
  problemPage(problem: string, { signal }: RequestOptions = {}): Promise<string> {
    return this.#transport.getText(`/docs/problems/${encodeSegment(problem)}`, { signal });
  }
}

function toJsonText(body: object | string): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** `crypto.randomUUID` is missing on pages without https. */
function makeRandomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `Array.isArray` does not narrow readonly arrays. */
function isJobs(value: readonly NewJob[] | object | string): value is readonly NewJob[] {
  return Array.isArray(value);
}
