import type { Transition } from '../transition.ts';

/** Where a sweep has come to; only the index that gave it can read it. */
export type ScanPosition = string;

/** A page of an index, and the place behind it; null = there is no more. */
export interface ScanPage<Hint> {
  readonly hints: readonly Hint[];
  readonly place: ScanPosition | null;
}

export type ScannedIndex = 'unfinished' | 'undelivered';

/** Port to where the sweeps have come to. */
export interface ScanPositions {
  /** Null = at the beginning. */
  readPosition(name: ScannedIndex): Promise<ScanPosition | null>;
  /** Unless another run has gone on from there meanwhile. */
  advance(
    name: ScannedIndex,
    from: ScanPosition | null,
    to: ScanPosition | null,
  ): Promise<Transition>;
}

/**
 * Goes on through an index where the last run ended, for so many hints at most, and from the beginning
 * again once it came to the end: however many there are, each has its turn, at a bounded cost a run.
 * A page that whoever reads does not finish is the first of the next run.
 */
export async function* scanFrom<Hint>(
  scanPositions: ScanPositions,
  name: ScannedIndex,
  pagesAfter: (place: ScanPosition | null) => AsyncIterable<ScanPage<Hint>>,
  most: number,
): AsyncGenerator<readonly Hint[]> {
  const from = await scanPositions.readPosition(name);
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
    if (place !== from) await scanPositions.advance(name, from, place);
  }
}
