import type { Manifest } from './manifest.ts';

/**
 * Caches the result of `read` for the lifetime of the manifest, which all periods of a pack share, so that a
 * warm function reads a file once. After a failure the next call reads the file again.
 */
export function cachePerManifest<T>(): (manifest: Manifest, read: () => Promise<T>) => Promise<T> {
  const made = new WeakMap<Manifest, Promise<T>>();
  return (manifest, read) => {
    const known = made.get(manifest);
    if (known !== undefined) return known;
    const reading = read();
    made.set(manifest, reading);
    reading.catch(() => made.delete(manifest));
    return reading;
  };
}
