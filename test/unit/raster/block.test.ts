import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildApex } from '../../../engine/raster/cog/apex.ts';
import { parseBlockIndex } from '../../../engine/raster/cog/block-index.ts';
import { halveInto } from '../../../engine/raster/cog/overview.ts';
import { buildBlockTable } from '../../../engine/raster/cog/placed-block.ts';
import { memorySource, NODATA, raster } from '../../support/raster/builders.ts';
import { encodeBlock } from '../../support/raster/encode-block.ts';

describe('a block', () => {
  const cells = new Float32Array(64 * 64).fill(1);
  const block = {
    cells,
    width: 64,
    height: 64,
    bands: 1,
    nodata: NODATA,
    tileSize: 64,
    blockTiles: 1,
  };

  it('has the same bytes for the same cells', () => {
    expect(encodeBlock(block)).toEqual(encodeBlock(block));
  });

  it.each([
    ['a size that its cells do not have', { width: 63 }],
    ['more cells than a block may have', { width: 128, height: 32 }],
    ['nodata that is not a number', { nodata: Number.NaN }],
    ['tiles that TIFF does not allow', { tileSize: 65 }],
    ['a cell that is not a number', { cells: new Float32Array(64 * 64).fill(Number.NaN) }],
  ])('is rejected with %s', (_, wrong) => {
    expect(() => encodeBlock({ ...block, ...wrong })).toThrow(RangeError);
  });

  it('is rejected if its index does not match its tiles', () => {
    const { index } = encodeBlock(block);
    expect(() => parseBlockIndex({ ...index, tileBytes: [[1, 2]] })).toThrow();
    expect(() => parseBlockIndex({ ...index, width: 65 })).toThrow();
    expect(() => parseBlockIndex({ ...index, statistics: [] })).toThrow();
  });

  it('is rejected if it does not fit its raster', async () => {
    const of = raster({ width: 100, height: 64, bands: raster().bands.slice(0, 1) });
    const { index } = encodeBlock(block);
    const placed = { ref: 'a', col: 0, row: 0, index };
    expect(() => buildBlockTable(of, [{ ...placed, col: 64 }])).toThrow('does not fit');
    expect(() => buildBlockTable(of, [placed, { ...placed, ref: 'b' }])).toThrow('overlap');
    await expect(
      buildApex(
        of,
        buildBlockTable(of, [placed]),
        memorySource(new Map([['a', new Uint8Array(3)]])),
      ),
    ).rejects.toThrow('in a');
  });
});

describe('an overview cell', () => {
  it('is the mean of the valid cells that it covers', () => {
    const cell = fc.oneof(fc.constant(NODATA), fc.float({ min: -1000, max: 1000, noNaN: true }));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.array(cell, { minLength: 1, maxLength: 90 }),
        (width, values) => {
          const height = Math.ceil(values.length / width);
          const cells = new Float32Array(width * height).fill(NODATA);
          cells.set(values);
          const [halfWidth, halfHeight] = [Math.ceil(width / 2), Math.ceil(height / 2)];
          const half = {
            cells: new Float32Array(halfWidth * halfHeight),
            width: halfWidth,
            height: halfHeight,
          };
          halveInto({ cells, width, height }, half, 0, {
            resampling: ['average'],
            nodata: NODATA,
          });
          for (const [i, mean] of half.cells.entries()) {
            const [x, y] = [(i % half.width) * 2, Math.floor(i / half.width) * 2];
            const four = [
              [x, y],
              [x + 1, y],
              [x, y + 1],
              [x + 1, y + 1],
            ]
              .filter(([col = 0, row = 0]) => col < width && row < height)
              .map(([col = 0, row = 0]) => cells[row * width + col] ?? NODATA)
              .filter((value) => value !== NODATA);
            const expected =
              four.length === 0 ? NODATA : four.reduce((a, b) => a + b, 0) / four.length;
            // A mean may be −0, or so small that it is rounded to −0.
            expect(mean + 0).toBe(Math.fround(expected) + 0);
          }
        },
      ),
    );
  });
});
