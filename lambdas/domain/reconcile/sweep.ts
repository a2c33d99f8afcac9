import type { Transition } from '../transition.ts';

/** Where a sweep has come to; only the index that gave it can read it. */
export type SweepPlace = string;

/** A page of an index, and the place behind it; null = there is no more. */
export interface SweepPage<Hint> {
  readonly hints: readonly Hint[];
  readonly place: SweepPlace | null;
}

export type SweepName = 'unfinished' | 'undelivered';

/** Port to where the sweeps have come to. */
export interface Sweeps {
  /** Null = at the beginning. */
  readPlace(name: SweepName): Promise<SweepPlace | null>;
  /** Unless another run has gone on from there meanwhile. */
  goOn(name: SweepName, from: SweepPlace | null, to: SweepPlace | null): Promise<Transition>;
}

/**
 * Goes on through an index where the last run ended, for so many hints at most, and from the beginning
 * again once it came to the end: however many there are, each has its turn, at a bounded cost a run.
 * A page that whoever reads does not finish is the first of the next run.
 */
export async function* sweep<Hint>(
  sweeps: Sweeps,
  name: SweepName,
  pagesAfter: (place: SweepPlace | null) => AsyncIterable<SweepPage<Hint>>,
  most: number,
): AsyncGenerator<readonly Hint[]> {
  const from = await sweeps.readPlace(name);
  let place = from;
  let seen = 0;
  try {
    for await (const page of pagesAfter(from)) {
      yield page.hints;
      place = page.place;
      seen += page.hints.length;
      if (seen >= most) break;
    }
  } catch (error) {
    // A place that its index can't read, or not any more, must not be the end of all later runs too.
    if (place === from) place = null;
    throw error;
  } finally {
    if (place !== from) await sweeps.goOn(name, from, place);
  }
}
