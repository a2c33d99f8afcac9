import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEXTS } from '../../../console/texts.ts';
import {
  clickMap,
  drawField,
  enterKey,
  openConsole,
  type Position,
  readColours,
  readSentRings,
  SQUARE,
} from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { findViolations } from './accessibility.ts';

let served: DevConsole;
let page: Page;
let faults: readonly string[];
let origin: Position;
beforeAll(async () => {
  served = await devConsole();
  ({ page, faults } = await openConsole(served.browser, served.url));
  await enterKey(page, served.apiKey);
  await page.locator('#map canvas').first().waitFor();
  const { x = 0, y = 0 } = (await page.locator('#map > .ol-viewport').boundingBox()) ?? {};
  origin = [x, y];
});
afterAll(() => served.close());

const row = (name: string) => page.locator('tbody tr').filter({ hasText: name });
const drawButton = () => page.getByRole('button', { name: 'Draw a field' });
const names = () => page.locator('tbody bdi').allTextContents();
const areaOf = async (name: string) =>
  Number.parseFloat((await row(name).locator('td').nth(1).textContent()) ?? '');

const inWindow = ([x, y]: Position): Position => [origin[0] + x, origin[1] + y];

/** @param beforeDrop called at the end of the drag, before the pointer is released */
async function drag(from: Position, to: Position, beforeDrop = async () => {}): Promise<void> {
  await page.mouse.move(...inWindow(from));
  await page.mouse.down();
  await page.mouse.move(...inWindow(to), { steps: 3 });
  await beforeDrop();
  await page.mouse.up();
}

const click = (at: Position) => clickMap(page, at);

async function draw(corners: readonly Position[]): Promise<void> {
  await drawButton().click();
  for (const corner of corners) await click(corner);
}

/** Returns the area of a field once it differs from an earlier area. */
async function waitForChangedArea(name: string, before: number): Promise<number> {
  await expect.poll(() => areaOf(name)).not.toBe(before);
  return areaOf(name);
}

describe('a field on the map', () => {
  it('can be drawn and its corners dragged, even the same corner twice, and the table shows its area', async () => {
    await drawField(page, SQUARE);
    const drawn = await areaOf('Field 1');
    expect(drawn).toBeGreaterThan(10);
    await drag([400, 520], [440, 560]);
    const once = await waitForChangedArea('Field 1', drawn);
    const [, outside] = await readColours(page, [[450, 540]]);
    await drag([440, 560], [470, 560], async () => {
      // The outline follows the pointer.
      await expect.poll(async () => (await readColours(page, [[450, 540]]))[1]).not.toBe(outside);
    });
    await drag([470, 560], [430, 480]);
    const twice = await waitForChangedArea('Field 1', once);
    // Drag the corner at which the ring starts and ends.
    await drag([280, 400], [260, 410]);
    await waitForChangedArea('Field 1', twice);
  });

  it('gets a corner when an edge is dragged, and loses it on a double click', async () => {
    const before = await areaOf('Field 1');
    await drag([330, 405], [340, 440]);
    const smaller = await waitForChangedArea('Field 1', before);
    await page.mouse.dblclick(...inWindow([340, 440]));
    expect(await waitForChangedArea('Field 1', smaller)).toBe(before);
    await drag([330, 405], [340, 360]);
    await waitForChangedArea('Field 1', before);
  });

  it('can have its changes, even its removal, undone and redone step by step', async () => {
    const edited = await areaOf('Field 1');
    const undo = page.getByRole('button', { name: 'Undo' });
    const redo = page.getByRole('button', { name: 'Redo' });
    expect(await redo.isDisabled()).toBe(true);
    await undo.click();
    const before = await waitForChangedArea('Field 1', edited);
    await page.keyboard.press('Control+y');
    expect(await waitForChangedArea('Field 1', before)).toBe(edited);
    await page.getByRole('button', { name: 'Remove Field 1' }).click();
    await expect.poll(names).toEqual([]);
    await page.keyboard.press('Control+z');
    await expect.poll(names).toEqual(['Field 1']);
    expect(await areaOf('Field 1')).toBe(edited);
    await drag([340, 360], [345, 370]);
    await waitForChangedArea('Field 1', edited);
    await undo.click();
    await expect.poll(() => areaOf('Field 1')).toBe(edited);
    await redo.click();
    await undo.click();
    await expect.poll(() => areaOf('Field 1')).toBe(edited);
  });

  it('is selected in the table by a click on the map, and deselected by a click next to it', async () => {
    const pressed = row('Field 1').getByRole('button', { pressed: true });
    await click([100, 100]);
    await pressed.waitFor({ state: 'detached' });
    await page.mouse.click(...inWindow([340, 450]));
    // The row is pressed immediately, without waiting for a possible double click.
    expect(await pressed.count()).toBe(1);
    await page.waitForTimeout(300);
    expect(await page.getByLabel('Field name').inputValue()).toBe('Field 1');
    await click([100, 100]);
    await pressed.waitFor({ state: 'detached' });
  });

  it('is finished with Enter, loses its last corner with Backspace, and is discarded with Escape', async () => {
    await draw([
      [150, 650],
      [200, 650],
    ]);
    // Two corners do not make a field.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await drawButton().waitFor();
    expect(await names()).toEqual(['Field 1']);
    await draw([
      [260, 410],
      [340, 360],
      [400, 400],
      [500, 200],
    ]);
    await page.keyboard.press('Backspace');
    await click([430, 480]);
    await click([280, 520]);
    await page.keyboard.press('Enter');
    await expect.poll(names).toEqual(['Field 1', 'Field 2']);
    await drawButton().waitFor();
  });

  it('can be finished by a double click, renamed, and removed', async () => {
    await draw([
      [500, 600],
      [560, 600],
    ]);
    await page.mouse.dblclick(...inWindow([560, 660]));
    await expect.poll(names).toEqual(['Field 1', 'Field 2', 'Field 3']);
    await page.getByLabel('Field name').fill('Paddock');
    await expect.poll(names).toEqual(['Field 1', 'Field 2', 'Paddock']);
    await page.getByRole('button', { name: 'Remove Paddock' }).click();
    await expect.poll(names).toEqual(['Field 1', 'Field 2']);
    expect(await page.getByLabel('Field name').isVisible()).toBe(false);
  });

  it('keeps the corner on which a double click closes it', async () => {
    await draw([
      [500, 600],
      [560, 600],
      [560, 660],
      [500, 660],
    ]);
    // The pointer moves between the clicks, as a hand does.
    await page.mouse.click(...inWindow([500, 600]));
    await page.mouse.move(...inWindow([501, 600]));
    await page.waitForTimeout(100);
    await page.mouse.click(...inWindow([501, 600]), { clickCount: 2 });
    await drawButton().waitFor();
    const rings = await readSentRings(page, 'Estimate', '**/v1/batch/estimate');
    // The ring contains the first corner twice.
    expect(rings.at(-1)).toHaveLength(5);
    await page.getByRole('link', { name: 'Back to the fields' }).click();
    await page.getByRole('button', { name: 'Remove Field 3' }).click();
  });

  it('is kept if the user requests the estimate before finishing it', async () => {
    await draw([
      [500, 600],
      [560, 600],
      [560, 660],
    ]);
    await page.getByRole('button', { name: 'Finish drawing' }).click();
    await expect.poll(names).toEqual(['Field 1', 'Field 2', 'Field 3']);
    await draw([
      [500, 500],
      [560, 500],
      [560, 560],
    ]);
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByRole('button', { name: 'Submit 4 fields' }).waitFor();
    await page.getByRole('link', { name: 'Back to the fields' }).click();
    await page.getByRole('button', { name: 'Remove Field 4' }).click();
    await page.getByRole('button', { name: 'Remove Field 3' }).click();
    await expect.poll(names).toEqual(['Field 1', 'Field 2']);
  });

  it('is marked at the place of its fault until it is changed', async () => {
    // The crossing edges are horizontal and vertical, whereas the arms of the mark are diagonal.
    await draw([
      [160, 600],
      [280, 600],
      [220, 660],
      [220, 540],
    ]);
    await page.keyboard.press('Enter');
    await row('Field 3').waitFor();
    const mark = [
      [215, 595],
      [225, 595],
      [215, 605],
      [225, 605],
    ] as const;
    const isMarked = async () => {
      const [failed, ...colours] = await readColours(page, mark);
      return colours.every((colour) => colour === failed);
    };
    expect(await isMarked()).toBe(false);
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByText(TEXTS.estimate.fail(1)).waitFor();
    await expect.poll(isMarked).toBe(true);
    await page.getByRole('link', { name: 'Back to the fields' }).click();
    await row('Field 3').getByText('itself near').waitFor();
    await expect.poll(isMarked).toBe(true);
    await drag([220, 540], [240, 560]);
    await row('Field 3').getByText('itself near').waitFor({ state: 'detached' });
    await expect.poll(isMarked).toBe(false);
    await page.getByRole('button', { name: 'Remove Field 3' }).click();
  });

  it('is kept when the key is rejected, and the console asks for another', async () => {
    let refusals = 0;
    await page.route('**/v1/batch/estimate', (route) =>
      refusals++ === 0
        ? route.fulfill({
            status: 401,
            contentType: 'application/problem+json',
            body: JSON.stringify({ type: '/docs/problems/unauthorized', title: 'Unauthorized' }),
          })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Estimate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Enter another key' });
    await dialog.getByText(TEXTS.key.newExplanation).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await enterKey(page, `${served.apiKey.slice(0, -4)}AAAA`);
    await dialog.getByText(TEXTS.key.refused).waitFor();
    await enterKey(page, served.apiKey);
    await page.getByRole('button', { name: 'Submit 2 fields' }).waitFor();
    expect(await dialog.count()).toBe(0);
    await page.unroute('**/v1/batch/estimate');
    await page.getByRole('link', { name: 'Back to the fields' }).click();
    await expect.poll(names).toEqual(['Field 1', 'Field 2']);
  });

  it('is selected on the map through its row in the table', async () => {
    const shown = () => page.locator('#map').screenshot();
    const select = () => page.getByRole('button', { name: 'Field 1', exact: true }).click();
    await select();
    await click([650, 20]);
    const plain = await shown();
    await select();
    await expect.poll(async () => plain.equals(await shown())).toBe(false);
    await click([650, 20]);
    await expect.poll(async () => plain.equals(await shown())).toBe(true);
  });

  it('is submitted as it was edited', async () => {
    const estimated = await readSentRings(page, 'Estimate', '**/v1/batch/estimate');
    const sent = await readSentRings(page, 'Submit 2 fields', '**/v1/batch');
    expect(sent).toEqual(estimated);
    // The second field was drawn where the corners of the first had been dragged.
    const [edited = [], drawn = []] = sent;
    expect(edited).toHaveLength(6);
    edited.forEach(([lon, lat], at) => {
      const [lonDrawn = Number.NaN, latDrawn = Number.NaN] = drawn[at] ?? [];
      expect(Math.abs(lon - lonDrawn)).toBeLessThan(1e-6);
      expect(Math.abs(lat - latDrawn)).toBeLessThan(1e-6);
    });
  });

  it('is not submitted twice without a warning', async () => {
    await page.waitForURL('**/console#/batch/*');
    await page.goBack();
    await page.getByText(TEXTS.estimate.submitted).waitFor();
    await page.getByRole('link', { name: 'Back to the fields' }).click();
  });

  it('is removed with all other fields after a confirmation', async () => {
    const clear = page.getByRole('button', { name: 'Remove all' });
    await clear.click();
    await page.getByRole('button', { name: 'Keep them' }).click();
    await expect.poll(names).toEqual(['Field 1', 'Field 2']);
    await clear.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove all' }).click();
    await expect.poll(names).toEqual([]);
    expect(await clear.isVisible()).toBe(false);
    // These errors come from the rejected keys.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });
});
