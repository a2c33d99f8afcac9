import { describe, expect, it } from 'vitest';
import type { PredictedSample } from '../../../../bin/packs/validation/held-out.ts';
import { randomFrom } from '../../../../bin/packs/validation/random.ts';
import { refusals } from '../../../../bin/packs/validation/refusals.ts';
import { reportLines } from '../../../../bin/packs/validation/report.ts';
import { validated } from '../../../../bin/packs/validation/validate.ts';
import { type Manifest, manifestSchema } from '../../../../engine/model/pack/manifest.ts';
import { aManifest } from '../../../support/model/builders.ts';
import { normalFrom, Z_95 } from '../../../support/model/correlated-errors.ts';

const quantile = (name: string, index: number, level: number) => ({
  name,
  description: name,
  from: { kind: 'target' as const, index, level },
});

/** A carbon stock with the bands mean, q05 and q95. */
function stock(changes: Partial<Manifest> = {}): Manifest {
  return {
    ...manifestSchema.parse(
      aManifest({
        bands: [
          { name: 'mean', description: 'mean', from: { kind: 'target', index: 0 } },
          quantile('q05', 1, 0.05),
          quantile('q95', 2, 0.95),
        ],
      }),
    ),
    ...changes,
  };
}

interface World {
  /** What the pack makes of a right prediction. */
  readonly told?: (value: number) => number;
  /** Half-width of the interval, in those that contain 90 %. */
  readonly width?: number;
  readonly groups?: number;
  readonly seed?: number;
}

/** Samples of a model with R² of about 0.6, and bounds that contain 90 % unless told otherwise. */
function samples(
  count: number,
  { told = (value) => value, width = 1, groups, seed = 1 }: World = {},
): readonly PredictedSample[] {
  const normal = normalFrom(randomFrom(seed));
  return Array.from({ length: count }, (_, i) => {
    const mean = 55 + 12 * normal();
    const half = Z_95 * 10 * width;
    return {
      position: [0, 0] as const,
      cell: { col: i % 100, row: Math.floor(i / 100) },
      observed: mean + 10 * normal(),
      group: groups === undefined ? null : `field ${i % groups}`,
      covariates: [],
      bands: [mean, Math.max(mean - half, 0), mean + half].map(told),
    };
  });
}

const refusalsOf = (found: readonly PredictedSample[], manifest = stock()): readonly string[] =>
  refusals(
    manifest,
    found,
    found.map(({ observed, bands: [predicted = Number.NaN], group }) => ({
      observed,
      predicted,
      group,
    })),
  );

describe('held-out samples', () => {
  it('bear out a right pack, whichever samples were held out', () => {
    const refused = Array.from({ length: 200 }, (_, seed) =>
      refusalsOf(samples(120, { seed, ...(seed % 2 === 0 ? {} : { groups: 12 }) })),
    ).filter(({ length }) => length > 0);
    // Each of the checks is at 99 %.
    expect(refused.length).toBeLessThanOrEqual(6);
  });

  it.each([
    ['kg/m² called t/ha', { told: (value: number) => value / 10 }, /times the measurements/],
    ['a logarithm that is not turned back', { told: Math.log }, /times the measurements/],
    ['one value everywhere', { told: () => 88.1 }, /mean is 88.1 in all/],
    [
      'values off by so much that the mean of the samples is better',
      { told: (value: number) => value + 30 },
      /R² is -/,
    ],
    ['a claim of 90 % that holds 69 %', { width: 0.617 }, /q05 to q95 claim to contain 0.9/],
    ['a claim of 90 % that holds everything', { width: 3 }, /q05 to q95 claim to contain 0.9/],
    ['negative stocks', { told: (value: number) => (value < 30 ? -value : value) }, /such as -/],
  ])('refuse %s', (_, world, reason) => {
    const manifest = stock({ property: { name: 'carbon stock', unit: 't/ha', depth_cm: [0, 30] } });
    const refused = refusalsOf(samples(1_492, world), manifest);
    expect(refused.join('\n')).toMatch(reason);
  });

  it('refuse bounds that lie too low, although their interval holds what it claims', () => {
    const found = samples(1_492).map((sample) => {
      const [mean = 0] = sample.bands;
      return { ...sample, bands: [mean, Math.max(mean - 40, 0), mean + 12.8] };
    });
    const refused = refusalsOf(found);
    expect(refused).toContainEqual(expect.stringMatching(/^q05 claims that 0\.05 .*calibrate/));
    expect(refused.join('\n')).not.toContain('q05 to q95 claim');
  });

  it('bear out a lower bound of 0 where many measurements are 0', () => {
    const random = randomFrom(1);
    const found = samples(600).map((sample) => {
      const observed = Math.max(random() * 100 - 30, 0);
      return { ...sample, observed, bands: [35, 0, 65] };
    });
    expect(refusalsOf(found).join('\n')).not.toContain('claims');
  });

  it('ask for no calibration where the mean of the samples predicts better', () => {
    const refused = refusalsOf(samples(1_492, { told: (value) => value + 30 }));
    expect(refused[0]).toMatch(/^R² is -/);
    expect(refused.length).toBeGreaterThan(1);
    expect(refused.join('\n')).not.toMatch(/calibrate/i);
  });

  it('bear out a probability, of which most measurements are 0', () => {
    const random = randomFrom(1);
    const found = samples(300).map((sample) => {
      const probability = 0.6 * random();
      const observed = random() < probability ? 1 : 0;
      return { ...sample, observed, bands: [probability, 0, 1] };
    });
    const bands = stock().bands.slice(0, 1);
    expect(refusalsOf(found, stock({ bands }))).toEqual([]);
  });

  it('of which few are known prove nothing about a claim that is nearly right', () => {
    expect(refusalsOf(samples(40, { width: 0.85 }))).toEqual([]);
  });

  it('have their figures by thirds of the prediction and by group', () => {
    const found = samples(300, { groups: 5 });
    const { validation } = validated(
      { ref: 'a-pack@1.0.0', manifest: stock() },
      { samples: found, outside: 3, withoutData: 4 },
    );
    expect(validation.thirds.map(({ accuracy }) => accuracy.n)).toEqual([100, 100, 100]);
    expect(validation.groups.map(({ name, accuracy }) => [name, accuracy.n])).toEqual(
      [0, 1, 2, 3, 4].map((group) => [`field ${group}`, 60]),
    );
    expect(validation.samples).toEqual({ predicted: 300, outside_grid: 3, without_covariates: 4 });
    expect(validation.accuracy.r2.value).toBeGreaterThan(0.5);
    expect(validation.accuracy.slope).toBeCloseTo(1, 0);
  });

  it('have no unit in the report if the property has none, and no slope if all predictions are equal', () => {
    const property = { name: 'pH', unit: '1', depth_cm: [0, 30] as [number, number] };
    const found = samples(30).map((sample) => ({ ...sample, bands: [55, 40, 70] }));
    const { validation } = validated(
      { ref: 'a-pack@1.0.0', manifest: stock({ property }) },
      { samples: found, outside: 0, withoutData: 0 },
    );
    expect([...reportLines(validation)][1]).toMatch(/RMSE [\d.]+, bias -?[\d.]+, slope –$/);
  });

  it('that are too few are refused', () => {
    const predictions = { samples: samples(9), outside: 0, withoutData: 0 };
    expect(() => validated({ ref: 'a-pack@1.0.0', manifest: stock() }, predictions)).toThrow(
      'at least 10',
    );
  });
});

describe('the mean of a group', () => {
  /** Groups whose samples share an error. */
  function alike(share: number): readonly PredictedSample[] {
    const normal = normalFrom(randomFrom(7));
    const shared = Array.from({ length: 60 }, () => normal());
    return samples(600, { groups: 60 }).map((sample, i) => {
      const [mean = 0] = sample.bands;
      const error = Math.sqrt(share) * (shared[i % 60] ?? 0) + Math.sqrt(1 - share) * normal();
      return { ...sample, cell: { col: i % 60, row: 0 }, observed: mean + 10 * error };
    });
  }
  const withErrors = (correlation: { nugget: number; range_m: number }): Manifest =>
    stock({
      error: {
        lower: 'q05',
        upper: 'q95',
        correlation: { model: 'exponential', ...correlation },
        systematic_relative_sd: 0,
        how: 'held-out samples',
        command: 'npm run pack-errors',
      },
    });
  const insideOf = (manifest: Manifest, found: readonly PredictedSample[]) =>
    validated({ ref: 'a-pack@1.0.0', manifest }, { samples: found, outside: 0, withoutData: 0 })
      .validation.group_means?.inside.value;

  it('lies in its interval as often as claimed if the errors are as declared', () => {
    const half = { nugget: 0.5, range_m: 1e9 };
    expect(insideOf(withErrors(half), alike(0.5))).toBeGreaterThan(0.8);
  });

  it('reveals a declared correlation that is too short', () => {
    const none = { nugget: 1, range_m: 0.001 };
    expect(insideOf(withErrors(none), alike(0.5))).toBeLessThan(0.6);
  });

  it('is not judged without a declared correlation', () => {
    expect(insideOf(stock(), alike(0.5))).toBeUndefined();
  });
});
