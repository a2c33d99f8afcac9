import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { writeReport } from '../../support/console/report.ts';
import { findViolations, measureOverflowAt320 } from '../console/accessibility.ts';

let service: DevConsole;
let page: Page;
const blocked: string[] = [];

beforeAll(async () => {
  service = await devConsole();
  page = await service.browser.newPage();
  page.on('console', (message) => blocked.push(message.text()));
  page.on('request', (request) => blocked.push(...(request.url().match(/^http.*/) ?? [])));
  await page.goto(await writeReport(service));
});

afterAll(() => service.close());

const shown = () => page.locator('.fields tbody:visible tr:first-child th').allTextContents();

it('a report needs no network, and its content policy blocks none of it', async () => {
  const pictures = page.locator('.cards img');
  await expect(pictures.count()).resolves.toBe(16);
  const widths: readonly number[] = await page.evaluate(
    "[...document.querySelectorAll('.cards img')].map((one) => one.naturalWidth)",
  );
  expect(Math.min(...widths)).toBeGreaterThan(10);
  expect(Math.max(...widths)).toBeLessThanOrEqual(96);
  expect(blocked).toEqual([]);
});

it("a report's table can be sorted with the keyboard, and searched", async () => {
  const names = await shown();
  await page.getByRole('button', { name: 'Mean, kg/m³' }).focus();
  await page.keyboard.press('Enter');
  expect((await shown())[0]).toBe('Stein 2');
  await page.keyboard.press('Enter');
  expect((await shown())[0]).toBe('Stein 8');
  await page.getByRole('button', { name: 'No.' }).click();
  expect(await shown()).toEqual(names);
  await page.getByLabel('Search').fill('stein 3');
  expect(await shown()).toEqual(['Stein 3']);
  await page.getByLabel('Search').fill('');
});

it('a report is accessible in light and dark mode, and fits a narrow window', async () => {
  expect(await findViolations(page)).toEqual([]);
  expect(await measureOverflowAt320(page)).toBeLessThanOrEqual(0);
});
