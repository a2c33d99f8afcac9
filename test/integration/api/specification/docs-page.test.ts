import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inMemoryService } from '../../../support/api/service.ts';
import { openBrowser } from '../../../support/browser.ts';

const { text } = await inMemoryService().docs({ path: '/docs', tenant: null });
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function open(width: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 844 } });
  await page.setContent(text);
  return page;
}

describe('the reference in a browser', () => {
  it.each([
    ['a desktop', 1280],
    ['a tablet', 768],
    ['a phone', 390],
  ])('fits the width of %s', async (_, width) => {
    const page = await open(width);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await page.close();
  });

  it('keeps its table of contents in view on a desktop', async () => {
    const page = await open(1280);
    const link = page.locator('.side a', { hasText: 'Error codes' });
    await link.click();
    expect((await page.locator('#error-codes').boundingBox())?.y).toBeLessThan(100);
    expect((await page.locator('.side').boundingBox())?.y).toBe(0);
    await page.close();
  });

  it('opens its table of contents from anywhere on a phone', async () => {
    const page = await open(390);
    expect(await page.locator('.side').isVisible()).toBe(false);
    await page.locator('#error-codes').scrollIntoViewIfNeeded();
    await page.locator('.back').click();
    const link = page.locator('#contents a[href="#batch-status"]');
    expect(await link.isVisible()).toBe(true);
    await link.click();
    expect((await page.locator('#batch-status').boundingBox())?.y).toBeLessThan(100);
    await page.close();
  });

  it('opens the section that contains the target of a link', async () => {
    const page = await open(1280);
    const [section, type] = [page.locator('#batch-status'), page.locator('#batchstatus-type')];
    expect(await section.isVisible()).toBe(false);
    await page.locator('.side a[href="#batchstatus-type"]').click();
    expect(await section.isVisible()).toBe(true);
    expect((await type.boundingBox())?.y).toBeLessThan(100);
    await page.close();
  });

  it('folds sections on screen, and shows their examples and tables in print', async () => {
    const page = await open(1280);
    const height = () => page.evaluate<number>('document.documentElement.scrollHeight');
    expect(await height()).toBeLessThan(4_000);
    await page.emulateMedia({ media: 'print' });
    const examples = page.locator('main pre, main table');
    for (const example of await examples.all()) expect(await example.isVisible()).toBe(true);
    expect(await height()).toBeGreaterThan(20_000);
    await page.close();
  });

  it('lets keyboard users skip the table of contents and open an example', async () => {
    const page = await open(1280);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('text');
    const section = page.locator('main details').first();
    for (const details of [section, section.locator('details').first()]) {
      await details.locator('summary').first().focus();
      await page.keyboard.press('Enter');
      expect(await details.locator('pre, table').first().isVisible()).toBe(true);
    }
    await page.close();
  });
});
