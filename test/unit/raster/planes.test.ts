import { deflateSync, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deflatePlanes } from '../../../lambdas/raster/cog/planes/float-planes.ts';
import { canonicalCodes, codeLengths } from '../../../lambdas/raster/cog/planes/huffman.ts';
import { plainPlanes } from '../../../lambdas/raster/cog/planes/plain-planes.ts';
import type { PlanesShape } from '../../../lambdas/raster/cog/planes/tile-planes.ts';
import { wasmPlanes } from '../../../lambdas/raster/cog/planes/wasm-planes.ts';
import { predictRow } from '../../../lambdas/raster/cog/predictor.ts';
import { mostTileBytes } from '../../../lambdas/raster/cog/tile.ts';

/** A tile as words, as floats' bits need not be a number. */
interface Tile extends PlanesShape {
  readonly words: Int32Array;
}

const shapes = fc.record({
  rows: fc.integer({ min: 1, max: 40 }),
  sixteens: fc.integer({ min: 1, max: 24 }),
  bands: fc.constantFrom(1, 2, 3, 5, 16),
});

/** The finaliser of MurmurHash3 (A. Appleby, public domain): any word, the same in every run. */
function noise(i: number): number {
  const a = Math.imul(i ^ (i >>> 16), 0x85ebca6b);
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return b ^ (b >>> 16);
}

/** Stretches of words: one repeated, a few that alternate, neighbours of one another, anything. */
const stretch = fc.oneof(
  fc.tuple(fc.integer(), fc.integer({ min: 1, max: 1200 })).map(([word, times]) => ({
    word: () => word,
    times,
  })),
  fc
    .tuple(fc.array(fc.integer(), { minLength: 1, maxLength: 4 }), fc.nat(300))
    .map(([words, times]) => ({ word: (i: number) => words[(i * i) % words.length] ?? 0, times })),
  fc.tuple(fc.integer(), fc.nat(0xffff), fc.nat(300)).map(([start, step, times]) => ({
    word: (i: number) => start + ((i * 7919) % 1009) * step,
    times,
  })),
  fc.tuple(fc.integer(), fc.nat(600)).map(([seed, times]) => ({
    word: (i: number) => noise(seed + i),
    times,
  })),
);

const tiles: fc.Arbitrary<Tile> = fc
  .tuple(shapes, fc.array(stretch, { minLength: 1, maxLength: 12 }))
  .map(([{ rows, sixteens, bands }, stretches]) => {
    const rowSamples = sixteens * 16 * bands;
    const words = new Int32Array(rows * rowSamples);
    for (let at = 0, turn = 0; at < words.length; turn += 1) {
      const { word, times } = stretches[turn % stretches.length] ?? { word: () => 0, times: 1 };
      for (let i = 0; i <= times && at < words.length; i += 1) words[at++] = word(i);
    }
    return { rows, rowSamples, bands, words };
  });

function deflated(tile: Tile, planes = wasmPlanes(tile)): Uint8Array {
  const row = new Int32Array(planes.row.buffer, planes.row.byteOffset, tile.rowSamples);
  for (let y = 0; y < tile.rows; y += 1) {
    row.set(tile.words.subarray(y * tile.rowSamples, (y + 1) * tile.rowSamples));
    planes.predict(y);
  }
  return deflatePlanes(planes, tile).slice();
}

/** By the predictor that tiles of every other kind use. */
function predicted({ words, rows, rowSamples, bands }: Tile): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  for (let y = 0; y < rows; y += 1) {
    const row = new Float32Array(words.buffer, y * rowSamples * 4, rowSamples);
    predictRow(row, bands, bytes, y * rowSamples * 4);
  }
  return bytes;
}

function tileOf(shape: PlanesShape, word: (i: number) => number): Tile {
  const words = Int32Array.from({ length: shape.rows * shape.rowSamples }, (_, i) => word(i));
  return { ...shape, words };
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

describe('a tile of floats, deflated', () => {
  it('is what zlib inflates to its predicted bytes, whatever is in it', () => {
    fc.assert(
      fc.property(tiles, (tile) => isSame(inflateSync(deflated(tile)), predicted(tile))),
      { numRuns: 200 },
    );
  });

  it('is the same by WebAssembly as by plain TypeScript', () => {
    fc.assert(
      fc.property(tiles, (tile) => isSame(deflated(tile), deflated(tile, plainPlanes(tile)))),
      { numRuns: 100 },
    );
  });

  it('is never longer than the room that blocks have for it', () => {
    fc.assert(
      fc.property(tiles, (tile) => {
        const most = tile.words.byteLength + Math.ceil(tile.words.byteLength / 256) + 64;
        return deflated(tile).length <= most;
      }),
    );
  });

  it('is stored where nothing can be compressed', () => {
    const tile = tileOf({ rows: 64, rowSamples: 512, bands: 1 }, noise);
    const size = deflated(tile).length;
    expect(size).toBeGreaterThan(tile.words.byteLength);
    const kind = { tileSize: 512, bands: 1, sampleType: 'float32' } as const;
    expect(size).toBeLessThanOrEqual(mostTileBytes(kind));
  });

  it('is smaller than zlib’s own of a surface with noise, as maps of soil are', () => {
    const floats = Float32Array.from({ length: 64 * 512 }, (_, i) => {
      const [x, y] = [i % 512, Math.floor(i / 512)];
      return (40 + 10 * Math.sin(x / 90) + 5 * Math.cos(y / 40)) * (1 + noise(i) / 2 ** 38);
    });
    const shape = { rows: 64, rowSamples: 512, bands: 1 };
    const tile = { ...shape, words: new Int32Array(floats.buffer) };
    const zlibs = deflateSync(predicted(tile), { level: 6 }).length;
    expect(deflated(tile).length).toBeLessThan(zlibs);
  });

  it('may hold a run of any length', () => {
    for (let run = 1; run <= 800; run += 1) {
      const shape = { rows: 1, rowSamples: 1024, bands: 1 };
      const tile = tileOf(shape, (i) => (i >= 100 && i < 100 + run ? 7 : Math.imul(i, 0x01234567)));
      expect(isSame(inflateSync(deflated(tile)), predicted(tile))).toBe(true);
    }
  });

  it('may have more samples a row than a stored block has bytes', () => {
    const shape = { rows: 2, rowSamples: 131_072, bands: 32 };
    const tile = tileOf(shape, (i) => Math.imul(i * i + 17, 0x85ebca6b) ^ Math.imul(i, 0x27d4eb2f));
    expect(isSame(inflateSync(deflated(tile)), predicted(tile))).toBe(true);
  });

  it('leaves nothing behind for the next one of its shape', () => {
    const shape = { rows: 16, rowSamples: 64, bands: 1 };
    const first = tileOf(shape, (i) => Math.imul(i, 0x9e3779b1));
    const second = tileOf(shape, (i) => i >> 5);
    const planes = wasmPlanes(shape);
    deflated(first, planes);
    expect(isSame(deflated(second, planes), deflated(second))).toBe(true);
  });
});

describe('the lengths of a prefix code', () => {
  const counts = fc
    .array(fc.oneof(fc.constant(0), fc.nat(20), fc.nat(2 ** 20)), { minLength: 2, maxLength: 286 })
    .filter((all) => all.filter((count) => count > 0).length > 1)
    .map((all) => Uint32Array.from(all));
  const used = (lengths: Uint8Array): number[] => [...lengths].filter((length) => length > 0);

  it('fill the code exactly, within their limit', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 9, max: 15 }), (all, limit) => {
        const lengths = used(codeLengths(all, limit));
        expect(Math.max(...lengths)).toBeLessThanOrEqual(limit);
        expect(lengths.reduce((sum, length) => sum + 2 ** -length, 0)).toBe(1);
      }),
    );
  });

  it('give what is more frequent no longer code', () => {
    fc.assert(
      fc.property(counts, (all) => {
        const lengths = codeLengths(all, 14);
        for (const [a, often] of all.entries()) {
          for (const [b, seldom] of all.entries()) {
            if (seldom > 0 && often > seldom && (lengths[a] ?? 0) > (lengths[b] ?? 0)) return false;
          }
        }
        return true;
      }),
    );
  });

  it('are within a bit a symbol of the entropy, where the limit is far', () => {
    const even = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 200 });
    fc.assert(
      fc.property(even, (all) => {
        const total = all.reduce((sum, count) => sum + count, 0);
        const lengths = codeLengths(Uint32Array.from(all), 15);
        const bits = all.reduce((sum, count, i) => sum + count * (lengths[i] ?? 0), 0);
        const entropy = all.reduce((sum, count) => sum + count * Math.log2(total / count), 0);
        return bits < entropy + total && bits > entropy - 1e-6 * total;
      }),
    );
  });

  it('make codes none of which begins another', () => {
    fc.assert(
      fc.property(counts, (all) => {
        const lengths = codeLengths(all, 14);
        const codes = [...canonicalCodes(lengths)].flatMap((code, i) => {
          const bits = code.toString(2).padStart(14, '0').split('').reverse().join('');
          return (lengths[i] ?? 0) > 0 ? [bits.slice(0, lengths[i])] : [];
        });
        const sorted = codes.sort();
        return sorted.every((code, i) => i === 0 || !code.startsWith(sorted[i - 1] ?? ''));
      }),
    );
  });
});
