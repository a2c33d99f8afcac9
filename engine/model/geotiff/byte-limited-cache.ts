/** A least-recently-used cache, limited by bytes. */
export interface ByteLimitedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value, bytes: number): void;
  bytes(): number;
}

export function createByteLimitedCache<Value>(limit: number): ByteLimitedCache<Value> {
  const kept = new Map<string, { readonly value: Value; readonly bytes: number }>();
  let total = 0;

  function dropEntry(key: string): void {
    total -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  return {
    get(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.value;
    },
    set(key, value, bytes) {
      dropEntry(key);
      if (bytes > limit) return;
      kept.set(key, { value, bytes });
      total += bytes;
      for (const oldest of kept.keys()) {
        if (total <= limit) break;
        dropEntry(oldest);
      }
    },
    bytes: () => total,
  };
}
