import type { HttpResponse } from './http-response.ts';
import { obtainContract } from './published-document.ts';

export interface RequestOptions {
  readonly method?: string;
  readonly key?: string | null;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  readonly headers?: Record<string, string>;
}

/**
 * Sends requests with a key to a deployment.
 * @throws Error if a request or response contradicts the deployment's OpenAPI document
 */
export function httpClient(baseUrl: string, apiKey: string) {
  return async (path: string, options: RequestOptions = {}): Promise<HttpResponse> => {
    const key = options.key === undefined ? apiKey : options.key;
    const headers: Record<string, string> = {
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    };
    if (key !== null) headers['authorization'] = `Bearer ${key}`;
    const { method = options.body === undefined ? 'GET' : 'POST', body = null } = options;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      body,
      redirect: 'manual',
    });
    const text = await response.text();
    const { status } = response;
    const received = { status, headers: response.headers, text, json: parseBody(text) };
    const sent = typeof body === 'string' ? parseBody(body) : undefined;
    const contract = await obtainContract(baseUrl);
    const violations = contract.checkExchange({ method, path, body: sent, response: received });
    if (violations.length > 0)
      throw new Error(`${method} ${path}: ${violations.join('; ')}\n${text}`);
    return received;
  };
}

export type HttpClient = ReturnType<typeof httpClient>;

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
