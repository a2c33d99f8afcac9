import type { Manifest } from './manifest.ts';

/**
 * Caches what `read` returns as long as the manifest lives, which all periods of a pack share, so that a warm
 * function reads a file once. After a failure the next call reads it again.
 */
export function oncePerManifest<T>(): (manifest: Manifest, read: () => Promise<T>) => Promise<T> {
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
