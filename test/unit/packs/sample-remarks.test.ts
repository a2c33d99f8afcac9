import { beforeAll, describe, expect, it } from 'vitest';
import type { PredictedSample } from '../../../bin/packs/predicted-samples.ts';
import { sampleWarnings, trainedCells } from '../../../bin/packs/sample-remarks.ts';
import type { Pack } from '../../../engine/model/pack/pack.ts';
import { measuredIn, stockPack, TENFOLD_CLAY } from './stock-pack.ts';

let pack: Pack;
let samples: readonly PredictedSample[];
beforeAll(async () => {
  pack = await stockPack();
  samples = await measuredIn(pack, 60);
});

it('samples in a grid cell of the training are found, wherever in the cell it was taken', () => {
  const lines = samples.slice(0, 6).map(({ position: [lon, lat] }) => `${lon + 1e-5},${lat}`);
  const isTrained = trainedCells(pack, ['lon,lat', ...lines, '1,2'].join('\n'));
  expect(samples.slice(0, 6).every(({ cell }) => isTrained(cell))).toBe(true);
  expect(samples.filter(({ cell }) => isTrained(cell)).length).toBeLessThan(10);
  expect(isTrained(null)).toBe(false);
});

describe('the samples of a right pack', () => {
  it('have no remarks', () => {
    expect(sampleWarnings(pack.manifest, samples)).toEqual([]);
  });

  it('have one if rows are repeated', () => {
    const warnings = sampleWarnings(pack.manifest, [...samples, ...samples.slice(0, 5)]);
    expect(warnings).toEqual([expect.stringMatching(/^5 of 65 rows repeat/)]);
  });

  it('have one if a measurement is impossible', () => {
    const missing = samples.map((sample, i) => (i < 3 ? { ...sample, observed: -9999 } : sample));
    const warnings = sampleWarnings(pack.manifest, missing);
    expect(warnings).toContainEqual(
      expect.stringMatching(/^3 of 60 measurements .*such as -9999: it is at least 0/),
    );
  });
});

it('samples of a pack whose covariate lost its scale lie outside the training', async () => {
  const spoiled = await stockPack({ clayFile: { values: TENFOLD_CLAY } });
  const found = await measuredIn(spoiled, 60);
  expect(sampleWarnings(spoiled.manifest, found)).toContainEqual(
    expect.stringMatching(/^clay lies outside the training's 0 to 60 in \d+ of 60 samples.*scale/),
  );
});
