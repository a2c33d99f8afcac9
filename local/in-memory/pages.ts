import type { SweepPage, SweepPlace, Sweeps } from '../../lambdas/domain/reconcile/sweep.ts';

/** Hints by pages, as an index gives them; a place is how many came before it. */
export async function* inPages<Hint>(
  hints: readonly Hint[],
  after: SweepPlace | null = null,
  pageHints = 40,
): AsyncGenerator<SweepPage<Hint>> {
  for (let first = Number(after ?? 0); first < hints.length; first += pageHints) {
    const end = first + pageHints;
    yield { hints: hints.slice(first, end), place: end < hints.length ? String(end) : null };
  }
}

export async function everyOne<Hint>(pages: AsyncIterable<SweepPage<Hint>>): Promise<Hint[]> {
  const all: Hint[] = [];
  for await (const { hints } of pages) all.push(...hints);
  return all;
}

export function inMemorySweeps(): Sweeps {
  const places = new Map<string, SweepPlace | null>();
  return {
    readPlace: async (name) => places.get(name) ?? null,
    async goOn(name, from, to) {
      if ((places.get(name) ?? null) !== from) return 'unchanged';
      places.set(name, to);
      return 'changed';
    },
  };
}
