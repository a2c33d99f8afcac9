import { expect, it } from 'vitest';
import { createWholeBlockSource } from '../../../engine/raster/cog/whole-block-source.ts';
import { encodeBlock } from '../../support/raster/encode-block.ts';

async function countReads(edge: number) {
  const cells = Float32Array.from({ length: edge * edge }, Math.random);
  const size = { width: edge, height: edge, bands: 1, tileSize: 64, blockTiles: 16 };
  const { bytes, index } = encodeBlock({ ...size, cells, nodata: -9999 });
  const lengths: number[] = [];
  const stored = {
    readInto: async (_: string, offset: number, into: Uint8Array) => {
      lengths.push(into.length);
      into.set(bytes.subarray(offset, offset + into.length));
    },
  };
  const source = createWholeBlockSource(stored, [{ ref: 'block', col: 0, row: 0, index }]);
  const parts = await Promise.all(
    [0, 100].map(async (offset) => {
      const part = new Uint8Array(40);
      await source.readInto('block', offset, part);
      return part;
    }),
  );
  expect(parts).toEqual(
    [bytes.subarray(0, 40), bytes.subarray(100, 140)].map((b) => new Uint8Array(b)),
  );
  return { lengths, bytes };
}

it('a small block is read as a whole, once', async () => {
  const { lengths, bytes } = await countReads(64);
  expect(lengths).toEqual([bytes.length]);
});

it('only the needed ranges of larger blocks are read', async () => {
  expect((await countReads(640)).lengths).toEqual([40, 40]);
});
