import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received delivery. A receiver checks the signature of the exact bytes before it parses them. */
export interface ReceivedDelivery {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly signatureValid: boolean;
}

export interface WebhookReceiver {
  readonly url: string;
  /** Resolves with the first delivery; rejects if none arrives in time. */
  first(timeoutMs: number): Promise<ReceivedDelivery>;
  close(): void;
}

/**
 * A webhook receiver on the loopback address that checks `X-Service-Signature` as documented:
 * HMAC-SHA256 of the raw bytes, compared in constant time.
 */
export async function receiveWebhooks(secret: string): Promise<WebhookReceiver> {
  const deliveries: ReceivedDelivery[] = [];
  const waiting: ((delivery: ReceivedDelivery) => void)[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const signatureValid = isSignedWith(secret, body, request.headers['x-service-signature']);
    response.writeHead(signatureValid ? 200 : 401).end();
    const delivery = { headers: request.headers, body, signatureValid };
    deliveries.push(delivery);
    for (const resolve of waiting.splice(0)) resolve(delivery);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    first: (timeoutMs) =>
      new Promise((resolve, reject) => {
        const received = deliveries[0];
        if (received !== undefined) return resolve(received);
        waiting.push(resolve);
        const fail = () => reject(new Error(`no webhook within ${timeoutMs / 1000} s`));
        setTimeout(fail, timeoutMs).unref();
      }),
    close: () => server.close(),
  };
}

function isSignedWith(secret: string, body: Buffer, header: string | string[] | undefined) {
  if (typeof header !== 'string') return false;
  const expected = createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest();
  const actual = Buffer.from(header, 'hex');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
