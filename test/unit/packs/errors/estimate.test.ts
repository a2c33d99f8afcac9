import { describe, expect, it } from 'vitest';
import { integralOf } from '../../../../bin/packs/errors/correlation.ts';
import { estimatedErrors } from '../../../../bin/packs/errors/estimate.ts';
import type { WithheldSample } from '../../../../bin/packs/errors/withheld.ts';
import { withheldBlocks } from '../../../support/model/correlated-errors.ts';

const REPLICATES = 200;
const TRUE = { nugget: 0.3, rangeMetres: 150 };
const OPTIONS = { upperLevel: 0.95, maxMetres: 500, systematic: 0 };

const estimate = (samples: readonly WithheldSample[], changes: Partial<typeof OPTIONS> = {}) =>
  estimatedErrors(samples, { ...OPTIONS, ...changes }, REPLICATES);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const grouped = (samples: readonly WithheldSample[]): readonly WithheldSample[] =>
  samples.map((sample) => ({ ...sample, group: sample.fold }));

describe('the correlation of errors', () => {
  const found = Array.from({ length: 12 }, (_, i) =>
    estimate(withheldBlocks({ ...TRUE, seed: i + 1 })),
  );

  it('is found in simulated fields: nugget to 0.1, range to a fourth', () => {
    expect(Math.abs(median(found.map(({ fit }) => fit.nugget)) - TRUE.nugget)).toBeLessThan(0.1);
    const range = median(found.map(({ fit }) => fit.range_m));
    expect(Math.abs(range - TRUE.rangeMetres)).toBeLessThan(TRUE.rangeMetres / 4);
  });

  it('is declared on the safe side in most fields, for small areas and for large ones', () => {
    const hectares = integralOf(TRUE) / 1e4;
    const safe = {
      small: found.filter(({ declared }) => declared.nugget <= TRUE.nugget).length,
      large: found.filter(({ declared }) => declared.integral_ha >= hectares).length,
    };
    expect(Math.min(safe.small, safe.large)).toBeGreaterThanOrEqual(8);
  });

  it('is almost none where errors have none, with a range that the pairs can show', () => {
    const { declared } = estimate(withheldBlocks({ ...TRUE, nugget: 1 }));
    expect(declared.nugget).toBeGreaterThan(0.8);
    expect(declared.nugget).toBeLessThan(1);
    expect(declared.range_m).toBeGreaterThanOrEqual(10);
  });

  it('is uncertain by whole groups: those that are all alike leave no doubt', () => {
    const block = withheldBlocks({ ...TRUE, blocks: 1, samplesPerBlock: 25 });
    const copies = Array.from({ length: 10 }, (_, copy) =>
      block.map(({ position: [lon, lat], ...sample }) => {
        const position = [lon + copy / 10, lat] as const;
        return { ...sample, position, fold: String(copy) };
      }),
    ).flat();
    const doubt = ({ fit, declared }: ReturnType<typeof estimate>) => fit.nugget - declared.nugget;
    expect(Math.abs(doubt(estimate(grouped(copies))))).toBeLessThan(0.02);
    expect(doubt(estimate(copies))).toBeGreaterThan(0.02);
  });
});

describe('pairs', () => {
  it('count only if both samples were withheld together', () => {
    const samples = withheldBlocks(TRUE);
    const halves = samples.map((sample, i) => ({ ...sample, fold: `${sample.fold} ${i % 2}` }));
    expect(estimate(samples, { maxMetres: 1_000 }).pairs).toBe((60 * 12 * 11) / 2);
    expect(estimate(halves, { maxMetres: 1_000 }).pairs).toBe((60 * 2 * 6 * 5) / 2);
  });

  it('that are too few near each other are an error, not a guess', () => {
    const [apart, sparse] = [
      withheldBlocks(TRUE).map((sample, i) => ({ ...sample, fold: String(i) })),
      withheldBlocks({ ...TRUE, blockMetres: 8_000, blocks: 20 }),
    ];
    expect(() => estimate(apart)).toThrow('0 pairs that were withheld together');
    expect(() => estimate(sparse)).toThrow('at least 30 are needed');
  });

  it('of a repeated cross-validation are no new ones', () => {
    const once = withheldBlocks({ ...TRUE, blocks: 3, samplesPerBlock: 5 });
    const repeated = Array.from({ length: 10 }, (_, repeat) =>
      once.map((sample) => ({ ...sample, fold: `${sample.fold}, repeat ${repeat}` })),
    ).flat();
    expect(() => estimate(repeated)).toThrow('at least 30 are needed');
  });

  it('are listed by distance with their correlation', () => {
    const { lags, pairs } = estimate(withheldBlocks(TRUE));
    expect(lags.map(({ to_m }) => to_m)).toEqual([50, 100, 150, 200, 250, 300, 350, 400, 450, 500]);
    expect(lags.reduce((sum, lag) => sum + lag.pairs, 0)).toBe(pairs);
    expect(lags[0]?.correlation).toBeGreaterThan(lags[7]?.correlation ?? 1);
  });
});

describe('the standardised errors', () => {
  it.each([
    [1, 1],
    [2, 0.5],
  ])('of bounds %f times as wide as they should be have a spread of %f', (width, sd) => {
    const found = estimate(withheldBlocks({ ...TRUE, width }));
    expect(found.standardised_errors.sd).toBeCloseTo(sd, 1);
    expect(found.standardised_errors.mean).toBeCloseTo(0, 0);
  });

  it('are of the bounds without the part that all cells share', () => {
    // Half-widths with a shared sd of 0.2 × 50 are √2 times as wide as those of the own sd of 10.
    const samples = withheldBlocks({ ...TRUE, width: Math.SQRT2 });
    expect(estimate(samples).standardised_errors.sd).toBeCloseTo(Math.SQRT1_2, 1);
    expect(estimate(samples, { systematic: 0.2 }).standardised_errors.sd).toBeCloseTo(1, 1);
  });

  it('do not count where a prediction has no half-width on their side', () => {
    const samples = withheldBlocks(TRUE).map((sample) => ({ ...sample, upper: sample.mean }));
    const above = samples.filter(({ observed, mean }) => observed > mean).length;
    expect(estimate(samples).without_width).toBe(above);
  });
});

describe('the means of groups', () => {
  it('lie in their declared intervals, of those that were withheld whole', () => {
    const samples = grouped(withheldBlocks(TRUE));
    const torn = samples.map((sample, i) => (i === 0 ? { ...sample, fold: 'another' } : sample));
    const { group_means } = estimate(torn);
    expect(group_means?.inside.n).toBe(59);
    expect(group_means?.left_out).toBe(1);
    expect(group_means?.inside.value).toBeGreaterThan(0.85);
    expect(group_means?.inside.lower).toBeLessThan(group_means?.inside.value ?? 0);
  });

  it('are not compared without groups', () => {
    expect(estimate(withheldBlocks(TRUE)).group_means).toBeNull();
  });
});
