import type { Page } from 'playwright-core';
import type { Position } from './fields.ts';
import type { ProbedPage, Response } from './probe.ts';

export interface Measured {
  readonly interaction: string;
  readonly responses: readonly Response[];
}

export const ROUNDS = 10;

export async function rounds(
  interaction: string,
  one: (round: number) => Promise<Response>,
): Promise<Measured> {
  const responses: Response[] = [];
  for (let round = 0; round < ROUNDS; round++) responses.push(await one(round));
  return { interaction, responses };
}

export interface MapPlace {
  /** In pixels of the window. */
  readonly origin: Position;
  readonly size: Position;
}

export async function mapOf(page: Page): Promise<MapPlace> {
  const box = await page.locator('#map .ol-viewport').boundingBox();
  if (box === null) throw new Error('the page has no map');
  return { origin: [box.x, box.y], size: [box.width, box.height] };
}

/** Where the pointer is. */
export async function click(page: Page): Promise<void> {
  await page.mouse.down();
  await page.mouse.up();
}

/** Leaves the map elsewhere than it was. */
export async function zoomAndPan({ page, respond }: ProbedPage): Promise<readonly Measured[]> {
  const { origin, size } = await mapOf(page);
  const press = (there: string, back: string) => (round: number) =>
    respond({
      event: 'keydown',
      shown: 'drawn',
      act: () => page.keyboard.press(round % 2 === 0 ? there : back),
    });
  await page.mouse.move(origin[0] + size[0] / 2, origin[1] + size[1] / 2);
  const wheeled = await rounds('zoom by wheel', (round) =>
    respond({
      event: 'wheel',
      shown: 'drawn',
      act: () => page.mouse.wheel(0, round % 2 === 0 ? -150 : 150),
    }),
  );
  await page.locator('#map').focus();
  const zoomed = await rounds('zoom by key', press('+', '-'));
  const stepped = await rounds('pan by key', press('ArrowRight', 'ArrowLeft'));
  const [x, y] = [origin[0] + 20, origin[1] + size[1] - 120];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const panned = await rounds('pan by pointer, each move', (round) =>
    respond({
      event: 'pointermove',
      shown: 'drawn',
      act: () => page.mouse.move(x + (round + 1) * 12, y - round * 9),
    }),
  );
  await page.mouse.up();
  return [wheeled, zoomed, stepped, panned];
}

export function changeTheme({ page, respond }: ProbedPage): Promise<Measured> {
  return rounds('change the theme', (round) =>
    respond({
      event: 'theme',
      shown: 'drawn',
      act: () => page.emulateMedia({ colorScheme: round % 2 === 0 ? 'dark' : 'light' }),
    }),
  );
}
