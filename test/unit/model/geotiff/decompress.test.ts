import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPRESSIONS, decompress } from '../../../../engine/model/geotiff/decompress.ts';

const DEFLATE = 8;

describe('a tile compressed by DEFLATE', () => {
  it.each([1, 63, 4_096, 16_384, 100_000])(
    'retains at most 64 bytes more than its %d bytes, as the tile cache assumes',
    async (size) => {
      const tile = Uint8Array.from({ length: size }, (_, i) => i % 251);
      const unpacked = await decompress(deflateSync(tile), DEFLATE, size, size);
      expect(Buffer.compare(unpacked, tile)).toBe(0);
      expect(unpacked.buffer.byteLength).toBeLessThanOrEqual(size + 64);
    },
  );

  it('is rejected if it has more bytes than the header declares', async () => {
    const bomb = deflateSync(new Uint8Array(1_000_000));
    await expect(decompress(bomb, DEFLATE, 4_096, 4_096)).rejects.toThrow(/more than/);
  });
});

const TEXT = Buffer.from('soil, '.repeat(700)).subarray(0, 4_096);

/** The text as GDAL 3.10 compresses it in the only tile of a GeoTIFF. */
const BY_GDAL = {
  LZW: 'gBzN5pNgsEECgkGhEFg8DhkLhUOiMJhsUiEVh8SjETjMWjUXkEfkUekkdk0clEblUhksplknlcjmEvl0ymstmM4mk5mc2nk3ns6n07olDo1CpFBpVApk/p1FpNNqFLp9HqlTqVWrNRqtcrFdq9asFbsNesVftFntVmtllt1kuFjuVpttxulvudrvF3u16vt1vOAvmBvd+wl/wuCw2DxmLx2KyGJyWIymHy2NyOVzGTy+PzmbzWe0OZzuk0Glz+i1Gj1Om1Wn2Gv2Wu2mt22s3Gr3Wx2u53m33ez4G/33C4u94PI4nJ4fG5nH5vK53L6nT63S7HR7WIgI',
  ZSTD: 'KLUv/QBgbQAAMHNvaWwsIAEA949fig==',
} as const;

function makeTile(compression: string): Uint8Array {
  if (compression === 'none') return Uint8Array.from(TEXT);
  if (compression === 'DEFLATE') return Uint8Array.from(deflateSync(TEXT));
  return Uint8Array.from(Buffer.from(BY_GDAL[compression === 'LZW' ? 'LZW' : 'ZSTD'], 'base64'));
}

describe.each(Object.entries(COMPRESSIONS))('a tile with compression %s (%s)', (number, name) => {
  const size = 4_096;
  const outcomeOf = (bytes: Uint8Array): Promise<unknown> =>
    decompress(bytes, Number(number), size, size).catch((error: unknown) => error);

  it('is complete or rejected for arbitrary bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), async (bytes) => {
        const outcome = await outcomeOf(bytes);
        if (outcome instanceof Uint8Array) expect(outcome).toHaveLength(size);
        else expect(outcome).toBeInstanceOf(Error);
      }),
      { numRuns: 300 },
    );
  });

  it('is complete or rejected if bytes of a valid tile are changed or cut off', async () => {
    const sound = makeTile(name);
    expect(Buffer.compare((await outcomeOf(sound)) as Uint8Array, TEXT)).toBe(0);
    const lies = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(lies, fc.nat(sound.length), async (changes, length) => {
        const bytes = sound.slice(0, length);
        for (const [at, value] of changes) if (length > 0) bytes[at % length] = value;
        const outcome = await outcomeOf(bytes);
        if (outcome instanceof Uint8Array) expect(outcome).toHaveLength(size);
        else expect(outcome).toBeInstanceOf(Error);
      }),
      { numRuns: 500 },
    );
  });
});
