import type { Browser, Page } from 'playwright-core';
import type { CreateBatch } from 'soil-batch-client';
import { LATITUDE_FIRST, parsePlace } from '../../../console/files/place.ts';

export interface ConsolePage {
  readonly page: Page;
  /** Errors that the page threw or logged, among them violations of the content policy. */
  readonly faults: readonly string[];
  /** The origins to which the page, its workers and its images sent requests. */
  readonly origins: ReadonlySet<string>;
}

/** Software rendering is slow on a busy machine, and a lost run of a batch is restarted within about two minutes. */
const PATIENCE_MS = 240_000;

/** @param url the API's URL, without a trailing slash */
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
    // Chromium reports violations of the content policy as console errors.
    if (message.type() === 'error') faults.push(message.text());
  });
  const origins = new Set<string>();
  page.on('request', (request) => {
    // URLs that a page creates itself, such as blobs, have no origin.
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

/** Clicks a place on the map, in pixels from its top left corner. */
export async function clickMap(page: Page, [x, y]: Position): Promise<void> {
  await page.locator('#map').click({ position: { x, y } });
  // OpenLayers treats two clicks within 250 ms as a double click, wherever they are.
  await page.waitForTimeout(300);
}

/** Corners in the middle of the default model's coverage. */
export const SQUARE: readonly Position[] = [
  [280, 400],
  [400, 400],
  [400, 520],
  [280, 520],
];

export async function drawField(page: Page, corners: readonly Position[]): Promise<void> {
  await page.getByRole('button', { name: 'Draw a field' }).click();
  for (const corner of [...corners, ...corners.slice(0, 1)]) await clickMap(page, corner);
  await page.getByRole('button', { name: 'Draw a field' }).waitFor();
}

/** Reads the colour of invalid fields and the colours of the map at some places, each as red, green and blue. */
export async function readColours(
  page: Page,
  places: readonly Position[],
): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const canvas = document.createElement('canvas').getContext('2d');
    const rgb = (context, x, y) => context.getImageData(x, y, 1, 1).data.slice(0, 3).join();
    canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--failed');
    canvas.fillRect(0, 0, 1, 1);
    const shown = [...document.querySelectorAll('#map > .ol-viewport > .ol-layers canvas')].at(-1).getContext('2d');
    return [rgb(canvas, 0, 0), ...${JSON.stringify(places)}.map(([x, y]) => rgb(shown, x, y))];
  })()`);
}

/** Records the labels that the map draws well inside its canvas from now on. @returns a function that reads them */
export async function watchLabels(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(`
    globalThis.labels = '';
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      const { width, height } = this.canvas;
      if (x > 6 && x < width && y > 6 && y < height) labels += text + '\\n';
      draw.call(this, text, x, y);
    };
  `);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  return () => page.evaluate('labels');
}

/** Reads the outer rings that pressing a button sends. */
export async function readSentRings(page: Page, button: string, path: string) {
  const sent = page.waitForRequest(path);
  await page.getByRole('button', { name: button }).click();
  const { jobs }: CreateBatch = (await sent).postDataJSON();
  return jobs.map(({ polygon }) => toRing(polygon));
}

function toRing(polygon: unknown): readonly Position[] {
  const { coordinates }: { readonly coordinates: readonly (readonly Position[])[] } =
    Object(polygon);
  return coordinates[0] ?? [];
}

export async function mapOneField(page: Page): Promise<void> {
  await drawField(page, SQUARE);
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

/** Reads the value under the pointer in the middle of the map, once its tile is there. */
export async function readMiddle(page: Page): Promise<Reading> {
  const readout = page.locator('.readout');
  for (let attempt = 0; ; attempt++) {
    // A page that opens changes the width of the map.
    const { width = 0, height = 0 } = (await page.locator('#map').boundingBox()) ?? {};
    await page.locator('#map').hover({ position: { x: width / 2 + (attempt % 2), y: height / 2 } });
    const lines = await readout.locator(':scope > div > div').allTextContents();
    const text = lines.join(' ');
    const place = parsePlace(lines.at(-1) ?? '', LATITUDE_FIRST);
    if (place !== null) return { text, lon: place[0], lat: place[1] };
    if (attempt === 600) throw new Error(`the page shows no value under the pointer: ${text}`);
    await page.waitForTimeout(100);
  }
}
