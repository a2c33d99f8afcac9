import { describe, expect, it } from 'vitest';
import { readExpected } from '../../../bin/packs/expected.ts';
import { findImplausiblePlaces } from '../../../bin/packs/known-places.ts';
import { manifestSchema } from '../../../engine/model/pack/manifest.ts';
import { aManifest, TWO_PERIODS } from '../../support/model/builders.ts';

const target = (name: string, index: number, level?: number) => ({
  name,
  description: name,
  from: { kind: 'target' as const, index, ...(level === undefined ? {} : { level }) },
});
const { graph: _, ...rest } = aManifest();
const manifest = manifestSchema.parse({
  ...rest,
  temporal: TWO_PERIODS,
  bands: [target('mean', 0), target('p16', 1, 0.16), target('p84', 2, 0.84)],
});

const checkPlace = (published: number | null, ...periods: readonly (readonly number[] | null)[]) =>
  findImplausiblePlaces({ manifest }, [
    {
      ...{ place: 'heath', lon: 5, lat: 52, published, source: 'a survey' },
      values: periods.map((bands) => (bands === null ? null : { covariates: [], bands })),
    },
  ]);
const at = (mean: number) => [mean, mean / 2, mean * 2];

describe('a known place', () => {
  it.each([0.32, 1, 3.1])('is plausible if its value is %s times the published value', (factor) => {
    expect(checkPlace(20, at(20 * factor), at(20))).toEqual([]);
  });

  it.each([0.1, 0.31, 3.2, 10])(
    'is implausible if its value is %s times the published value',
    (factor) => {
      expect(checkPlace(20, at(20), at(20 * factor))).toEqual([
        expect.stringMatching(/^heath, 2015-2019: .* 20 /),
      ]);
    },
  );

  it('is plausible without data only where no data is expected', () => {
    expect(checkPlace(null, null, null)).toEqual([]);
    expect(checkPlace(null, null, at(20))).toHaveLength(1);
    expect(checkPlace(20, at(20), null)).toHaveLength(1);
  });

  it('is implausible if its bounds are exchanged', () => {
    expect(checkPlace(20, [20, 30, 15], at(20))).toEqual([
      expect.stringMatching(/^heath, 2010-2014: p84 .* p16/),
    ]);
  });
});

it.each(['openlandmap-soc', 'openlandmap-soc-30m'])(
  '%s has at least 12 known places, some at the edges and two where no data is expected',
  (pack) => {
    const { files, places } = readExpected(`models/${pack}`);
    const [west = 0, south = 0, east = 0, north = 0] = files?.bounds ?? [];
    expect(places.length).toBeGreaterThanOrEqual(12);
    for (const { lon, lat } of places) {
      expect(lon).toBeGreaterThan(west);
      expect(lon).toBeLessThan(east);
      expect(lat).toBeGreaterThan(south);
      expect(lat).toBeLessThan(north);
    }
    expect(places.some(({ lon }) => lon > 179)).toBe(true);
    expect(places.some(({ lon }) => lon < -179)).toBe(true);
    expect(places.some(({ lat }) => lat >= 75)).toBe(true);
    expect(places.some(({ lat }) => lat <= -55)).toBe(true);
    expect(places.filter(({ published }) => published === null)).toHaveLength(2);
  },
);
