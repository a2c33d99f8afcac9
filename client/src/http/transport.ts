import { checkResponse, type Responses } from './check-response.ts';
import { isJsonObject, type JsonObject, parseJson } from './json.ts';
import { isRedirect, readProblem } from './problem-response.ts';
import { readText } from './read-text.ts';
import { chooseWait, type RetryPolicy } from './retries.ts';
import { invalidInputError, notTheServiceError, SoilError } from './soil-error.ts';
import { parseBaseUrl } from './urls.ts';
import { sleep, withTimeout } from './waiting.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A wait before a retry. */
export interface Wait {
  readonly seconds: number;
  readonly error: SoilError;
  /** Resolves once the request ends or waits again. */
  readonly over: Promise<void>;
}

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  readonly retries: RetryPolicy;
  readonly timeoutSeconds: number;
  readonly onWait?: ((wait: Wait) => void) | undefined;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** A parameter with several values is repeated. */
  readonly query?:
    | Readonly<Record<string, string | number | readonly string[] | undefined>>
    | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request may be retried after its response was lost; by default, only a GET may. */
  readonly repeatable?: boolean | undefined;
  /** Whether a redirect is the expected response, which is returned and not followed. */
  readonly redirects?: true | undefined;
  /** Called before a retry if an earlier attempt may have had its effect. */
  readonly onRepeat?: (() => void) | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A response with a JSON object; `body` is null for 304. */
export interface JsonResponse<Body> extends ApiResponse {
  readonly body: Body | null;
}

export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    // `fetch` would quote an invalid header in its error.
    if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
      throw invalidInputError('apiKey must be printable ASCII without spaces');
    }
    this.#options = { ...options, baseUrl: parseBaseUrl(options.baseUrl) };
  }

  /** The client's `fetch`, for requests without the key. */
  get fetch(): Fetch {
    return this.#options.fetch;
  }

  get retries(): RetryPolicy {
    return this.#options.retries;
  }

  /**
   * Sends a request and checks its response against the named schema.
   * @throws SoilError `not-the-service` if the response does not match
   */
  async requestJson<Name extends keyof Responses>(
    request: ApiRequest,
    name: Name,
  ): Promise<JsonResponse<Responses[Name]>> {
    const response = await this.send(request);
    if (response.status === 304) return { ...response, body: null };
    const source = `${formatRequest(request)}: the response`;
    const { status, headers } = response;
    const details = { status, requestId: headers.get('X-Request-Id') };
    const body = checkResponse(source, name, parseObject(request, response), details);
    return { ...response, body };
  }

  getJson<Name extends keyof Responses>(
    path: string,
    request: Pick<ApiRequest, 'query' | 'signal'>,
    name: Name,
  ): Promise<Responses[Name]> {
    return this.#sendUnconditionally({ method: 'GET', path, ...request }, name);
  }

  postJson<Name extends keyof Responses>(
    path: string,
    request: Omit<ApiRequest, 'method' | 'path'>,
    name: Name,
  ): Promise<Responses[Name]> {
    return this.#sendUnconditionally({ method: 'POST', path, ...request }, name);
  }

  async getObject(path: string, { signal }: Pick<ApiRequest, 'signal'>): Promise<JsonObject> {
    const request = { method: 'GET', path, signal } as const;
    return parseObject(request, await this.send(request));
  }

  async getText(path: string, request: Pick<ApiRequest, 'query' | 'signal'>): Promise<string> {
    return (await this.send({ method: 'GET', path, ...request })).text;
  }

  /** Sends a request without `If-None-Match`, so that the response has a body. */
  async #sendUnconditionally<Name extends keyof Responses>(
    request: ApiRequest,
    name: Name,
  ): Promise<Responses[Name]> {
    const { body, ...response } = await this.requestJson(request, name);
    if (body === null) throw foreignResponseError(request, response);
    return body;
  }

  /** @returns a response with 2xx or 304, or with a redirect if `redirects` is true */
  async send(request: ApiRequest): Promise<ApiResponse> {
    let endWait = () => {};
    const announce = (seconds: number, error: SoilError) => {
      endWait();
      const over = new Promise<void>((resolve) => {
        endWait = resolve;
      });
      this.#options.onWait?.({ seconds, error, over });
    };
    try {
      return await this.#sendUntilFinal(request, announce);
    } finally {
      endWait();
    }
  }

  async #sendUntilFinal(
    request: ApiRequest,
    announce: (seconds: number, error: SoilError) => void,
  ): Promise<ApiResponse> {
    const repeatable = request.repeatable ?? request.method === 'GET';
    let failed = 0;
    let waitedSeconds = 0;
    for (;;) {
      try {
        return await this.#attempt(request);
      } catch (error) {
        if (!(error instanceof SoilError)) throw error;
        if (error.type !== 'throttled') failed += 1;
        const attempts = { failed, waitedSeconds, repeatable };
        const seconds = chooseWait(error, attempts, this.#options.retries);
        if (seconds === null) throw error;
        announce(seconds, error);
        await sleep(seconds * 1000, request.signal);
        waitedSeconds += seconds;
        if (error.type !== 'throttled') request.onRepeat?.();
      }
    }
  }

  async #attempt(request: ApiRequest): Promise<ApiResponse> {
    const { timeoutSeconds } = this.#options;
    const { signal } = request;
    signal?.throwIfAborted();
    const late = () => networkError(formatRequest(request), `timed out after ${timeoutSeconds} s`);
    try {
      return await withTimeout(timeoutSeconds * 1000, late, signal, (both) =>
        this.#exchange(request, both),
      );
    } catch (error) {
      if (error instanceof SoilError) throw error;
      signal?.throwIfAborted();
      throw networkError(formatRequest(request), error);
    }
  }

  async #exchange(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const { fetch, apiKey } = this.#options;
    const { method, body } = request;
    const response = await fetch(this.#url(request), {
      method,
      headers: this.#headers(request),
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      credentials: 'omit',
      signal,
    });
    const { status, headers } = response;
    if (request.redirects === true && isRedirect(response)) return { status, headers, text: '' };
    if (!response.ok && status !== 304)
      throw await readProblem(formatRequest(request), response, apiKey);
    return { status, headers, text: await readText(formatRequest(request), response) };
  }

  #url({ path, query = {} }: ApiRequest): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      const values = Array.isArray(value) ? value : [value];
      for (const each of values) if (each !== undefined) parameters.append(name, String(each));
    }
    const search = parameters.toString();
    return `${this.#options.baseUrl}${path}${search === '' ? '' : `?${search}`}`;
  }

  #headers({ body, headers }: ApiRequest): Record<string, string> {
    return {
      Authorization: `Bearer ${this.#options.apiKey}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    };
  }
}

/** Errors name a request by method and path only, because the query may contain a cursor. */
function formatRequest({ method, path }: ApiRequest): string {
  return `${method} ${path}`;
}

function networkError(request: string, error: unknown): SoilError {
  return new SoilError(`${request}: no response: ${describeFailure(error)}.`, {
    type: 'network',
    cause: error,
  });
}

/** Node's error `fetch failed` has the actual reason in its cause. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error && cause.message !== '') return cause.message;
  return error.message;
}

function parseObject(request: ApiRequest, response: ApiResponse): JsonObject {
  const body = parseJson(response.text);
  if (!isJsonObject(body)) throw foreignResponseError(request, response);
  return body;
}

function foreignResponseError(request: ApiRequest, { status, headers }: Omit<ApiResponse, 'text'>) {
  const type = headers.get('Content-Type') ?? 'no media type';
  return notTheServiceError(
    `${formatRequest(request)}: the response did not come from the service: HTTP ${status}, ${type}.`,
    { status, requestId: headers.get('X-Request-Id') },
  );
}
