import { describe, expect, it } from 'vitest';
import { colourAt, formatHexColour, RAMP_STOPS } from '#engine/display/colour-ramp.ts';
import { chooseRoundTicks } from '#engine/display/round-ticks.ts';
import { legend, scaleBar } from '../../../lambdas/drawing/map-parts.ts';

describe('the ticks of a legend', () => {
  it.each([
    [
      [6, 110],
      [20, 40, 60, 80, 100],
    ],
    [
      [0, 1],
      [0, 0.2, 0.4, 0.6, 0.8, 1],
    ],
    [
      [0.31, 0.37],
      [0.31, 0.32, 0.33, 0.34, 0.35, 0.36, 0.37],
    ],
    [
      [-5, 5],
      [-4, -2, 0, 2, 4],
    ],
    [
      [120_000, 980_000],
      [200_000, 400_000, 600_000, 800_000],
    ],
  ] as const)('are round and few: %j', (range, ticks) => {
    expect(chooseRoundTicks(range)).toEqual(ticks);
  });

  it('are at the positions of their colours', () => {
    const { html } = legend({ x: 10, y: 0, width: 104 }, [6, 110], 'kg/m3');
    expect(html).toContain(
      '<text x="24" y="32" font-size="12" fill="#2b2622" text-anchor="middle">20<',
    );
    expect(html).toContain('>kg/m³<');
  });
});

describe('a scale bar', () => {
  it.each([
    [10, '1 km', 100],
    [3, '200 m', 200 / 3],
    [9_000, '500 km', 500 / 9],
    [0.01, '1 m', 100],
    [0.003, '20 cm', 200 / 3],
  ])('has a round length at %f metres per pixel', (metresPerPixel, label, pixels) => {
    const { html } = scaleBar({ x: 0, y: 6, width: 100 }, metresPerPixel);
    expect(html).toContain(`>${label}<`);
    expect(Number(/h([\d.]+)v/.exec(html)?.[1])).toBeCloseTo(pixels, 9);
  });
});

it('the colour ramp interpolates between its colours, but not beyond its ends', () => {
  for (const { fraction, colour } of RAMP_STOPS) expect(colourAt(fraction)).toEqual(colour);
  expect(formatHexColour(colourAt(-1))).toBe('#ffffe5');
  expect(formatHexColour(colourAt(7))).toBe('#662506');
  expect(colourAt(1 / 16)).toEqual([255, 251, 209]);
});
