import { beforeAll, describe, expect, it } from 'vitest';
import {
  type HeldOutSample,
  type PredictedSample,
  predictedAt,
} from '../../../../bin/packs/validation/held-out.ts';
import { sampleWarnings, seenInTraining } from '../../../../bin/packs/validation/sample-remarks.ts';
import type { Pack } from '../../../../engine/model/pack/pack.ts';
import { measured, stockPack, TENFOLD_CLAY } from '../stock-pack.ts';

let pack: Pack;
let samples: readonly PredictedSample[];
beforeAll(async () => {
  pack = await stockPack();
  samples = (await predictedAt(pack, measured(pack, 60))).samples;
});

/** A training's table, a metre off the samples. */
function tableOf(positions: readonly HeldOutSample[]): string {
  const lines = positions.map(({ position: [lon, lat] }) => `${lon + 1e-5},${lat}`);
  return ['lon,lat', ...lines].join('\n');
}

describe('samples in a grid cell of the training', () => {
  it('prove nothing if they are most of them', () => {
    const seen = seenInTraining(pack, samples, tableOf(samples.slice(10)));
    expect(seen?.isRefusal).toBe(true);
    expect(seen?.text).toMatch(/^5\d of 60 samples/);
  });

  it('are named if they are some', () => {
    const seen = seenInTraining(pack, samples, tableOf(samples.slice(0, 6)));
    expect(seen?.isRefusal).toBe(false);
    expect(seen?.text).toMatch(/^[4-8] of 60 samples/);
  });

  it('are none if the training was elsewhere', () => {
    expect(seenInTraining(pack, samples, 'lon,lat\n1,2')).toBeNull();
  });
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
  const { samples: found } = await predictedAt(spoiled, measured(spoiled, 60));
  expect(sampleWarnings(spoiled.manifest, found)).toContainEqual(
    expect.stringMatching(/^clay lies outside the training's 0 to 60 in \d+ of 60 samples.*scale/),
  );
});
