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
  /** The URL of V1 or V2, such as `https://v2.soil.example`. Plain http is for this machine alone. */
  readonly baseUrl: string;
  /** Sent to the base URL alone, never to the URLs of results. */
  readonly apiKey: string;
  /** The default is the `fetch` of Node or the browser. */
  readonly fetch?: Fetch | undefined;
  /** How patiently requests are sent again. */
  readonly retries?: Partial<RetryPolicy> | undefined;
  /** How long one request and its response may take; 60 by default. */
  readonly timeoutSeconds?: number | undefined;
  /** Called before each wait, such as for a `throttled` request. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
}

export interface StyleOptions extends RequestOptions {
  readonly band?: string | undefined;
  /** The values of the lowest and the highest colour; by default the band's `display_range`. */
  readonly range?: readonly [minimum: number, maximum: number] | undefined;
}

export interface CreateOptions extends RequestOptions {
  /** A random key by default: the request is then safe to repeat within this call. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Client of the Soil Batch API. Every method throws `SoilError`, and the reason of its `signal`
 * once that aborts. `throttled` requests are waited for; lost responses are requested again where that
 * is safe.
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

  /** The models of the deployment, in the order in which they are tried. */
  models({ signal }: RequestOptions = {}): Promise<ModelList> {
    return this.#transport.getJson('/v1/models', { signal }, 'ModelList');
  }

  /** The QGIS style of a model, as QML: of the given band, or of the first that is not a quantile. */
  async modelStyle(model: string, { band, range, signal }: StyleOptions = {}): Promise<string> {
    const path = `/v1/models/${encodeSegment(model)}/style.qml`;
    const query = { band, minimum: range?.[0], maximum: range?.[1] };
    return this.#transport.getText(path, { query, signal });
  }

  /** The limits of requests, and how long results are kept. */
  limits({ signal }: RequestOptions = {}): Promise<Limits> {
    return this.#transport.getJson('/v1/limits', { signal }, 'Limits');
  }

  /** Today's quota: used and left. */
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

  /** Creates one batch. The body may be JSON text, which is sent as it is. */
  createBatch(
    body: NewBatch | string,
    { idempotencyKey, signal }: CreateOptions = {},
  ): Promise<BatchCreated> {
    const headers = { 'Idempotency-Key': idempotencyKey ?? randomKey() };
    const request = { body: toJsonText(body), headers, repeatable: true, signal };
    return this.#transport.postJson('/v1/batch', request, 'BatchCreated');
  }

  /** A batch by its id. Makes no request. */
  batch(batchId: string): Batch {
    return new Batch(this.#transport, batchId);
  }

  /** One page of the tenant's batches, newest first. */
  listBatches(query: ListBatchesQuery = {}, { signal }: RequestOptions = {}): Promise<BatchList> {
    return this.#transport.getJson('/v1/batch', { query, signal }, 'BatchList');
  }

  /** All batches of the tenant, newest first. */
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

  /** Sends a signed sample to a webhook receiver, once, and returns what came back. */
  testWebhook(body: TestWebhook, { signal }: RequestOptions = {}): Promise<WebhookTested> {
    const request = { body: JSON.stringify(body), repeatable: false, signal };
    return this.#transport.postJson('/v1/webhooks/test', request, 'WebhookTested');
  }

  /** Whether the API responds, and its version. */
  health({ signal }: RequestOptions = {}): Promise<Health> {
    return this.#transport.getJson('/health', { signal }, 'Health');
  }

  /** The OpenAPI document of the deployment. */
  openApi({ signal }: RequestOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.#transport.getObject('/openapi.json', { signal });
  }

  /** The API reference as an HTML page. */
  docs({ signal }: RequestOptions = {}): Promise<string> {
    return this.#transport.getText('/docs', { signal });
  }

  /** The HTML page that explains a problem, such as `quota-exceeded`. */
  problemPage(problem: string, { signal }: RequestOptions = {}): Promise<string> {
    return this.#transport.getText(`/docs/problems/${encodeSegment(problem)}`, { signal });
  }
}

function toJsonText(body: object | string): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** `crypto.randomUUID` is missing on pages without https. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `Array.isArray` does not narrow readonly arrays. */
function isJobs(value: readonly NewJob[] | object | string): value is readonly NewJob[] {
  return Array.isArray(value);
}
