import type { ScanPage, ScanPosition } from '../../../lambdas/domain/reconcile/index-scan.ts';

/** Returns pages of hints, like an index; a position is the number of hints before it. */
export async function* pageThroughHints<Hint>(
  hints: readonly Hint[],
  after: ScanPosition | null = null,
  pageHints = 40,
): AsyncGenerator<ScanPage<Hint>> {
  for (let first = Number(after ?? 0); first < hints.length; first += pageHints) {
    const end = first + pageHints;
    yield { hints: hints.slice(first, end), position: end < hints.length ? String(end) : null };
  }
}
