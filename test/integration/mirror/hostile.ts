import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import {
  type Certificate,
  httpsReceiving,
  type LocalReceiver,
} from '../../support/delivery/local-receiver.ts';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** A response to a range, which claims a file of a megabyte. */
const claiming =
  (range: (first: string, last: string) => string, length: (asked: number) => number): Respond =>
  ({ headers }, response) => {
    const [, first = '0', last = '0'] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
    const asked = Number(last) - Number(first) + 1;
    response.writeHead(206, {
      'content-range': range(first, last),
      'content-length': length(asked),
      etag: '"one"',
    });
    response.end(Buffer.alloc(Math.min(asked, length(asked))));
  };

/** What a host may do, by the first part of its path. */
export const HOSTILE: Readonly<Record<string, Respond>> = {
  failing: (_, response) => response.writeHead(503).end(),
  gone: (_, response) => response.writeHead(404).end(),
  redirecting: (_, response) =>
    response.writeHead(302, { location: 'https://example.org/other.tif' }).end(),
  ignoring_ranges: (_, response) => response.writeHead(200).end('a whole file'),
  other_range: claiming(
    () => 'bytes 7-9/1000000',
    (asked) => asked,
  ),
  no_tiff: claiming(
    (first, last) => `bytes ${first}-${last}/1000000`,
    (asked) => asked,
  ),
  closing: (request) => request.socket.destroy(),
};

/** @param onRequest called with the first part of each path */
export function hostileHost(
  certificate: Certificate,
  onRequest: (kind: string) => void,
): Promise<LocalReceiver> {
  return httpsReceiving(certificate, (request, response) => {
    const kind = request.url?.split('/')[1] ?? '';
    onRequest(kind);
    HOSTILE[kind]?.(request, response);
  });
}

/** Signed by its own key, and expired before it was valid. */
export function expiredCertificate(folder: string): Certificate {
  const [key, request, cert] = ['key.pem', 'request.pem', 'cert.pem'].map((name) =>
    join(folder, `expired-${name}`),
  ) as [string, string, string];
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-new', ...kind, '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', request);
  openssl('x509', '-req', '-in', request, '-signkey', key, '-days', '-1', '-out', cert);
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
