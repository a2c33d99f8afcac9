import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  createServer as createTcpServer,
  isIP,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, type TlsOptions } from 'node:tls';

/** A server on a free local port, closed by `await using`. */
export interface LocalReceiver extends AsyncDisposable {
  readonly origin: string;
  readonly url: string;
  readonly port: number;
}

export interface Listening {
  /** @default 127.0.0.1 */
  readonly address?: string;
  /** @default a free port */
  readonly port?: number;
}

export function receiveHttp(
  listener: RequestListener,
  where: Listening = {},
): Promise<LocalReceiver> {
  return listenOn(createServer(listener), 'http', where);
}

export function receiveHttps(
  { key, cert }: Certificate,
  listener: RequestListener,
  { onServerName, ...where }: Listening & { readonly onServerName?: (name: string) => void } = {},
): Promise<LocalReceiver> {
  const SNICallback: TlsOptions['SNICallback'] = (name, done) => {
    onServerName?.(name);
    done(null, createSecureContext({ key, cert }));
  };
  return listenOn(createTlsServer({ key, cert, SNICallback }, listener), 'https', where);
}

/** Starts a server whose behaviour on the bare connection is up to the test. */
export function receiveTcp(
  onConnection: (socket: Socket) => void,
  where: Listening = {},
): Promise<LocalReceiver> {
  return listenOn(createTcpServer(onConnection), 'http', where);
}

async function listenOn(
  server: Server | TcpServer,
  scheme: string,
  { address: host = '127.0.0.1', port = 0 }: Listening,
): Promise<LocalReceiver> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(port, host, ready));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const shown = host.includes(':') ? `[${host}]` : host;
  const origin = `${scheme}://${shown}:${address.port}`;
  return {
    origin,
    url: `${origin}/hook?of=client`,
    port: address.port,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export async function readReceived(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: Buffer.concat(chunks),
  };
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Self-signed, for a name or an address. */
export function createCertificate(name: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const alternative = `subjectAltName=${isIP(name) === 0 ? 'DNS' : 'IP'}:${name}`;
    const subject = ['-subj', `/CN=${name}`, '-addext', alternative, '-days', '2'];
    execFileSync('openssl', [...kind, ...subject, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
