import type { Browser } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { receiveHttp } from './delivery/local-receiver.ts';

/** A browser in which each of these origins has an empty page. */
export interface EmptyPages {
  readonly browser: Browser;
  close(): Promise<void>;
}

export async function openEmptyPages(origins: readonly string[]): Promise<EmptyPages> {
  const server = await receiveHttp((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>'),
  );
  const address = `127.0.0.1:${server.port}`;
  const hosts = origins.map((origin) => new URL(origin).host);
  const browser = await openBrowser({
    addresses: Object.fromEntries(hosts.map((host) => [host, address])),
  });
  return {
    browser,
    async close() {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
