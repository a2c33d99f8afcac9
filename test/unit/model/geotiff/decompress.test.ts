import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decompress } from '../../../../lambdas/model/geotiff/decompress.ts';

const DEFLATE = 8;

describe('a tile compressed by DEFLATE', () => {
  it.each([1, 63, 4_096, 16_384, 100_000])(
    'of %d bytes keeps no more memory than it has, as a cache of tiles reckons',
    async (size) => {
      const tile = Uint8Array.from({ length: size }, (_, i) => i % 251);
      const unpacked = await decompress(deflateSync(tile), DEFLATE, size, size);
      expect(Buffer.compare(unpacked, tile)).toBe(0);
      expect(unpacked.buffer.byteLength).toBeLessThanOrEqual(size + 64);
    },
  );

  it('is refused when it has more bytes than the header says', async () => {
    const bomb = deflateSync(new Uint8Array(1_000_000));
    await expect(decompress(bomb, DEFLATE, 4_096, 4_096)).rejects.toThrow(/more than/);
  });
});
