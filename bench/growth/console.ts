import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import * as z from 'zod';
import { connectTo, FIELD, job, openPage } from '../../test/support/console/batches.ts';
import type { DevConsole } from '../../test/support/console/dev-console.ts';

/** Longer than any animation of the map. */
const SETTLED_MS = 1_500;
/** Longer than a batch of 1,000 jobs takes on a busy machine. */
const BATCH_MS = 1_800_000;

/**
 * The CPU seconds of the page's main thread, which other load on the machine does not affect, and the number of DOM
 * nodes.
 */
export interface PageWork {
  readonly cpu: number;
  readonly longestTask: number;
  readonly nodes: number;
}

export async function openFields(served: DevConsole, fields: number) {
  const { page } = await openPage(served, '#/fields');
  await page.locator('#file').waitFor({ state: 'attached' });
  await page.waitForTimeout(SETTLED_MS);
  const file = join(mkdtempSync(join(tmpdir(), 'bench-')), 'fields.geojson');
  writeFileSync(file, writeFields(fields));
  const opened = await measureWork(served, page, async () => {
    await page.locator('#file').setInputFiles(file);
    await page.getByRole('button', { name: 'Field 0', exact: true }).waitFor();
  });
  const zoomed = await measureWork(served, page, () =>
    page.getByRole('button', { name: 'Zoom out' }).click(),
  );
  await page.close();
  return { opened, zoomed };
}

function writeFields(amount: number): string {
  const across = Math.ceil(Math.sqrt(amount));
  const features = Array.from({ length: amount }, (_, index) => {
    const [lon, lat] = [5.7 + (index % across) / across / 10, 50.94 + index / across ** 2 / 10];
    const ring = Array.from({ length: 21 }, (_unused, corner) => {
      const angle = ((corner % 20) / 20) * 2 * Math.PI;
      return [lon + (0.04 / across) * Math.cos(angle), lat + (0.04 / across) * Math.sin(angle)];
    });
    const geometry = { type: 'Polygon', coordinates: [ring] };
    return { type: 'Feature', properties: { name: `Field ${index}`, crop: 'maize' }, geometry };
  });
  return JSON.stringify({ type: 'FeatureCollection', features });
}

const traced = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      tdur: z.number().optional(),
      args: z.object({ name: z.unknown().optional() }).optional(),
    }),
  ),
});

/** Measures the tasks of Chromium's main thread by their CPU time (Trace Event Format, `tdur`, in microseconds). */
async function measureWork(
  { browser }: DevConsole,
  page: Page,
  act: () => Promise<void>,
): Promise<PageWork> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] });
  await act();
  await page.waitForTimeout(SETTLED_MS);
  const { traceEvents } = traced.parse(JSON.parse(String(await browser.stopTracing())));
  const threadOf = ({ pid, tid }: { readonly pid: number; readonly tid: number }) =>
    `${pid} ${tid}`;
  const mains = new Set(
    traceEvents.filter(({ args }) => args?.name === 'CrRendererMain').map(threadOf),
  );
  const tasks = traceEvents
    .filter((event) => event.name === 'RunTask' && mains.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1e6);
  return {
    cpu: tasks.reduce((sum, seconds) => sum + seconds, 0),
    longestTask: Math.max(0, ...tasks),
    nodes: Number(await page.evaluate("document.querySelectorAll('*').length")),
  };
}

export interface BatchTraffic {
  /** The number of requests to the API other than polls of the status. */
  readonly otherRequests: number;
  readonly rasterRequests: number;
  /** The compressed size of the responses, as sent over the wire. */
  readonly megabytes: number;
}

export async function followBatch(served: DevConsole, jobs: number): Promise<BatchTraffic> {
  const { page } = await openPage(served, '#/history');
  await page.getByRole('heading', { name: 'Batches' }).waitFor();
  const client = connectTo(served);
  const [west, south] = FIELD;
  const { batch_id: id } = await client.createBatch({
    jobs: Array.from({ length: jobs }, (_, at) => {
      const [x, y] = [west + (at % 32) * 0.0001, south + Math.floor(at / 32) * 0.0001];
      return job([x, y, x + 0.0001, y + 0.0001], `Field ${at}`);
    }),
  });
  const received: { readonly pathname: string; readonly bytes: number }[] = [];
  page.on('requestfinished', async (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.includes(id)) return;
    const { responseBodySize: bytes } = await request.sizes();
    received.push({ pathname, bytes });
  });
  await page.evaluate(`location.hash = '#/batch/${id}'`);
  await page.getByText('Completed.').waitFor({ timeout: BATCH_MS });
  await page.waitForTimeout(SETTLED_MS);
  await page.close();
  const toApi = received.filter(({ pathname }) => pathname.startsWith('/v1/'));
  return {
    otherRequests: toApi.filter(({ pathname }) => !pathname.endsWith('/status')).length,
    rasterRequests: received.length - toApi.length,
    megabytes: received.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6,
  };
}
