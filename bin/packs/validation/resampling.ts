import { randomFrom } from './random.ts';

/** A statistic with the interval in which chance leaves it. */
export interface Estimate {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

const REPLICATES = 1_000;
const SEED = 1;

/**
 * The percentile interval of a statistic over bootstrap samples (Efron & Tibshirani 1993, chapter 13):
 * of samples, or of whole groups where there are groups, because the errors of a group are alike.
 * The same in each run.
 * @param statistic of samples; a replicate for which it is NaN does not count
 * @param level of the interval, e.g. 0.95
 */
export function bootstrapped<S extends { readonly group: string | null }>(
  samples: readonly S[],
  statistic: (samples: readonly S[]) => number,
  level: number,
): Estimate {
  const units = unitsOf(samples);
  const random = randomFrom(SEED);
  const replicates = Array.from({ length: REPLICATES }, () => {
    const drawn: S[] = [];
    for (let i = 0; i < units.length; i += 1) {
      for (const sample of units[Math.floor(random() * units.length)] ?? []) drawn.push(sample);
    }
    return statistic(drawn);
  }).filter((value) => !Number.isNaN(value));
  const sorted = new Float64Array(replicates).sort();
  const tail = (1 - level) / 2;
  return {
    value: statistic(samples),
    lower: quantileOf(sorted, tail),
    upper: quantileOf(sorted, 1 - tail),
  };
}

function unitsOf<S extends { readonly group: string | null }>(
  samples: readonly S[],
): readonly (readonly S[])[] {
  return samples.some(({ group }) => group !== null)
    ? [...byGroup(samples).values()]
    : samples.map((sample) => [sample]);
}

/** The samples of each group, in the order in which groups occur. */
export function byGroup<S extends { readonly group: string | null }>(
  samples: readonly S[],
): ReadonlyMap<string, readonly S[]> {
  return groupedBy(samples, ({ group }) => group ?? '');
}

/** The items of each key, in the order in which keys occur. */
export function groupedBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [item]);
    else members.push(item);
  }
  return groups;
}

/** Interpolates between order statistics (Hyndman & Fan 1996, type 7). */
export function quantileOf(sorted: ArrayLike<number>, p: number): number {
  const place = p * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}
