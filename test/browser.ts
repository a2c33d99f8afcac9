import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** Arguments of the package that would let a page do what other browsers forbid, or end too early. */
const UNWANTED = [
  '--allow-running-insecure-content',
  '--disable-features=',
  '--disable-site-isolation-trials',
  '--disable-web-security',
  // The browser would end with its first page.
  '--single-process',
];

export interface BrowserOptions {
  /**
   * Addresses by `host:port`, for a page of an origin whose port is not free. Do not use Playwright's
   * `route` for that: with it, Playwright responds to each preflight itself.
   * @default none
   */
  readonly addresses?: Readonly<Record<string, string>>;
}

/** Chromium with its web security on, as users have it. */
export async function openBrowser({ addresses = {} }: BrowserOptions = {}): Promise<Browser> {
  const rules = Object.entries(addresses).map(([host, address]) => `MAP ${host} ${address}`);
  const args = chromium.args.filter(
    (argument) => !UNWANTED.some((unwanted) => argument.startsWith(unwanted)),
  );
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: rules.length === 0 ? args : [...args, `--host-resolver-rules=${rules.join(',')}`],
    headless: true,
  });
}
