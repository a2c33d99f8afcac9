import type { Browser } from 'playwright-core';
import { newApiKey } from '../../../lambdas/domain/tenant/api-key.ts';
import { readStageConfig } from '../../../lib/config/each-stage.ts';
import type { StageConfig } from '../../../lib/config/stage-config.ts';
import { startDevServer } from '../../../local/dev/server.ts';
import { openBrowser } from '../browser.ts';

export interface DevConsole {
  readonly browser: Browser;
  readonly url: string;
  readonly apiKey: string;
  close(): Promise<void>;
}

export async function devConsole(change: Partial<StageConfig> = {}): Promise<DevConsole> {
  const apiKey = newApiKey();
  const config = { ...readStageConfig('local'), ...change };
  const [{ url, server }, browser] = await Promise.all([
    startDevServer({
      port: 0,
      config,
      version: '1.0.0',
      apiKey,
      write: () => {},
      onFault: (_, error) => console.error(error),
    }),
    openBrowser(),
  ]);
  return {
    browser,
    url,
    apiKey,
    async close() {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
