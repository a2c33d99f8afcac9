import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** Default arguments that would let a page do what other browsers forbid, or end the browser too early. */
const UNWANTED = [
  '--allow-running-insecure-content',
  '--disable-features=',
  '--disable-site-isolation-trials',
  '--disable-web-security',
  // With this argument the browser would end with its first page.
  '--single-process',
];

/** Without a GPU, pages are drawn faster on the CPU than on an emulated GPU. WebGL is emulated in any case. */
const DRAWN_BY_CPU = ['--disable-gpu-compositing', '--disable-accelerated-2d-canvas'];

export interface BrowserOptions {
  /**
   * Addresses by `host:port`, for a page of an origin whose port is not free. Playwright's `route`
   * cannot be used for this, because with it Playwright responds to each preflight itself.
   */
  readonly addresses?: Readonly<Record<string, string>>;
}

/** Opens Chromium with its web security enabled, as users have it. */
export async function openBrowser({ addresses = {} }: BrowserOptions = {}): Promise<Browser> {
  const rules = Object.entries(addresses).map(([host, address]) => `MAP ${host} ${address}`);
  const wanted = chromium.args.filter(
    (argument) => !UNWANTED.some((unwanted) => argument.startsWith(unwanted)),
  );
  const args = [...wanted, ...DRAWN_BY_CPU];
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: rules.length === 0 ? args : [...args, `--host-resolver-rules=${rules.join(',')}`],
    headless: true,
  });
}
