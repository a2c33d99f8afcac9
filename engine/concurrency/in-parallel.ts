/**
 * Maps at most `limit` items at a time and returns the results in the order of the items. After a
 * failure it starts no further item and waits for those in progress before it throws.
 */
export async function mapInParallel<T, R>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const queue = [...items].entries();
  const results: R[] = [];
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const [place, item] of queue) {
      try {
        results[place] = await work(item);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
