import type { Estimate } from './resampling.ts';

/** A share of n samples, with its exact binomial interval. */
export interface Share extends Estimate {
  readonly n: number;
}

/**
 * The interval of Clopper & Pearson (1934): the shares under which so few, or so many, of n have a
 * probability of at least (1 − level) ÷ 2. It assumes independent samples.
 */
export function shareOf(hits: number, n: number, level = 0.95): Share {
  const tail = (1 - level) / 2;
  return {
    n,
    value: hits / n,
    lower: hits === 0 ? 0 : solved((p) => atLeast(hits, n, p) < tail),
    upper: hits === n ? 1 : solved((p) => 1 - atLeast(hits + 1, n, p) > tail),
  };
}

/** The p from 0 to 1 at which a condition that holds below it ends. */
function solved(isBelow: (p: number) => boolean): number {
  let [low, high] = [0, 1];
  // Halved until it is exact to a float64.
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(X ≥ k) of the binomial distribution, for 0 < p < 1; sums the tail, each term from the one before. */
function atLeast(k: number, n: number, p: number): number {
  const odds = Math.log(p) - Math.log1p(-p);
  let log = n * Math.log1p(-p);
  let sum = 0;
  for (let i = 0; i <= n; i += 1) {
    if (i >= k) sum += Math.exp(log);
    log += odds + Math.log((n - i) / (i + 1));
  }
  return Math.min(sum, 1);
}
