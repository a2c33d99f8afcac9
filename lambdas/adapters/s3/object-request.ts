import { TransientFailure } from '../../domain/transient-failure.ts';
import { defaultProvider } from '../role-credentials.ts';
import {
  OBJECT_OPERATIONS,
  type ObjectOperation,
  type SigningCredentials,
  urlPresigner,
} from './presigned-url.ts';

const ATTEMPTS = 3;
const ATTEMPT_MS = 5_000;
const FIRST_WAIT_MS = 50;
/** The URL is used at once; clocks may differ by a little. */
const URL_SECONDS = 60;

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** S3's code for what is as good as done. */
  readonly orElse?: string;
}

export type ObjectRequest = (
  operation: ObjectOperation,
  key: string,
  options?: RequestOptions,
) => Promise<Uint8Array>;

/**
 * Asks S3 with the function's own role, by URLs signed for that: for functions that ask for an
 * object or two and would carry the SDK's whole S3 client for it, a third of their code. Tries again what
 * the SDK would: no answer, throttling, faults of S3.
 * @throws TransientFailure when that lasts
 */
export function objectRequests(
  bucket: string,
  credentials: () => Promise<SigningCredentials> = defaultProvider(),
): ObjectRequest {
  return async (operation, key, { query = {}, headers = {}, body, orElse } = {}) => {
    const init: RequestInit = { method: OBJECT_OPERATIONS[operation], headers, body: body ?? null };
    const sign = urlPresigner(bucket, await credentials());
    for (let attempt = 1; ; attempt++) {
      const url = await sign(key, {
        at: new Date(),
        expiresInSeconds: URL_SECONDS,
        query,
        operation,
      });
      const answer = await ask(url, init);
      if (answer.kind === 'done') return answer.body;
      if (answer.kind === 'final' && answer.code === orElse) return NOTHING;
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

const NOTHING = new Uint8Array(0);

type Answer =
  | { readonly kind: 'done'; readonly body: Uint8Array }
  | { readonly kind: 'passing' | 'final'; readonly status: string; readonly code: string };

async function ask(url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ATTEMPT_MS) });
    const body = new Uint8Array(await response.arrayBuffer());
    if (response.ok) return { kind: 'done', body };
    const passing = response.status >= 500 || response.status === 429;
    // The answer may quote the signed URL: only its code is told.
    const code = /<Code>(\w+)<\/Code>/.exec(Buffer.from(body).toString())?.[1] ?? '';
    return { kind: passing ? 'passing' : 'final', status: String(response.status), code };
  } catch (error) {
    const status = error instanceof Error ? error.name : 'no answer';
    return { kind: 'passing', status, code: '' };
  }
}
