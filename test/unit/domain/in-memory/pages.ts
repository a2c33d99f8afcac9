/** Hints by pages, as an index gives them. */
export async function* inPages<Item>(
  items: readonly Item[],
  pageItems = 40,
): AsyncGenerator<readonly Item[]> {
  for (let first = 0; first < items.length; first += pageItems) {
    yield items.slice(first, first + pageItems);
  }
}

export async function everyOne<Item>(pages: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}
