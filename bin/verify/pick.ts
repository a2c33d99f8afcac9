import { createHash } from 'node:crypto';

/** How many cells to compare, and which. */
export interface Sampling {
  readonly cells: number | 'all';
  readonly seed: number;
}

/** Chosen numbers below a total. */
export interface Picked {
  readonly count: number;
  /** Those from `from` to `from + length`, less `from`; ascending. */
  within(from: number, length: number): readonly number[];
}

/** Distinct numbers below `total`, all equally likely; the same for the same seed and purpose. */
export function pick({ cells, seed }: Sampling, total: number, purpose: string): Picked {
  if (cells === 'all' || cells >= total) {
    return { count: total, within: (_, length) => Array.from({ length }, (_, i) => i) };
  }
  // R. W. Floyd's algorithm (J. Bentley, Programming Pearls, 1987).
  const chosen = new Set<number>();
  for (let last = total - cells; last < total; last += 1) {
    const number = Math.floor(random(`${seed} ${purpose} ${last}`) * (last + 1));
    chosen.add(chosen.has(number) ? last : number);
  }
  const sorted = Float64Array.from(chosen).sort();
  return {
    count: cells,
    within(from, length) {
      const [first, end] = [firstFrom(sorted, from), firstFrom(sorted, from + length)];
      return Array.from(sorted.subarray(first, end), (number) => number - from);
    },
  };
}

/** The index of the first number that is at least `least`; their count if there is none. */
function firstFrom(sorted: Float64Array, least: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** From 0 to 1, by 48 bits of SHA-256: the same on every machine. */
function random(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48;
}
