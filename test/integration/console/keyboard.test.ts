import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEXTS } from '../../../console/texts.ts';
import { openConsole } from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { exampleFields } from '../../support/console/example-fields.ts';
import {
  findViolations,
  isMapInVisualOrder,
  measureOverflowAt320,
  tabTo,
  waitForFocusedHeading,
} from './accessibility.ts';

let served: DevConsole;
let page: Page;
let faults: readonly string[];
beforeAll(async () => {
  served = await devConsole();
  ({ page, faults } = await openConsole(served.browser, served.url));
});
afterAll(() => served.close());

async function expectAccessible(): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
  expect(await measureOverflowAt320(page)).toBe(0);
}

// Each test continues on the page that the previous test left.
describe('without a pointer, and without findings by axe,', () => {
  it('an invalid API key is explained', async () => {
    await page.keyboard.type(`${served.apiKey.slice(0, -4)}AAAA`);
    await page.keyboard.press('Enter');
    await page.getByText(TEXTS.key.refused).waitFor();
    await expectAccessible();
  });

  it('a valid API key opens the fields page, with the focus on its heading', async () => {
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(served.apiKey);
    await page.keyboard.press('Enter');
    await waitForFocusedHeading(page, 'Fields');
    await expectAccessible();
  });

  it('a field can be drawn with keys, and the map keeps the focus', async () => {
    const focused = () =>
      page.evaluate('document.activeElement.id || document.activeElement.textContent');
    await tabTo(page, 'Draw a field');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Finish drawing' }).waitFor();
    await expect.poll(focused).toBe('map');
    expect(await isMapInVisualOrder(page, 390)).toBe(true);
    expect(await isMapInVisualOrder(page, 1280)).toBe(true);
    expect(await focused()).toBe('map');
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Draw a field');
    await page.keyboard.press('Enter');
    // The map animates its view after a key.
    const goOn = async (...keys: readonly string[]) => {
      for (const key of keys) {
        await page.keyboard.press(key);
        await page.waitForTimeout(300);
      }
    };
    const said = (text: string | RegExp) =>
      page.getByRole('status').filter({ hasText: text }).waitFor();
    await goOn(' ');
    await said(/50\.9\d*° N/);
    await goOn('ArrowRight', 'Enter', 'ArrowDown', ' ');
    await said(TEXTS.fields.cornerSet(3, null).slice(0, -1));
    await goOn('Control+z');
    await said(TEXTS.fields.cornerRemoved(2));
    await goOn('Control+Shift+z', 'ArrowLeft', ' ');
    await said(TEXTS.fields.cornerSet(4, null).slice(0, -1));
    await expectAccessible();
    await goOn('Enter');
    await said(TEXTS.fields.drawn);
    await page.getByRole('button', { name: 'Remove Field 1' }).waitFor();
    await goOn('Control+z');
    await page.getByRole('button', { name: 'Remove Field 1' }).waitFor({ state: 'detached' });
    await page.evaluate('document.querySelector("nav a").focus()');
  });

  it('a place can be typed, and an invalid place is explained at its input', async () => {
    await tabTo(page, 'Go to');
    await page.keyboard.type('Ames, Iowa');
    await page.keyboard.press('Enter');
    await page.locator('#place-error:not(:empty)').waitFor();
    await expectAccessible();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('93.6 W, 42.03 N');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: '42.03° N, 93.6° W' }).waitFor();
    expect(await page.locator('#place-error').textContent()).toBe('');
    await expectAccessible();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('50.97, 5.74');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: '50.97° N, 5.74° E' }).waitFor();
  });

  it('fields can be pasted', async () => {
    await tabTo(page, 'Paste fields');
    await page.keyboard.press('Enter');
    await tabTo(page, 'GeoJSON, or corners');
    await page.keyboard.insertText(exampleFields());
    await tabTo(page, 'Add');
    await page.keyboard.press('Enter');
    await page.getByText(TEXTS.fields.count(7)).first().waitFor();
    await expectAccessible();
  });

  it('the estimate shows which fields will fail', async () => {
    await tabTo(page, /^Estimate/);
    await page.keyboard.press('Enter');
    await waitForFocusedHeading(page, 'Estimate');
    await page.getByText(TEXTS.estimate.fail(1)).waitFor();
    await expectAccessible();
  });

  it('the batch can be submitted and followed', async () => {
    await tabTo(page, 'Submit');
    await page.keyboard.press('Enter');
    await waitForFocusedHeading(page, '');
    await page.getByRole('link', { name: 'Long meadow' }).waitFor();
    await expectAccessible();
  });

  it('a result can be opened', async () => {
    await tabTo(page, 'Long meadow');
    await page.keyboard.press('Enter');
    await page.getByLabel('Shown on the map').waitFor();
    await waitForFocusedHeading(page, 'Long meadow');
    await expectAccessible();
  });

  it('the batches can be listed', async () => {
    await page.keyboard.press('ControlOrMeta+Home');
    await page.evaluate('document.querySelector("nav a").focus()');
    await tabTo(page, 'Batches');
    await page.keyboard.press('Enter');
    await waitForFocusedHeading(page, 'Batches');
    await page.locator('tbody tr').first().waitFor();
    await expectAccessible();
  });

  it('nothing violates the content policy, and a violation would be detected', async () => {
    // The 401 responses are to requests with the invalid key.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    const inline = "Object.assign(document.createElement('style'), { textContent: 'p {}' })";
    await page.evaluate(`document.head.append(${inline})`);
    expect(faults.at(-1)).toContain('Content Security Policy');
  });
});
