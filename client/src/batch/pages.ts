import { notTheService } from '../http/soil-error.ts';

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null or undefined on the last page. */
  readonly next: string | null | undefined;
}

/** Every item of a list, page by page. */
export async function* itemsOf<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const { items, next } = await read(cursor);
    yield* items;
    if (next === null || next === undefined) return;
    if (seen.has(next)) {
      throw notTheService('The list does not end: a page returned an earlier cursor.');
    }
    seen.add(next);
    cursor = next;
  }
}
