import type { Page } from 'playwright-core';
import { type BatchStatus, type JobRequest, SoilClient } from 'soil-batch-client';
import { aBox } from '../box.ts';
import { type ConsolePage, enterKey, openConsole } from './console.ts';
import type { DevConsole } from './dev-console.ts';

export type Box = readonly [west: number, south: number, east: number, north: number];

/** A field in the coverage of the models. */
export const FIELD: Box = [5.74, 50.97, 5.745, 50.973];

/** Text that would run as a script if a page parsed it as HTML. */
export const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=1</script>';

export function job(box: Box, name: string): JobRequest {
  return { name, year: 2021, polygon: aBox(...box) };
}

/** Returns a job that fails because its outline crosses itself. */
export function invalidJob(name: string): JobRequest {
  const [west, south, east, north] = FIELD;
  const ring = [
    [west, south],
    [east, north],
    [east, south],
    [west, north],
    [west, south],
  ];
  return { name, year: 2021, polygon: { type: 'Polygon', coordinates: [ring] } };
}

export function connectTo({ url, apiKey }: DevConsole): SoilClient {
  return new SoilClient({ baseUrl: url, apiKey });
}

export async function finishedBatch(
  served: DevConsole,
  body: Parameters<SoilClient['createBatch']>[0],
): Promise<BatchStatus> {
  const client = connectTo(served);
  const { batch_id: id } = await client.createBatch(body);
  return client.batch(id).waitFor();
}

export async function openPage(served: DevConsole, address: string): Promise<ConsolePage> {
  const opened = await openConsole(served.browser, served.url);
  await opened.page.evaluate(`location.hash = ${JSON.stringify(address)}`);
  await enterKey(opened.page, served.apiKey);
  return opened;
}

export async function removeAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Remove all' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove all' }).click();
}
