import { defaultProvider } from '../role-credentials.ts';
import { bucketAddress, objectSigner } from './presigned-url.ts';

const ATTEMPTS = 3;
const ATTEMPT_MS = 5_000;
const FIRST_WAIT_MS = 50;
/** The URL is used at once; clocks may differ by a little. */
const URL_SECONDS = 60;

/**
 * Reads small objects with the function's own role, by URLs signed for that: for operations that
 * read one object and would carry the SDK's whole S3 client for it, a quarter of their code.
 * Tries again what the SDK would: no answer, throttling, faults of S3.
 */
export function objectReader(bucket: string): (key: string) => Promise<string> {
  const address = bucketAddress(bucket);
  const credentials = defaultProvider();
  return async (key) => {
    const sign = objectSigner(address, await credentials());
    for (let attempt = 1; ; attempt++) {
      const url = sign(key, { at: new Date(), expiresInSeconds: URL_SECONDS });
      const answer = await ask(url);
      if (answer.kind === 'text') return answer.text;
      if (answer.kind === 'final' || attempt === ATTEMPTS) {
        throw new Error(`reading s3://${bucket}/${key}: ${answer.why}`);
      }
      await new Promise((resolve) =>
        setTimeout(resolve, Math.random() * FIRST_WAIT_MS * 2 ** attempt),
      );
    }
  };
}

type Reading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'passing' | 'final'; readonly why: string };

async function ask(url: string): Promise<Reading> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ATTEMPT_MS) });
    const text = await response.text();
    if (response.ok) return { kind: 'text', text };
    const passing = response.status >= 500 || response.status === 429;
    // The answer may quote the signed URL: only its code is told.
    const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '';
    return { kind: passing ? 'passing' : 'final', why: `${response.status} ${code}`.trim() };
  } catch (error) {
    return { kind: 'passing', why: error instanceof Error ? error.name : 'no answer' };
  }
}
