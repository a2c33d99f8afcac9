import { CommandError } from '../../operator/command.ts';
import { meanOf } from '../validation/accuracy.ts';
import { ownHalfWidth } from '../validation/group-means.ts';
import { groupedBy } from '../validation/resampling.ts';
import type { ErrorPair, StandardisedErrors } from './correlation.ts';
import { metresBetween, type WithheldSample } from './withheld.ts';

/** What errors are divided by, and which pairs of them count. */
export interface Standard {
  readonly maxMetres: number;
  /** Standard normal quantile of the upper bound. */
  readonly z: number;
  readonly systematic: number;
}

export interface Standardised extends StandardisedErrors {
  /** Of the errors ÷ standard deviation that the bounds claim: 0 and 1 if they are right. */
  readonly spread: { readonly mean: number; readonly sd: number };
  /** Number of errors on a side where the prediction has no half-width; they do not count. */
  readonly withoutWidth: number;
}

/** The bootstrap of so many takes minutes. */
const MOST_PAIRS = 1_000_000;

/**
 * Divides each error by the half-width on its side, without the systematic part, and lists the pairs of
 * different places that were withheld together: a model that saw one sample of a pair predicts the other
 * one better, which hides the correlation.
 * @throws CommandError if there are more pairs than can be resampled
 */
export function standardised(
  samples: readonly WithheldSample[],
  { maxMetres, z, systematic }: Standard,
): Standardised {
  const unitOf = indexer();
  const errors = samples.flatMap((sample) => {
    const error = sample.observed - sample.mean;
    const width = ownHalfWidth(sample, { z, systematicRelativeSd: systematic }, error < 0);
    const place = sample.position.join(' ');
    // A place occurs once in each repeat of a cross-validation.
    const unit = unitOf(sample.group ?? place);
    return width > 0 ? [{ sample, place, unit, value: error / width }] : [];
  });
  const values = errors.map(({ value }) => value * z);
  const mean = meanOf(values);
  return {
    variances: errors.map(({ unit, value }) => ({ unit, variance: value ** 2 })),
    pairs: pairsWithin(errors, maxMetres),
    maxMetres,
    spread: { mean, sd: Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2))) },
    withoutWidth: samples.length - errors.length,
  };
}

interface StandardisedError {
  readonly sample: WithheldSample;
  readonly place: string;
  readonly unit: number;
  readonly value: number;
}

function pairsWithin(
  errors: readonly StandardisedError[],
  maxMetres: number,
): readonly ErrorPair[] {
  const pairs: ErrorPair[] = [];
  for (const together of groupedBy(errors, ({ sample }) => sample.fold).values()) {
    for (const [i, a] of together.entries()) {
      for (const [j, b] of together.entries()) {
        if (j >= i || a.place === b.place) continue;
        const metres = metresBetween(a.sample.position, b.sample.position);
        if (metres < maxMetres) pairs.push(pairOf(a, b, metres));
      }
      if (pairs.length > MOST_PAIRS) throw tooManyPairs(maxMetres);
    }
  }
  return pairs;
}

function pairOf(a: StandardisedError, b: StandardisedError, metres: number): ErrorPair {
  return {
    first: a.unit,
    second: b.unit,
    places: [a.place, b.place].sort().join(', '),
    metres,
    product: a.value * b.value,
  };
}

function tooManyPairs(maxMetres: number): CommandError {
  return new CommandError(
    `more than ${MOST_PAIRS} pairs are nearer than ${Math.round(maxMetres)} m: give a smaller --max-metres`,
    1,
  );
}

/** Returns a function that numbers keys from 0 in the order in which they come. */
function indexer(): (key: string) => number {
  const indexes = new Map<string, number>();
  return (key) => {
    const index = indexes.get(key) ?? indexes.size;
    indexes.set(key, index);
    return index;
  };
}
