import { decode } from 'fast-png';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTo, openPage, removeAll } from '../../support/console/batches.ts';
import { drawField, readSentRings, watchLabels } from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { chooseSome } from '../../support/runs.ts';

let served: DevConsole;
let page: Page;
let faults: readonly string[];
let origins: ReadonlySet<string>;
beforeAll(async () => {
  served = await devConsole();
  ({ page, faults, origins } = await openPage(served, '#/fields'));
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.locator('#map .locator').waitFor();
});
afterAll(() => served.close());

async function goTo(place: string): Promise<void> {
  await page.getByLabel('Go to').fill(place);
  await page.getByRole('button', { name: 'Go', exact: true }).click();
}

async function zoomOut(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await page.getByRole('button', { name: 'Zoom out' }).click();
    // A second click while the first still zooms the map would have no effect.
    await page.waitForTimeout(300);
  }
}

async function findMiddle(selector: string): Promise<'sea' | 'land' | null> {
  const { data, width, height, channels } = decode(await page.locator(selector).screenshot());
  const start = channels * (width * (height / 2 - 12) + width / 2 + 12);
  const shown = `rgb(${[...data.subarray(start, start + 3)].join(', ')})`;
  const colours: Readonly<Record<string, string>> = await page.evaluate(`(() => {
    const colourOf = (name) => {
      const probe = document.createElement('p');
      probe.style.color = 'var(--' + name + ')';
      document.body.append(probe);
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    };
    return { [colourOf('sea')]: 'sea', [colourOf('land')]: 'land' };
  })()`);
  const kind = colours[shown];
  return kind === 'sea' || kind === 'land' ? kind : null;
}

const PLACES = [
  ['52.9, 3.2', 'sea', "in a model's reference system"],
  ['51.9, 9.5', 'land', "in a model's reference system"],
  ['-48.884, -122.99', 'sea', "in another model's reference system"],
  ['42.03, -93.6', 'land', 'where there is no model'],
  ['35, -40', 'sea', 'where there is no model'],
  ['66.9, 179.6', 'land', 'west of the antimeridian'],
  ['66.9, -179.6', 'land', 'east of the antimeridian'],
  ['58, 180', 'sea', 'on the antimeridian'],
  ['-88, 30', 'land', 'near a pole'],
  ['88, 30', 'sea', 'near the other pole'],
] as const;

describe('the map', () => {
  it.each(chooseSome(PLACES))('at %s shows %s: %s', async (place, kind, _) => {
    await goTo(place);
    await zoomOut(5);
    // At this scale, the map itself shows land.
    await page.locator('#map .locator').waitFor({ state: 'hidden' });
    await expect.poll(() => findMiddle('#map'), { timeout: 20_000 }).toBe(kind);
  });

  it('shows the surrounding land in a corner when it is zoomed in too far to show land', async () => {
    for (const [place, kind] of [
      ['35, -40', 'sea'],
      ['42.03, -93.6', 'land'],
    ]) {
      await goTo(`${place}`);
      await page.locator('#map .locator').waitFor();
      await expect.poll(() => findMiddle('#map .locator'), { timeout: 20_000 }).toBe(kind);
    }
  });

  it('draws the sea in the colour of dark mode', async () => {
    await goTo('58, 180');
    await zoomOut(5);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => findMiddle('#map'), { timeout: 20_000 }).toBe('sea');
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('moves to a place, where a field can be drawn', async () => {
    await goTo(`42° 1' 48" N, 93° 36' W`);
    await drawField(page, [
      [280, 300],
      [400, 300],
      [400, 420],
    ]);
    const [ring = []] = await readSentRings(page, 'Estimate', '**/v1/batch/estimate');
    expect(ring.length).toBeGreaterThan(3);
    for (const [lon, lat] of ring) {
      expect(Math.abs(lon - -93.6)).toBeLessThan(0.05);
      expect(Math.abs(lat - 42.03)).toBeLessThan(0.05);
    }
    await page.getByRole('link', { name: 'Back to the fields' }).click();
    await removeAll(page);
  });

  it('labels the coverage of a model that users may choose with the title of the model', async () => {
    const { models } = await connectTo(served).models();
    const [word = ''] = models.find(({ for_checks }) => !for_checks)?.title.split(' ') ?? [];
    await goTo('50.97, 5.74');
    const labels = await watchLabels(page);
    await expect.poll(labels, { timeout: 20_000 }).toMatch(new RegExp(`^${word} `, 'm'));
  });

  it('is drawn without requests to other servers', () => {
    expect([...origins]).toEqual([served.url]);
    expect(faults).toEqual([]);
  });
});
