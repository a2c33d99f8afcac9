import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Mirror {
  readonly origin: string;
  /**
   * Returns the requests since the last call, as `path first-last` or `path whole`, and the number of bytes sent in
   * response.
   */
  take(): { readonly requests: readonly string[]; readonly bytes: number };
  close(): void;
}

/** Simulates the faults of a publisher. @returns whether it has responded; if not, the file is served */
export type Misbehave = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

export interface ServeOptions {
  readonly folder: string;
  readonly certificate: { readonly key: string; readonly cert: string };
  readonly latencyMs: number;
  /** The port. @default a free port */
  readonly port?: number | undefined;
  /** @default none */
  readonly misbehave?: Misbehave | undefined;
}

/** Only this machine can connect. */
export async function serveMirror(options: ServeOptions): Promise<Mirror> {
  const { folder, certificate, latencyMs, port = 0, misbehave } = options;
  let requests: string[] = [];
  let bytes = 0;
  const server = createServer(certificate, async (request, response) => {
    try {
      const range = parseRange(request);
      requests.push(`${request.url} ${range?.join('-') ?? 'whole'}`);
      await sleep(latencyMs);
      if (await misbehave?.(request, response)) return;
      bytes += await respond(folder, request, response, range);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server did not open a port');
  return {
    origin: `https://127.0.0.1:${address.port}`,
    take() {
      const taken = { requests, bytes };
      [requests, bytes] = [[], 0];
      return taken;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Range = readonly [first: number, last: number];

function parseRange({ headers }: IncomingMessage): Range | null {
  const found = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '');
  if (found === null) return null;
  const [, first, last] = found;
  return [Number(first), last === '' ? Number.POSITIVE_INFINITY : Number(last)];
}

async function respond(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
  range: Range | null,
): Promise<number> {
  const root = resolve(folder);
  const path = join(root, decodeURIComponent(request.url ?? '/'));
  if (!path.startsWith(root + sep)) throw new Error('the path is outside the folder');
  const { size, mtimeMs } = await stat(path);
  const [start, end] = [range?.[0] ?? 0, Math.min(range?.[1] ?? size, size - 1)];
  response.writeHead(range === null ? 200 : 206, {
    'Content-Length': end - start + 1,
    'Accept-Ranges': 'bytes',
    ETag: `"${size}-${Math.round(mtimeMs)}"`,
    ...(range === null ? {} : { 'Content-Range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD') {
    response.end();
    return 0;
  }
  createReadStream(path, { start, end }).pipe(response);
  return end - start + 1;
}
