import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { consoleBuild } from '../../lib/console-build.ts';

const files = new Map(Object.entries(consoleBuild()));

/** The entry script with everything it imports at once, and the style sheet. */
function firstLoad(): readonly string[] {
  const loaded = new Set<string>();
  const queue = [...files.keys()].filter((name) => name.startsWith('app-'));
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (loaded.has(name)) continue;
    loaded.add(name);
    const imports = (files.get(name) ?? '').matchAll(/(?:from|import)"\.\/([\w.-]+)"/g);
    queue.push(...[...imports].map(([, imported]) => String(imported)));
  }
  return [...loaded];
}

describe('the built console', () => {
  it('loads at most 350 kB, gzipped, before it asks for a key', () => {
    const loaded = firstLoad();
    expect(loaded.length).toBeGreaterThan(2);
    const bytes = loaded.map((name) => gzipSync(files.get(name) ?? '').length);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(350_000);
  });

  it('loads the reader of rasters later', () => {
    const readers = [...files.keys()].filter((name) => name.startsWith('raster-layer-'));
    expect(readers).toHaveLength(1);
    expect(firstLoad()).not.toEqual(expect.arrayContaining(readers));
  });

  it('has no file that exceeds a response of Lambda', () => {
    for (const [name, text] of files) expect(Buffer.byteLength(text), name).toBeLessThan(4_000_000);
  });

  it('names every file by its content', () => {
    for (const name of files.keys()) expect(name).toMatch(/-[A-Z0-9]{8}\.(js|css)$/);
  });
});
