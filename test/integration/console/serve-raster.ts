import type { Page } from 'playwright-core';

const EVERY_RESULT = '**/results/**';

/** Serves the page other bytes in place of its results, in ranges as the bucket does. */
export async function serveRaster(page: Page, bytes: Buffer, of = EVERY_RESULT): Promise<void> {
  await page.unroute(of);
  await page.route(of, async (route) => {
    const [, from = 0, to = 0] = /(\d+)-(\d+)/.exec(route.request().headers()['range'] ?? '') ?? [];
    const body = bytes.subarray(Number(from), Number(to) + 1);
    if (body.length === 0) return route.fulfill({ status: 416 });
    const range = `bytes ${from}-${Number(from) + body.length - 1}/${bytes.length}`;
    return route.fulfill({ status: 206, headers: { 'Content-Range': range }, body });
  });
}

export function serveResultAgain(page: Page): Promise<void> {
  return page.unroute(EVERY_RESULT);
}
