import fc from 'fast-check';
import { expect, it } from 'vitest';
import { walkTiles } from '../../../engine/model/tile-order.ts';

const EDGE = fc.integer({ min: 1, max: 70 });

function cellsInTiles(width: number, height: number): number[] {
  return [...walkTiles(width * height, width)].flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, i) => from + i),
  );
}

it('every cell of a window is visited once', () => {
  fc.assert(
    fc.property(EDGE, EDGE, (width, height) => {
      const cells = cellsInTiles(width, height).sort((a, b) => a - b);
      expect(cells).toEqual(Array.from({ length: width * height }, (_, i) => i));
    }),
  );
});

it('any 256 consecutive cells of whole tiles are in at most two tiles', () => {
  const tiles = fc.integer({ min: 1, max: 5 });
  fc.assert(
    fc.property(tiles, tiles, fc.nat(), (columns, rows, start) => {
      const width = columns * 16;
      const cells = cellsInTiles(width, rows * 16);
      const from = start % (cells.length - 255);
      const met = cells
        .slice(from, from + 256)
        .map((cell) => `${Math.floor(cell / width / 16)},${Math.floor((cell % width) / 16)}`);
      expect(new Set(met).size).toBeLessThanOrEqual(2);
    }),
  );
});
