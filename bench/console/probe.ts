import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { enterKey } from '../../test/support/console/console.ts';
import type { DevConsole } from '../../test/support/console/dev-console.ts';

/** One input of a user. */
export interface Input {
  /** The event whose time is the start. */
  readonly event: string;
  /** JavaScript, true once the page shows the effect; `drawn`: a canvas has been drawn since the event. */
  readonly shown: string;
  readonly act: () => Promise<unknown>;
}

export interface Response {
  /** From the event to the frame after the one that shows its effect. */
  readonly ms: number;
  /** CPU time of the main thread meanwhile. */
  readonly cpuMs: number;
  /** The longest frame until nothing is drawn any more; 0 below 50 ms. */
  readonly longestFrameMs: number;
}

export interface ProbedPage {
  readonly page: Page;
  readonly respond: (input: Input) => Promise<Response>;
}

/**
 * The console behind its key, with its responses measured from inside the page.
 * @param address such as `#/history`
 */
export async function probedConsole(
  { browser, url, apiKey }: DevConsole,
  address = '',
): Promise<ProbedPage> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  await page.addInitScript({ path: join(import.meta.dirname, 'in-page.js') });
  await page.goto(`${url}/console${address}`);
  await enterKey(page, apiKey);
  await page.locator('#map canvas').first().waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    page,
    async respond({ event, shown, act }) {
      await page.evaluate('probe.quiet()');
      await page.evaluate(`probe.expect('${event}', (drawn) => ${shown})`);
      const before = await mainThreadMs(session);
      await act();
      const ms = await page.evaluate<number>('probe.response()');
      const cpuMs = (await mainThreadMs(session)) - before;
      const longestFrameMs = await page.evaluate<number>('probe.quiet()');
      return { ms, cpuMs, longestFrameMs };
    },
  };
}

async function mainThreadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
}
