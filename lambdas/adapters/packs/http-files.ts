import { type IncomingMessage, get as overHttp } from 'node:http';
import { get as overHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import {
  type FileVersion,
  type PackFiles,
  PackFileUnavailable,
} from '#engine/model/pack/pack-files.ts';
import { classifyAddress } from '../../domain/delivery/address-range.ts';
import { hostOf } from '../../domain/delivery/receiver-policy.ts';
import { type Resolve, resolveBySystem } from '../webhook/connect.ts';
import { remoteFiles, retryTransient } from './remote-files.ts';
import { type RequestLimit, type RequestLimits, requestLimit } from './request-limit.ts';

export interface HttpFilesOptions {
  /**
   * Milliseconds without a byte of the response before the request fails.
   * @default 30_000
   */
  readonly stallTimeoutMs?: number;
  /** The most milliseconds before the second attempt; later waits may be longer. @default 250 */
  readonly firstWaitMs?: number;
  readonly resolve?: Resolve;
  /**
   * Identifies the requests to the publisher; some servers refuse requests without a user agent.
   * @default soil-batch
   */
  readonly userAgent?: string;
  /** @default none */
  readonly limits?: RequestLimits;
  /** Milliseconds left for requests and waits. @default always enough */
  readonly remainingMs?: () => number;
}

const NO_LIMITS = { atOnce: Number.POSITIVE_INFINITY, perSecond: Number.POSITIVE_INFINITY };

/**
 * Reads files at HTTP URLs by byte ranges (RFC 9110, section 14). Transient faults are retried. Redirects are not
 * followed, because the manifest names what may be read. Private networks are refused, because the author of a manifest
 * must not reach the network of the person who runs the pack. Each connection goes to a checked address, so DNS
 * rebinding has no effect. The local machine is allowed, for a mirror that replaces the publisher.
 */
export function httpFiles(options: HttpFilesOptions = {}): PackFiles {
  const {
    stallTimeoutMs = 30_000,
    firstWaitMs = 250,
    resolve = resolveBySystem,
    userAgent = 'soil-batch',
    limits = NO_LIMITS,
    remainingMs = () => Number.POSITIVE_INFINITY,
  } = options;
  const limitOfHost = new Map<string, RequestLimit>();

  function limitOf(href: string): RequestLimit {
    const { host } = new URL(href);
    const limit = limitOfHost.get(host) ?? requestLimit(limits);
    limitOfHost.set(host, limit);
    return limit;
  }

  function request(href: string, first: number, last: number): Promise<RangeResponse> {
    const limit = limitOf(href);
    const range = { href, first, last, userAgent, resolve, limit };
    const start = () => {
      const leftMs = Math.ceil(Math.min(LONGEST_RESPONSE_MS, requireTime(href, 0)));
      return requestRange({ ...range, stallMs: Math.min(stallTimeoutMs, leftMs), leftMs });
    };
    return retryTransient(firstWaitMs, () =>
      limit.run(start, (waitMs) => requireTime(href, waitMs)),
    );
  }

  /**
   * Throws if the server asks for too long a pause, or if the invocation has no time left to wait and send a request.
   * @returns the milliseconds that are left
   */
  function requireTime(href: string, waitMs: number): number {
    const leftMs = remainingMs();
    if (waitMs > LONGEST_PAUSE_MS) {
      const reason = `the server asks clients to wait for ${Math.ceil(waitMs / 1_000)} s`;
      throw new PackFileUnavailable(href, reason);
    }
    if (waitMs >= leftMs)
      throw new PackFileUnavailable(href, 'no time is left to wait for the server');
    return leftMs;
  }

  return remoteFiles({
    lookUp: async (href) => {
      const { size, etag } = await request(href, 0, 0);
      return { size, etag };
    },
    read: async (href, file, first, last) => {
      const response = await request(href, first, last);
      if (response.size !== file.size || response.etag !== file.etag) {
        throw new PackFileUnavailable(href, 'it changed while it was read', { transient: true });
      }
      return response.bytes;
    },
  });
}

interface RangeResponse extends FileVersion {
  readonly bytes: Uint8Array;
}

/** Status codes to retry (RFC 9110, section 15; RFC 6585, section 4; RFC 8470, section 5.2). */
const TRANSIENT_STATUSES = [408, 425, 429, 500, 502, 503, 504];

/** Pauses are limited, because a waiting function is billed. */
const LONGEST_PAUSE_MS = 60_000;

/** The longest time for one response with its body. */
const LONGEST_RESPONSE_MS = 300_000;

interface RangeRequest {
  readonly href: string;
  readonly first: number;
  readonly last: number;
  readonly stallMs: number;
  readonly leftMs: number;
  readonly userAgent: string;
  readonly resolve: Resolve;
  readonly limit: RequestLimit;
}

async function requestRange(request: RangeRequest): Promise<RangeResponse> {
  const { href, first, last, stallMs, leftMs, limit } = request;
  const patience = createPatience(stallMs, leftMs);
  const fail = (reason: string, transient = false): PackFileUnavailable =>
    new PackFileUnavailable(href, reason, { transient });
  try {
    const response = await requestResponse(request, patience.signal);
    patience.renew();
    const problem = describeProblem(response);
    if (problem !== null) {
      response.destroy();
      limit.pause(retryAfterMs(response));
      throw fail(problem, TRANSIENT_STATUSES.includes(response.statusCode ?? 0));
    }
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers['content-range'] ?? '');
    const [from, to, size] = (range ?? []).slice(1).map(Number);
    if (from !== first || to !== last || size === undefined || !Number.isSafeInteger(size)) {
      response.destroy();
      throw fail('the server returned a different range from the one requested');
    }
    const bytes = await readResponseBody(response, last - first + 1, patience, fail);
    return { bytes, size, etag: response.headers.etag };
  } catch (error) {
    if (error instanceof PackFileUnavailable) throw error;
    const reason = patience.abortReason() ?? `no response: ${describeCause(error)}`;
    throw new PackFileUnavailable(href, reason, { transient: true, cause: error });
  } finally {
    patience.end();
  }
}

interface Patience {
  readonly signal: AbortSignal;
  /** Restarts the stall timer; to be called when bytes arrive. */
  renew(): void;
  /** The reason for the abort, or null if nothing was aborted. */
  abortReason(): string | null;
  /** Stops the timers, so that nothing is aborted any more. */
  end(): void;
}

/** Aborts a request after `stallMs` without a byte, and in any case after `leftMs`. */
function createPatience(stallMs: number, leftMs: number): Patience {
  const controller = new AbortController();
  let reason: string | null = null;
  const abort = (why: string) => {
    reason ??= why;
    controller.abort();
  };
  let renewals = 0;
  const stall = setTimeout(() => {
    const before = renewals;
    // After a busy time, timers fire before Node reads the bytes that have arrived: let it read them first.
    setImmediate(() => {
      if (renewals === before) abort(`no byte of the response arrived for ${stallMs / 1_000} s`);
    });
  }, stallMs);
  const atLast = setTimeout(
    () => abort(`the response was not complete after ${leftMs / 1_000} s`),
    leftMs,
  );
  return {
    signal: controller.signal,
    renew() {
      renewals += 1;
      stall.refresh();
    },
    abortReason: () => reason,
    end() {
      clearTimeout(stall);
      clearTimeout(atLast);
    },
  };
}

function requestResponse(
  { href, first, last, userAgent, resolve }: RangeRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const host = hostOf(new URL(href));
  const requirePublic = (address: string) => {
    const special = classifyAddress(address);
    if (special === null || special === 'loopback') return;
    throw new PackFileUnavailable(href, `${host} is not on the public internet (${special})`);
  };
  // Node does not call `lookup` for a host that is already an address.
  if (isIP(host) !== 0) requirePublic(host);
  const resolvePublic = async (name: string) => {
    const addresses = await resolve(name);
    for (const { address } of addresses) requirePublic(address);
    return [...addresses];
  };
  // Node asks for all addresses, because `autoSelectFamily` is on by default.
  const lookup: LookupFunction = (name, _, found) => {
    resolvePublic(name).then(
      (addresses) => found(null, addresses),
      (error) => found(error, []),
    );
  };
  const headers = {
    range: `bytes=${first}-${last}`,
    // With another content coding, ranges would refer to the compressed bytes (RFC 9110, section 14).
    'accept-encoding': 'identity',
    'user-agent': userAgent,
  };
  return new Promise((done, fail) => {
    const get = href.startsWith('https:') ? overHttps : overHttp;
    get(href, { signal, headers, lookup }, done).on('error', fail);
  });
}

function describeProblem({ statusCode: status = 0, headers }: IncomingMessage): string | null {
  if (status === 200) return 'the server ignores byte ranges';
  if (status >= 300 && status < 400) return 'it has moved; put its new URL into the manifest';
  if (status === 404 || status === 410) return 'there is no such file';
  if (status === 401 || status === 403) return 'access is denied';
  if (status === 416) return 'it is empty or does not support byte ranges';
  if (status !== 206) return `the server responded with ${status}`;
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding === 'identity'
    ? null
    : `the server sent it with the content encoding ${encoding}`;
}

/** Parses `Retry-After` (RFC 9110, section 10.2.3), which is in seconds or a date. */
function retryAfterMs({ statusCode = 0, headers }: IncomingMessage): number {
  const text = headers['retry-after'];
  if (text === undefined || !TRANSIENT_STATUSES.includes(statusCode)) return 0;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Math.max(ms, 0) || 0;
}

/** Fails unless the response has exactly `length` bytes. */
async function readResponseBody(
  response: IncomingMessage,
  length: number,
  patience: Patience,
  fail: (reason: string, transient?: boolean) => Error,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  for await (const chunk of response) {
    patience.renew();
    if (filled + chunk.length > length) throw fail('the server sent more bytes than requested');
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled < length) throw fail(`the response ended after ${filled} of ${length} bytes`, true);
  return bytes;
}

function describeCause(error: unknown): string {
  if (error instanceof Error) return 'code' in error ? String(error.code) : error.message;
  return String(error);
}
