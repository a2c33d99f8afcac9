import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Misbehave } from '../../../local/mirror/serve.ts';
import type { Certificate } from '../../support/delivery/local-receiver.ts';

type Fault = (request: IncomingMessage, response: ServerResponse, call: number) => unknown;

/** Responds to a range with the claim that the file has a megabyte. */
const claimRange =
  (range: (first: string, last: string) => string, length: (asked: number) => number): Fault =>
  ({ headers }, response) => {
    const [first, last] = rangeIn(headers.range);
    const asked = Number(last) - Number(first) + 1;
    response.writeHead(206, {
      'content-range': range(first, last),
      'content-length': length(asked),
      etag: '"one"',
    });
    response.end(Buffer.alloc(Math.min(asked, length(asked))));
  };

function rangeIn(header = ''): readonly [first: string, last: string] {
  const [, first = '0', last = '0'] = /bytes=(\d+)-(\d+)/.exec(header) ?? [];
  return [first, last];
}

/** Permanent faults of a host, by the first part of the path. */
export const HOSTILE: Readonly<Record<string, Fault>> = {
  failing: (_, response) => response.writeHead(503).end(),
  throttling: (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
  gone: (_, response) => response.writeHead(404).end(),
  redirecting: (_, response) =>
    response.writeHead(302, { location: 'https://example.org/other.tif' }).end(),
  ignoring_ranges: (_, response) => response.writeHead(200).end('a whole file'),
  other_range: claimRange(
    () => 'bytes 7-9/1000000',
    (asked) => asked,
  ),
  no_tiff: claimRange(
    (first, last) => `bytes ${first}-${last}/1000000`,
    (asked) => asked,
  ),
  truncating: ({ headers }, response) => {
    const [first, last] = rangeIn(headers.range);
    response.writeHead(206, { 'content-range': `bytes ${first}-${last}/1000000`, etag: '"one"' });
    response.end();
  },
  closing: (request) => request.socket.destroy(),
};

/** One in `every` requests meets the fault; the request that repeats it does not. */
const makeOccasional =
  (fault: Fault, every: number): Fault =>
  (request, response, call) => {
    if (call % every !== 2) return false;
    fault(request, response, call);
    return true;
  };

export const PASSING: Readonly<Record<string, Fault>> = {
  busy: makeOccasional((_, response) => response.writeHead(503).end(), 3),
  throttled: makeOccasional(
    (_, response) => response.writeHead(429, { 'retry-after': '1' }).end(),
    9,
  ),
  resetting: makeOccasional(({ socket }) => socket.destroy(), 3),
  cutting: makeOccasional(({ headers, socket }, response) => {
    const [first, last] = rangeIn(headers.range);
    response.writeHead(206, { 'content-range': `bytes ${first}-${last}/1000000`, etag: '"one"' });
    response.write(Buffer.alloc(1), () => socket.destroy());
  }, 3),
  pausing: async (_request, _response, call) => {
    if (call === 5) await sleep(10_000);
    return false;
  },
};

/**
 * Once a replacement is due, sends another ETag, starting with the first request that does more than ask
 * for the file's size (`bytes=0-0`).
 */
export const CHANGING = 'changing';
let [isDue, hasChanged] = [false, false];
export function replaceFiles(): void {
  isDue = true;
}
const sendChangedFile: Fault = ({ headers }, response) => {
  hasChanged ||= isDue && headers.range !== 'bytes=0-0';
  const set = response.writeHead.bind(response);
  response.writeHead = ((status: number, sent: object) =>
    set(status, { ...sent, ETag: hasChanged ? '"two"' : '"one"' })) as typeof set;
  return false;
};

/**
 * Serves a mirror in which paths that begin with the name of a fault meet this fault. @param onRequest called
 * with the fault's name
 */
export function serveFaults(onRequest: (kind: string) => void): Misbehave {
  const calls = new Map<string, number>();
  return async (request, response) => {
    const [, kind = '', path = ''] = /^\/([^/]*)(\/.*)$/.exec(request.url ?? '') ?? [];
    const forever = HOSTILE[kind];
    const passing = kind === CHANGING ? sendChangedFile : PASSING[kind];
    if (forever === undefined && passing === undefined) return false;
    onRequest(kind);
    request.url = path;
    const call = (calls.get(kind) ?? 0) + 1;
    calls.set(kind, call);
    if (forever === undefined) return (await passing?.(request, response, call)) === true;
    forever(request, response, call);
    return true;
  };
}

export function makeExpiredCertificate(folder: string): Certificate {
  const [key, request, cert] = ['key.pem', 'request.pem', 'cert.pem'].map((name) =>
    join(folder, `expired-${name}`),
  ) as [string, string, string];
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-new', ...kind, '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', request);
  openssl('x509', '-req', '-in', request, '-signkey', key, '-days', '-1', '-out', cert);
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
