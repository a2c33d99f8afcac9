import { once } from 'node:events';
import { createServer, request } from 'node:http';

export interface CountingProxy {
  readonly url: string;
  /** Bytes of bodies and requests since the last call. */
  take(): { readonly bytes: number; readonly requests: number };
  close(): void;
}

/** An HTTP proxy that counts what a reader truly fetches. The request goes on as it is: it is signed. */
export async function countingProxy(): Promise<CountingProxy> {
  let [bytes, requests] = [0, 0];
  const server = createServer((incoming, outgoing) => {
    requests += 1;
    const onward = request(
      incoming.url ?? '',
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    // Who hangs up wants no more: nor is it fetched.
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
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
