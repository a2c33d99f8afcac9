import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';
import { overflowAt320, violationsOf } from '../console/accessibility.ts';

let service: DevConsole;
let page: Page;
const blocked: string[] = [];

beforeAll(async () => {
  service = await devConsole();
  const folder = mkdtempSync(join(tmpdir(), 'soil-batch-report-'));
  cpSync('examples/fields.gpkg', join(folder, 'fields.gpkg'));
  const args = ['run', 'fields.gpkg', '--year', '2021', '--name-field', 'id', '--yes'];
  await promisify(execFile)(resolve('.local/venv/bin/soil-batch'), args, {
    cwd: folder,
    env: { SOIL_BASE_URL: service.url, SOIL_API_KEY: service.apiKey },
  });
  page = await service.browser.newPage();
  page.on('console', (message) => blocked.push(message.text()));
  page.on('request', (request) => blocked.push(...(request.url().match(/^http.*/) ?? [])));
  await page.goto(pathToFileURL(join(folder, 'fields_2021', 'report.html')).href);
});

afterAll(() => service.close());

const shown = () => page.locator('.fields tbody:visible tr:first-child th').allTextContents();

it('a report needs no network, and its policy blocks nothing of it', async () => {
  const pictures = page.locator('.cards img');
  await expect(pictures.count()).resolves.toBe(16);
  const widths: readonly number[] = await page.evaluate(
    "[...document.querySelectorAll('.cards img')].map((one) => one.naturalWidth)",
  );
  expect(Math.min(...widths)).toBeGreaterThan(10);
  expect(Math.max(...widths)).toBeLessThanOrEqual(96);
  expect(blocked).toEqual([]);
});

it('its table can be sorted by the keyboard, and searched', async () => {
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

it('is accessible in light and dark, and fits a narrow window', async () => {
  expect(await violationsOf(page)).toEqual([]);
  expect(await overflowAt320(page)).toBeLessThanOrEqual(0);
});
