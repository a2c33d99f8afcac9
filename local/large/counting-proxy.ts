import { once } from 'node:events';
import { createServer, request } from 'node:http';

export interface CountingProxy {
  readonly url: string;
  /** Bytes of bodies and requests since the last call. */
  take(): { readonly bytes: number; readonly requests: number };
  close(): void;
}

/** An HTTP proxy that counts requests and bytes. It forwards requests unchanged, as they are signed. */
export async function countingProxy(): Promise<CountingProxy> {
  let [bytes, requests] = [0, 0];
  const server = createServer((incoming, outgoing) => {
    requests += 1;
    const forwarded = request(
      incoming.url ?? '',
      { method: incoming.method, headers: incoming.headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    // A reader that closes its connection needs no more data.
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    take() {
      const taken = { bytes, requests };
      [bytes, requests] = [0, 0];
      return taken;
    },
    close: () => void server.close(),
  };
}
