import type { Browser, Page } from 'playwright-core';

/** A page of the console, opened without a key. */
export interface ConsolePage {
  readonly page: Page;
  /** What the content policy forbade, and what the page wrote as an error. */
  readonly faults: readonly string[];
  /** To which origins the page, its workers and its images sent requests. */
  readonly origins: ReadonlySet<string>;
}

/** Software rendering is slow on a busy machine. */
const PATIENCE_MS = 120_000;

/** @param url of the API, without a trailing slash */
export async function openConsole(
  browser: Browser,
  url: string,
  viewport = { width: 1200, height: 800 },
): Promise<ConsolePage> {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(PATIENCE_MS);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // Chromium reports violations of the content policy as errors of the console.
    if (message.type() === 'error') faults.push(message.text());
  });
  const origins = new Set<string>();
  page.on('request', (request) => {
    // What a page makes itself has no origin.
    if (/^https?:/.test(request.url())) origins.add(new URL(request.url()).origin);
  });
  await page.goto(`${url}/console`);
  return { page, faults, origins };
}

export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
}

export type Position = readonly [x: number, y: number];

/** Draws a field with these corners, in pixels from the map's top left. */
export async function drawField(page: Page, corners: readonly Position[]): Promise<void> {
  await page.getByRole('button', { name: 'Draw a field' }).click();
  const map = page.locator('#map');
  for (const [x, y] of [...corners, ...corners.slice(0, 1)]) {
    await map.click({ position: { x, y } });
    // Two clicks within 250 ms are a double click to OpenLayers, wherever they are.
    await page.waitForTimeout(300);
  }
  await page.getByRole('button', { name: 'Draw a field' }).waitFor();
}

/** Draws a field in the middle of the coverage, submits it, and opens its result. */
export async function mapOneField(page: Page): Promise<void> {
  await drawField(page, [
    [280, 400],
    [400, 400],
    [400, 520],
    [280, 520],
  ]);
  await page.getByRole('button', { name: 'Estimate' }).click();
  await page.getByRole('button', { name: 'Submit 1 field' }).click();
  await page.getByRole('link', { name: 'Field 1' }).click();
  await page.getByLabel('Shown on the map').waitFor();
}

export interface Reading {
  readonly text: string;
  readonly lon: number;
  readonly lat: number;
}

/** The value under the pointer in the middle of the map, once its tile is there. */
export async function readMiddle(page: Page): Promise<Reading> {
  const { width = 0, height = 0 } = (await page.locator('#map').boundingBox()) ?? {};
  const readout = page.locator('.readout');
  for (let attempt = 0; ; attempt++) {
    await page.locator('#map').hover({ position: { x: width / 2 + (attempt % 2), y: height / 2 } });
    const text = (await readout.textContent()) ?? '';
    const [, lon, lat] = /lon (-?[\d.]+), lat (-?[\d.]+)/.exec(text) ?? [];
    if (lon !== undefined) return { text, lon: Number(lon), lat: Number(lat) };
    if (attempt === 100) throw new Error(`no value under the pointer: ${text}`);
    await page.waitForTimeout(100);
  }
}
