import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createByteLimitedCache } from '../../../../engine/model/geotiff/byte-limited-cache.ts';

describe('a cache limited by bytes', () => {
  it('never exceeds its limit, and holds the last value if it fits', () => {
    const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(60)));
    fc.assert(
      fc.property(entries, (sets) => {
        const cache = createByteLimitedCache<number>(50);
        for (const [key, bytes] of sets) {
          cache.set(key, bytes, bytes);
          expect(cache.bytes()).toBeLessThanOrEqual(50);
          expect(cache.get(key)).toBe(bytes <= 50 ? bytes : undefined);
        }
      }),
    );
  });

  it('evicts the least recently used value', () => {
    const cache = createByteLimitedCache<string>(2);
    cache.set('a', 'A', 1);
    cache.set('b', 'B', 1);
    cache.get('a');
    cache.set('c', 'C', 1);
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual(['A', undefined, 'C']);
  });
});
