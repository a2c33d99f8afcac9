import { once } from 'node:events';
import { createServer } from 'node:http';
import { build } from 'esbuild';
import { openBrowser } from '../browser.ts';
import { runScenario } from './scenarios.ts';

export interface Runtime {
  readonly run: typeof runScenario;
  close(): Promise<void>;
}

export async function inNode(): Promise<Runtime> {
  return { run: runScenario, close: async () => {} };
}

/** An origin that the stage `local` allows (`corsOrigins`). */
const ORIGIN = 'http://localhost:5173';

/** Runs in a page of Chromium whose origin differs from those of the API and the results. */
export async function inChromium(): Promise<Runtime> {
  const { outputFiles } = await build({
    entryPoints: ['test/support/client/page.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    tsconfig: 'tsconfig.json',
  });
  const script = outputFiles[0]?.text ?? '';
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>page</title>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server did not open a port');
  const browser = await openBrowser({
    addresses: { [new URL(ORIGIN).host]: `127.0.0.1:${address.port}` },
  });
  const page = await browser.newPage();
  await page.goto(ORIGIN);
  await page.addScriptTag({ content: script });
  return {
    run: (name, args) =>
      page.evaluate(`runScenario(${JSON.stringify(name)}, ${JSON.stringify(args)})`),
    async close() {
      await browser.close();
      server.close();
    },
  };
}
