import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enterKey, mapOneField, openConsole, readMiddle } from '../../console.ts';
import { type DevConsole, devConsole } from './dev-console.ts';

let served: DevConsole;
beforeAll(async () => {
  served = await devConsole();
});
afterAll(() => served.close());

describe('the console', () => {
  it('leads from a drawn field to the value of a cell', async () => {
    const { page, faults } = await openConsole(served.browser, served.url);
    await enterKey(page, served.apiKey);
    await mapOneField(page);
    const { text } = await readMiddle(page);
    expect(text).toMatch(/^[\d.]+ kg\/m3, 90 % interval [\d.]+ to [\d.]+/);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('explains a wrong key, and does not show the console', async () => {
    const { page } = await openConsole(served.browser, served.url);
    await enterKey(page, `${served.apiKey.slice(0, -4)}AAAA`);
    await page.getByText('The service does not know this key').waitFor();
    expect(await page.locator('#map').count()).toBe(0);
    await page.close();
  });

  it('keeps the key nowhere that a reload or a copied address would show', async () => {
    const { page } = await openConsole(served.browser, served.url);
    await enterKey(page, served.apiKey);
    await page.locator('#map canvas').first().waitFor();
    const kept = await page.evaluate(
      `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state,
        location.href, document.documentElement.outerHTML, document.querySelectorAll('input').length])`,
    );
    expect(kept).not.toContain(served.apiKey);
    expect(kept).toContain('/console');
    await page.reload();
    await expect(page.getByLabel('API key').inputValue()).resolves.toBe('');
    await page.close();
  });

  it('shows the names of a file as text', async () => {
    const { page, faults } = await openConsole(served.browser, served.url);
    await enterKey(page, served.apiKey);
    const name = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
    const ring = [
      [5.74, 50.97],
      [5.745, 50.97],
      [5.745, 50.973],
      [5.74, 50.97],
    ];
    const geometry = { type: 'Polygon', coordinates: [ring] };
    const file = { type: 'Feature', properties: { name }, geometry };
    await page.locator('#file').setInputFiles({
      name: `${name}.geojson`.replaceAll('/', ''),
      mimeType: 'application/geo+json',
      buffer: Buffer.from(JSON.stringify(file)),
    });
    await page.getByRole('button', { name, exact: true }).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });
});
