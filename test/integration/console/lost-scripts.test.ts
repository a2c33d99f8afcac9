import { afterAll, beforeAll, expect, it } from 'vitest';
import { enterKey, openConsole } from '../../support/console/console.ts';
import { type DevConsole, devConsole } from '../../support/console/dev-console.ts';

let served: DevConsole;
beforeAll(async () => {
  served = await devConsole();
});
afterAll(() => served.close());

it('the console explains that the script of a page did not load, and shows other pages', async () => {
  const { page } = await openConsole(served.browser, served.url);
  await enterKey(page, served.apiKey);
  await page.route(/\/console\/history-page-\w+\.js$/, (route) => route.abort());
  const message = page.locator('main').getByRole('alert').filter({ hasText: /./ });
  await page.getByRole('link', { name: 'Batches' }).click();
  await message.waitFor();
  await page.getByRole('link', { name: 'Fields' }).click();
  await page.getByRole('heading', { name: 'Fields' }).waitFor();
  expect(await message.count()).toBe(0);
  await page.close();
});
