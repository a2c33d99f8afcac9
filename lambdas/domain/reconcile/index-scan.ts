import type { Transition } from '../transition.ts';

/** A position in an index, which only the index that returned it can read. */
export type ScanPosition = string;

/** A page of an index and the position after it; null at the end. */
export interface ScanPage<Hint> {
  readonly hints: readonly Hint[];
  readonly position: ScanPosition | null;
}

export type ScannedIndex = 'unfinished' | 'undelivered' | 'unpublished';

export interface ScanPositions {
  /** Reads the position; null means the start of the index. */
  readPosition(name: ScannedIndex): Promise<ScanPosition | null>;
  /** Stores the new position, unless another scan has moved it. */
  advance(
    name: ScannedIndex,
    from: ScanPosition | null,
    to: ScanPosition | null,
  ): Promise<Transition>;
}

/**
 * Scans an index from where the last scan ended, until it has read at least `maxHints` hints or the end of the index.
 * After the end, the next scan starts over. The next scan repeats a page that this one did not finish.
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
    // The index may not be able to read the stored position, so the next scan starts over; otherwise every later scan
    // would fail.
    if (position === from) position = null;
    throw error;
  } finally {
    if (position !== from) await scanPositions.advance(name, from, position);
  }
}
