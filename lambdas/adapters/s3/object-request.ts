import { fromEnv } from '@aws-sdk/credential-provider-env';
import { TransientFailure } from '../../domain/step-failure.ts';
import {
  OBJECT_OPERATIONS,
  type ObjectOperation,
  type SigningCredentials,
  urlPresigner,
} from './presigned-url.ts';

const ATTEMPTS = 3;
const ATTEMPT_MS = 5_000;
const FIRST_WAIT_MS = 50;
/** The URL is used immediately; a minute allows for clock skew. */
const URL_SECONDS = 60;

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** S3 error codes that count as success with an empty body. */
  readonly orElse?: readonly string[];
}

export type ObjectRequest = (
  operation: ObjectOperation,
  key: string,
  options?: RequestOptions,
) => Promise<Uint8Array>;

/**
 * Calls S3 through URLs signed with the function's role, because the SDK's S3 client would be much of the code of
 * functions that need few objects. Retries if S3 does not respond, throttles the request or fails.
 * @throws TransientFailure if the last attempt fails in one of these ways; Error if S3 rejects the request
 */
export function objectRequests(
  bucket: string,
  credentials: () => Promise<SigningCredentials> = fromEnv(),
): ObjectRequest {
  return async (operation, key, { query = {}, headers = {}, body, orElse = [] } = {}) => {
    const init: RequestInit = { method: OBJECT_OPERATIONS[operation], headers, body: body ?? null };
    const sign = urlPresigner(bucket, await credentials());
    for (let attempt = 1; ; attempt++) {
      const url = await sign(key, {
        at: new Date(),
        expiresInSeconds: URL_SECONDS,
        query,
        operation,
      });
      const response = await send(url, init);
      if (response.kind === 'done') return response.body;
      if (response.kind === 'final' && orElse.includes(response.code)) return NOTHING;
      if (response.kind === 'final' || attempt === ATTEMPTS) {
        const why =
          `${operation} s3://${bucket}/${key}: ${response.status} ${response.code}`.trim();
        throw response.kind === 'transient' ? new TransientFailure(why) : new Error(why);
      }
      await new Promise((resolve) =>
        setTimeout(resolve, Math.random() * FIRST_WAIT_MS * 2 ** attempt),
      );
    }
  };
}

const NOTHING = new Uint8Array(0);

type ObjectResponse =
  | { readonly kind: 'done'; readonly body: Uint8Array }
  | { readonly kind: 'transient' | 'final'; readonly status: string; readonly code: string };

async function send(url: string, init: RequestInit): Promise<ObjectResponse> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ATTEMPT_MS) });
    const body = new Uint8Array(await response.arrayBuffer());
    if (response.ok) return { kind: 'done', body };
    const transient = response.status >= 500 || response.status === 429;
    // The response may quote the signed URL, so only its error code is reported.
    const code = /<Code>(\w+)<\/Code>/.exec(Buffer.from(body).toString())?.[1] ?? '';
    return { kind: transient ? 'transient' : 'final', status: String(response.status), code };
  } catch (error) {
    const status = error instanceof Error ? error.name : 'no response';
    return { kind: 'transient', status, code: '' };
  }
}
