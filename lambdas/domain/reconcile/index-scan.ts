import type { Transition } from '../transition.ts';

/** A position in an index, which only the index that returned it can read. */
export type ScanPosition = string;

/** A page of an index and the position after it; null at the end. */
export interface ScanPage<Hint> {
  readonly hints: readonly Hint[];
  readonly position: ScanPosition | null;
}

export type ScannedIndex = 'unfinished' | 'undelivered' | 'unpublished';

/** Port to the stored positions of the scans. */
export interface ScanPositions {
  /** Reads the position; null means the start of the index. */
  readPosition(name: ScannedIndex): Promise<ScanPosition | null>;
  /** Stores the new position, unless another run has moved it. */
  advance(
    name: ScannedIndex,
    from: ScanPosition | null,
    to: ScanPosition | null,
  ): Promise<Transition>;
}

/**
 * Scans an index from where the last run ended, for at most `maxHints` hints, and continues from the start after the
 * end. Every item is reached, at a bounded cost per run. The next run repeats a page that this one did not finish.
 */
export async function* scanFrom<Hint>(
  scanPositions: ScanPositions,
  name: ScannedIndex,
  pagesAfter: (position: ScanPosition | null) => AsyncIterable<ScanPage<Hint>>,
  maxHints: number,
): AsyncGenerator<readonly Hint[]> {
  const from = await scanPositions.readPosition(name);
  let position = from;
  let seen = 0;
  try {
    for await (const page of pagesAfter(from)) {
      yield page.hints;
      position = page.position;
      seen += page.hints.length;
      if (seen >= maxHints) break;
    }
  } catch (error) {
    // Start over if the index cannot read the stored position; otherwise every later run would fail.
    if (position === from) position = null;
    throw error;
  } finally {
    if (position !== from) await scanPositions.advance(name, from, position);
  }
}
