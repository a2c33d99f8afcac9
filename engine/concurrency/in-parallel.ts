/**
 * Maps in order of the items, so many of them at a time. After a failure none is begun; those under
 * way are awaited before it is thrown, so that nothing goes on behind the caller's back.
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
