import { type PackFiles, PackFileUnavailable } from '../../model/pack/pack-files.ts';
import { type RemoteFile, remoteFiles } from './remote-files.ts';
import { retrying } from './retrying.ts';

export interface HttpFilesOptions {
  /**
   * Milliseconds for one answer, its body included: of a range of 4 MiB, 140 kB/s.
   * @default 30_000
   */
  readonly responseTimeoutMs?: number;
  /**
   * Milliseconds before the second attempt; the later ones wait longer.
   * @default 250
   */
  readonly firstWaitMs?: number;
}

/**
 * Files at HTTP addresses, by byte ranges (RFC 9110, section 14). What passes (no answer, a stall,
 * 429, 5xx, a body cut off) is tried again; a redirect is not followed, as the manifest names what
 * may be read; no answer is believed to be longer or other than what was asked.
 */
export function httpFiles(options: HttpFilesOptions = {}): PackFiles {
  const { responseTimeoutMs = 30_000, firstWaitMs = 250 } = options;

  function ask(href: string, first: number, last: number): Promise<Answer> {
    return retrying(firstWaitMs, () => requestRange(href, first, last, responseTimeoutMs));
  }

  return remoteFiles({
    lookUp: async (href) => {
      const { size, etag } = await ask(href, 0, 0);
      return { size, etag };
    },
    read: async (href, file, first, last) => {
      const answer = await ask(href, first, last);
      if (answer.size !== file.size || answer.etag !== file.etag) {
        throw new PackFileUnavailable(href, 'it changed while it was read', { passing: true });
      }
      return answer.bytes;
    },
  });
}

interface Answer extends RemoteFile {
  readonly bytes: Uint8Array;
}

/** Retry-later answers (RFC 9110, section 15; RFC 6585, section 4). */
const PASSING = [408, 425, 429, 500, 502, 503, 504];

async function requestRange(
  href: string,
  first: number,
  last: number,
  responseTimeoutMs: number,
): Promise<Answer> {
  const signal = AbortSignal.timeout(responseTimeoutMs);
  const fail = (reason: string, passing = false): PackFileUnavailable =>
    new PackFileUnavailable(href, reason, { passing });
  try {
    const response = await fetch(href, {
      signal,
      redirect: 'manual',
      // Ranges are of the bytes as they are stored.
      headers: { range: `bytes=${first}-${last}`, 'accept-encoding': 'identity' },
    });
    const problem = problemOf(response);
    if (problem !== null) {
      await response.body?.cancel();
      throw fail(problem, PASSING.includes(response.status));
    }
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
    const [from, to, size] = (range ?? []).slice(1).map(Number);
    if (from !== first || to !== last || size === undefined || !Number.isSafeInteger(size)) {
      await response.body?.cancel();
      throw fail('the server answers with other bytes than it was asked for');
    }
    const bytes = await bodyOf(response, last - first + 1, fail);
    return { bytes, size, etag: response.headers.get('etag') ?? undefined };
  } catch (error) {
    if (error instanceof PackFileUnavailable) throw error;
    const stalled = signal.aborted;
    throw new PackFileUnavailable(
      href,
      stalled
        ? `no whole answer came within ${responseTimeoutMs / 1000} s`
        : `no answer: ${causeOf(error)}`,
      { passing: true, cause: error },
    );
  }
}

function problemOf(response: Response): string | null {
  const { status, headers } = response;
  if (status === 200) return 'the server ignores byte ranges';
  if (status >= 300 && status < 400) return 'it has moved: write its new address in the manifest';
  if (status === 404 || status === 410) return 'there is no such file';
  if (status === 401 || status === 403) return 'it may not be read';
  if (status === 416) return 'it is empty, or has no byte ranges';
  if (status !== 206) return `the server answers ${status}`;
  const encoding = headers.get('content-encoding') ?? 'identity';
  return encoding === 'identity' ? null : `the server sends it as ${encoding}`;
}

/** Exactly so many bytes; takes no more memory than that, whatever comes. */
async function bodyOf(
  response: Response,
  length: number,
  fail: (reason: string, passing?: boolean) => Error,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  for await (const chunk of response.body ?? []) {
    if (filled + chunk.length > length) throw fail('the server sends more than it was asked for');
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled < length) throw fail(`the answer ended after ${filled} of ${length} bytes`, true);
  return bytes;
}

/** undici says "fetch failed" or "terminated" and keeps what happened as the cause. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return String(cause);
}
