import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openRasterFile } from '../../../../engine/model/geotiff/raster-file.ts';
import type { PackFiles } from '../../../../engine/model/pack/pack-files.ts';
import { createPackFiles } from '../../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../../support/model/geotiff-file.ts';

// test/fixtures/covariates/make.py: 3 × 2 tiles of 16 cells, smaller than a page of the header's reads.
const small = readFileSync(new URL('../../../fixtures/covariates/encoded.tif', import.meta.url));

function recordRequests(files: PackFiles) {
  const ranges: string[] = [];
  const counting: PackFiles = {
    ...files,
    readRange: (href, offset, length) => {
      ranges.push(`${offset}+${length}`);
      return files.readRange(href, offset, length);
    },
  };
  return { counting, ranges };
}

const encoding = { nodata: Number.NaN, scale: 1, offset: 0 };

describe('the requests for a raster', () => {
  it('read header, tables and directories together if they are adjacent', async () => {
    const { counting, ranges } = recordRequests(createPackFiles({ 'a.tif': small }));
    await openRasterFile(counting, 'a.tif');
    expect(ranges).toEqual([`0+${small.length}`]);
  });

  it('read adjacent tiles together, and no tile twice', async () => {
    const { counting, ranges } = recordRequests(createPackFiles({ 'a.tif': small }));
    const { levels } = await openRasterFile(counting, 'a.tif');
    const window = { col: 0, row: 0, width: 40, height: 30 };
    const first = await levels[0]?.readCells(1, encoding, window);
    expect(ranges).toHaveLength(2);
    expect(await levels[0]?.readCells(1, encoding, window)).toEqual(first);
    // The other band is in the same tiles.
    await levels[0]?.readCells(0, encoding, window);
    expect(ranges).toHaveLength(2);
  });

  it.each([
    ['again', 'was entirely within the window', { col: 0, row: 0, width: 40, height: 30 }, 2],
    ['once', 'reaches beyond the window', { col: 0, row: 0, width: 40, height: 29 }, 1],
  ])('read a tile of one band %s if it %s', async (_, __, window, times) => {
    const oneTile = aGeoTiff({ values: cellsOf((col, row) => col * row) });
    const { counting, ranges } = recordRequests(createPackFiles({ [`${times}.tif`]: oneTile }));
    const { levels } = await openRasterFile(counting, `${times}.tif`);
    const opened = ranges.length;
    const first = await levels[0]?.readCells(0, encoding, window);
    expect(await levels[0]?.readCells(0, encoding, window)).toEqual(first);
    expect(ranges.length - opened).toBe(times);
  });

  it('read only the tile of a small window', async () => {
    const { counting, ranges } = recordRequests(createPackFiles({ 'a.tif': small }));
    const { levels } = await openRasterFile(counting, 'a.tif');
    await levels[0]?.readCells(1, encoding, { col: 17, row: 17, width: 3, height: 3 });
    const [, tile = ''] = ranges;
    expect(Number(tile.split('+')[1])).toBeLessThan(small.length / 4);
  });
});
