import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { enterKey, openConsole, readMiddle } from '../../console.ts';
import { compressPng } from '../../e2e/operating/compress-png.ts';
import { devConsole } from './dev-console.ts';
import { exampleFields } from './example-fields.ts';

// Screenshots of each page of the console, on a desktop and a phone, light and dark, from `npm run dev`'s
// service. All go into a folder to look at; those that a doc shows also replace the ones in the docs.

const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const;
const THEMES = ['light', 'dark'] as const;
const SHOWN_IN_DOCS = ['fields-desktop-light', 'result-desktop-dark'];

const FOLDER = process.argv[2] ?? '.local/console-screenshots';
const DOCS = 'docs/images/console';
mkdirSync(FOLDER, { recursive: true });
mkdirSync(DOCS, { recursive: true });

// The fonts that the package of Chromium brings, so that the pictures look the same on every machine.
process.env['FONTCONFIG_PATH'] = join(tmpdir(), 'fonts');
const served = await devConsole();
const { page, faults } = await openConsole(served.browser, served.url, SIZES.desktop);
await take('key');
await enterKey(page, `${served.apiKey.slice(0, -4)}AAAA`);
await page.getByText('does not know this key').waitFor();
await take('key-refused');
await enterKey(page, served.apiKey);
await page.locator('#map canvas').first().waitFor();
await take('empty');
await page.locator('#file').setInputFiles({
  name: 'fields.geojson',
  mimeType: 'application/geo+json',
  buffer: Buffer.from(exampleFields()),
});
await page.getByRole('button', { name: 'By the mill', exact: true }).waitFor();
await take('fields');
await page.getByRole('button', { name: 'Estimate' }).click();
await page.getByRole('button', { name: /^Submit/ }).waitFor();
await take('estimate');
await page.getByRole('button', { name: /^Submit/ }).click();
await page.getByRole('link', { name: 'Long meadow' }).waitFor();
await take('progress');
await page.getByRole('link', { name: 'Long meadow' }).click();
await page.getByLabel('Shown on the map').waitFor();
await readMiddle(page);
await take('result');
await page.getByRole('link', { name: 'Batches' }).click();
await page.locator('tbody tr').first().waitFor();
await take('history');
await served.close();
// The refused key is the only error that these steps cause.
for (const fault of faults.slice(1)) console.error(fault);

async function take(name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      await settled(page);
      const image = compressPng(await page.screenshot());
      const file = `${name}-${size}-${colorScheme}`;
      writeFileSync(join(FOLDER, `${file}.png`), image);
      if (SHOWN_IN_DOCS.includes(file)) writeFileSync(join(DOCS, `${file}.png`), image);
    }
  }
  await page.setViewportSize(SIZES.desktop);
}

/** The map has drawn itself again at its new size. */
async function settled(at: Page): Promise<void> {
  await at.evaluate('new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn), 600))');
}
