import type { Page } from 'playwright-core';
import type { CreateBatch, Model } from 'soil-batch-client';
import type { DevConsole } from '../../test/support/console/dev-console.ts';
import { type BenchField, fileOf, type Position, pixelsOf } from './fields.ts';
import { changeTheme, click, type Measured, mapOf, ROUNDS, rounds, zoomAndPan } from './inputs.ts';
import { type ProbedPage, probedConsole, type Response } from './probe.ts';

const MOVES = 5;

/** Opens the fields in new pages, then does with them what a user does. Corners of the first are dragged. */
export async function measureFieldsPage(
  served: DevConsole,
  model: Model,
  fields: readonly BenchField[],
): Promise<readonly Measured[]> {
  let probed = await probedConsole(served);
  const opened = await rounds('open the file', async (round) => {
    if (round > 0) {
      await probed.page.close();
      probed = await probedConsole(served);
    }
    return openFile(probed, fields);
  });
  const measured = [
    opened,
    ...(await useMap(probed, model, fields)),
    ...(await useTable(probed, fields)),
    ...(await dragVertices(probed, model, fields)),
  ];
  await probed.page.close();
  return measured;
}

function openFile({ page, respond }: ProbedPage, fields: readonly BenchField[]) {
  const file = { name: 'fields.geojson', mimeType: 'application/geo+json', buffer: fileOf(fields) };
  return respond({
    event: 'change',
    shown: `drawn && document.querySelectorAll('tbody tr').length === ${fields.length}`,
    act: () => page.locator('#file').setInputFiles(file),
  });
}

/** The map shows all fields. */
async function useMap(
  probed: ProbedPage,
  model: Model,
  fields: readonly BenchField[],
): Promise<readonly Measured[]> {
  const { page, respond } = probed;
  const { origin, size } = await mapOf(page);
  const pixelOf = pixelsOf(fields, model, size);
  const onPage = ([x, y]: Position): Position => [origin[0] + x, origin[1] + y];
  const [first, ...others] = fields;
  const selected = await rounds('select on the map', async (round) => {
    // If there is one field only, a place beside it by turns.
    const field = others[(round * 17) % others.length] ?? (round % 2 === 0 ? undefined : first);
    await page.mouse.move(...onPage(field === undefined ? BESIDE : pixelOf(field.middle)));
    const shown =
      field === undefined
        ? '!document.querySelector("tbody [aria-pressed=true]")'
        : isSelected(fields.indexOf(field));
    return respond({ event: 'pointerup', shown: `drawn && ${shown}`, act: () => click(page) });
  });
  if (first !== undefined) await page.mouse.click(...onPage(pixelOf(first.middle)));
  await untilSelected(page, 0);
  const hovered = await rounds('hover', (round) =>
    respond({
      event: 'pointermove',
      shown: 'true',
      act: () => page.mouse.move(...onPage([size[0] / 2 + round * 15, size[1] / 2 - round * 9])),
    }),
  );
  return [selected, hovered, ...(await zoomAndPan(probed)), await changeTheme(probed)];
}

async function useTable(
  { page, respond }: ProbedPage,
  fields: readonly BenchField[],
): Promise<readonly Measured[]> {
  const selected = await rounds('select a row', async (round) => {
    const index = (round * 17 + 1) % fields.length;
    if (fields.length === 1) await deselect(page);
    await nameButton(page, index).scrollIntoViewIfNeeded();
    await nameButton(page, index).hover();
    return respond({
      event: 'pointerup',
      shown: `drawn && ${isSelected(index)}`,
      act: () => click(page),
    });
  });
  await select(page, 0);
  await page.locator('#field-name').focus();
  await page.keyboard.press('End');
  const renamed = await rounds('type a letter of a name', (round) => {
    const name = `${fields[0]?.name ?? ''}${'x'.repeat(round + 1)}`;
    return respond({
      event: 'keydown',
      shown: `document.querySelector('tbody button').textContent === '${name}'`,
      act: () => page.keyboard.press('x'),
    });
  });
  if (fields.length === 1) return [selected, renamed];
  await nameButton(page, 0).hover();
  const scrolled = await rounds('scroll the table', async () => {
    const top = await page.evaluate<number>(`document.querySelector('.panel').scrollTop`);
    return respond({
      event: 'wheel',
      shown: `document.querySelector('.panel').scrollTop !== ${top}`,
      act: () => page.mouse.wheel(0, 240),
    });
  });
  return [selected, renamed, scrolled];
}

/** @throws unless every drag has moved a vertex to where it was dropped, in what the page sends */
async function dragVertices(
  { page, respond }: ProbedPage,
  model: Model,
  fields: readonly BenchField[],
): Promise<readonly Measured[]> {
  const [field] = fields;
  if (field === undefined) return [];
  await select(page, 0);
  const { origin, size } = await mapOf(page);
  const pixelOf = pixelsOf([field], model, size);
  const moves: Response[] = [];
  const places: Position[] = [];
  const drops = await rounds('drop a vertex', async (round) => {
    const vertex = field.vertices[Math.floor((round * field.vertices.length) / ROUNDS)];
    const [x, y] = pixelOf(vertex ?? field.middle);
    await page.mouse.move(origin[0] + x, origin[1] + y);
    await page.mouse.down();
    for (let move = 1; move <= MOVES; move++) {
      const act = () => page.mouse.move(origin[0] + x + move * 3, origin[1] + y + move * 4);
      moves.push(await respond({ event: 'pointermove', shown: 'drawn', act }));
    }
    places.push([x + MOVES * 3, y + MOVES * 4]);
    return respond({ event: 'pointerup', shown: 'drawn', act: () => page.mouse.up() });
  });
  const pixels = (await sentRing(page)).map(pixelOf);
  for (const [x, y] of places) {
    const nearest = Math.min(...pixels.map((pixel) => Math.hypot(pixel[0] - x, pixel[1] - y)));
    if (!(nearest < 1)) throw new Error(`no vertex was dropped at ${x}, ${y}: ${nearest} px off`);
  }
  return [{ interaction: 'drag a vertex, each move', responses: moves }, drops];
}

/** The outline of the first field as the page sends it. */
async function sentRing(page: Page): Promise<readonly Position[]> {
  const request = page.waitForRequest('**/v1/batch/estimate');
  await page.getByRole('button', { name: 'Estimate' }).click();
  const { jobs }: CreateBatch = (await request).postDataJSON();
  const { coordinates }: { readonly coordinates: readonly (readonly Position[])[] } = Object(
    jobs[0]?.polygon,
  );
  return coordinates[0] ?? [];
}

/** A place on the map beside the fields that it has been fitted to, in pixels. */
const BESIDE: Position = [80, 10];

const nameButton = (page: Page, row: number) =>
  page.locator('tbody tr td:first-child button').nth(row);

const isSelected = (row: number) =>
  `document.querySelectorAll('tbody tr')[${row}].querySelector('button').ariaPressed === 'true'`;

async function select(page: Page, row: number): Promise<void> {
  await nameButton(page, row).click();
  await untilSelected(page, row);
}

/** After the map has been fitted to the first field. */
async function deselect(page: Page): Promise<void> {
  await select(page, 0);
  const { origin } = await mapOf(page);
  await page.mouse.click(origin[0] + BESIDE[0], origin[1] + BESIDE[1]);
  await page.locator('tbody [aria-pressed=true]').waitFor({ state: 'detached' });
}

function untilSelected(page: Page, row: number): Promise<void> {
  return page.locator(`tbody tr:nth-child(${row + 1}) [aria-pressed=true]`).waitFor();
}
