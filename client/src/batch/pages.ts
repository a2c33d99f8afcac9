import { notTheServiceError } from '../http/soil-error.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null or undefined on the last page. */
  readonly next: string | null | undefined;
}

/** A million items, with 100 on each page (`page_size` of `GET /v1/limits`). */
const MOST_PAGES = 10_000;

/** @throws SoilError if the server never stops sending pages */
export async function* pageThrough<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const { items, next } = await read(cursor);
    yield* items;
    if (next === null || next === undefined) return;
    if (seen.has(next)) {
      throw notTheServiceError('The list does not end: a page returned an earlier cursor.');
    }
    seen.add(next);
    if (seen.size === MOST_PAGES) {
      throw notTheServiceError(`The list does not end: it has more than ${MOST_PAGES} pages.`);
    }
    cursor = next;
  }
}
