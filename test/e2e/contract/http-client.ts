import type { Answer } from './answer.ts';
import { judgeOfDeployment } from './published-document.ts';

export interface RequestOptions {
  readonly method?: string;
  readonly key?: string | null;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  readonly headers?: Record<string, string>;
}

/**
 * Calls one deployment's address with its key, adding nothing a plain client would not send.
 * @throws Error when request or answer contradict the document which that deployment publishes
 */
export function httpClient(baseUrl: string, apiKey: string) {
  return async (path: string, options: RequestOptions = {}): Promise<Answer> => {
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
    const answer = { status, headers: response.headers, text, json: parsed(text) };
    const sent = typeof body === 'string' ? parsed(body) : undefined;
    const judge = await judgeOfDeployment(baseUrl);
    const wrong = judge.exchange({ method, path, body: sent, answer });
    if (wrong.length > 0) throw new Error(`${method} ${path}: ${wrong.join('; ')}\n${text}`);
    return answer;
  };
}

export type HttpClient = ReturnType<typeof httpClient>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
