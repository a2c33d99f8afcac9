import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPRESSIONS, compress, hasCompression } from '../../../engine/raster/cog/compression.ts';
import { createSamples, SAMPLE_TYPES, viewBytes } from '../../../engine/raster/cog/sample-type.ts';
import { createTileEncoder, maxTileBytes } from '../../../engine/raster/cog/tile.ts';

/** The finaliser of MurmurHash3 (A. Appleby, public domain), which is incompressible. */
function noise(i: number): number {
  const a = Math.imul(i ^ (i >>> 16), 0x85ebca6b);
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (b ^ (b >>> 16)) >>> 0;
}

describe.each(SAMPLE_TYPES)('a tile of %s', (sampleType) => {
  it.each(COMPRESSIONS.filter(hasCompression))(
    'fits its reserved space even if it cannot be compressed: %s',
    (compression) => {
      for (const tileSize of [16, 64, 512]) {
        const kind = { tileSize, bands: 3, sampleType, compression, nodata: 0 };
        const cells = createSamples(sampleType, tileSize ** 2 * kind.bands);
        const bytes = viewBytes(cells);
        for (let i = 0; i < bytes.length; i += 1) bytes[i] = noise(i);
        const source = { cells, width: tileSize, height: tileSize };
        const encoded = createTileEncoder(kind).encodeTile(source, 0, 0);
        expect(encoded.length).toBeGreaterThan(bytes.length / 2);
        expect(encoded.length).toBeLessThanOrEqual(maxTileBytes(kind));
      }
    },
  );

  it('decompresses as a zlib stream to the same bytes for arbitrary input', () => {
    const runs = fc.array(fc.tuple(fc.nat(255), fc.integer({ min: 1, max: 700 })));
    fc.assert(
      fc.property(runs, (lengths) => {
        const bytes = Buffer.concat(lengths.map(([byte, times]) => Buffer.alloc(times, byte)));
        expect(inflateSync(compress(bytes, 'deflate', sampleType)).equals(bytes)).toBe(true);
      }),
    );
  });
});
