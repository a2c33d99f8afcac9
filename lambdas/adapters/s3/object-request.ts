import { TransientFailure } from '../../domain/transient-failure.ts';
import { defaultProvider } from '../role-credentials.ts';
import {
  bucketAddress,
  OBJECT_OPERATIONS,
  type ObjectOperation,
  objectSigner,
} from './presigned-url.ts';

const ATTEMPTS = 3;
const ATTEMPT_MS = 5_000;
const FIRST_WAIT_MS = 50;
/** The URL is used at once; clocks may differ by a little. */
const URL_SECONDS = 60;

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>;
  /** S3's code for what is as good as done. */
  readonly orElse?: string;
}

export type ObjectRequest = (
  operation: ObjectOperation,
  key: string,
  options?: RequestOptions,
) => Promise<string>;

/**
 * Asks S3 with the function's own role, by URLs signed for that: for functions that ask for one
 * object and would carry the SDK's whole S3 client for it, a quarter of their code. Tries again what
 * the SDK would: no answer, throttling, faults of S3.
 * @throws TransientFailure when that lasts
 */
export function objectRequests(bucket: string): ObjectRequest {
  const address = bucketAddress(bucket);
  const credentials = defaultProvider();
  return async (operation, key, { query = {}, orElse } = {}) => {
    const sign = objectSigner(address, await credentials());
    for (let attempt = 1; ; attempt++) {
      const url = sign(key, { at: new Date(), expiresInSeconds: URL_SECONDS, query, operation });
      const answer = await ask(url, OBJECT_OPERATIONS[operation]);
      if (answer.kind === 'text') return answer.text;
      if (answer.kind === 'final' && answer.code === orElse) return '';
      if (answer.kind === 'final' || attempt === ATTEMPTS) {
        const why = `${operation} s3://${bucket}/${key}: ${answer.status} ${answer.code}`.trim();
        throw answer.kind === 'passing' ? new TransientFailure(why) : new Error(why);
      }
      await new Promise((resolve) =>
        setTimeout(resolve, Math.random() * FIRST_WAIT_MS * 2 ** attempt),
      );
    }
  };
}

type Answer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'passing' | 'final'; readonly status: string; readonly code: string };

async function ask(url: string, method: string): Promise<Answer> {
  try {
    const response = await fetch(url, { method, signal: AbortSignal.timeout(ATTEMPT_MS) });
    const text = await response.text();
    if (response.ok) return { kind: 'text', text };
    const passing = response.status >= 500 || response.status === 429;
    // The answer may quote the signed URL: only its code is told.
    const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '';
    return { kind: passing ? 'passing' : 'final', status: String(response.status), code };
  } catch (error) {
    const status = error instanceof Error ? error.name : 'no answer';
    return { kind: 'passing', status, code: '' };
  }
}
