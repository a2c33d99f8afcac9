import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyWebhook } from 'soil-batch-client';

export interface WebhookReceiver {
  readonly url: string;
  /**
   * Returns the size of the first delivery in bytes.
   * @throws Error if no delivery arrives in time, or its signature is wrong
   */
  first(timeoutMs: number): Promise<number>;
  close(): void;
}

export async function receiveWebhooks(secret: string): Promise<WebhookReceiver> {
  const server = createServer();
  const first = new Promise<number>((resolve, reject) => {
    server.on('request', async (request, response) => {
      const body = await buffer(request);
      try {
        await verifyWebhook(body, request.headers, secret);
        response.writeHead(200).end();
        resolve(body.length);
      } catch (error) {
        response.writeHead(400).end();
        reject(error);
      }
    });
  });
  // The demo may fail before it awaits the delivery, so the rejection must be handled here.
  first.catch(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    first: (timeoutMs) => Promise.race([first, rejectAfter(timeoutMs)]),
    close: () => server.close(),
  };
}

async function rejectAfter(milliseconds: number): Promise<never> {
  await pause(milliseconds, undefined, { ref: false });
  throw new Error(`no webhook arrived within ${milliseconds / 1000} s`);
}
