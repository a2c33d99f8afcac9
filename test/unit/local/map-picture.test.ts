import { expect, it } from 'vitest';
import { drawMap } from '../../../local/demo/map-picture.ts';
import { type CellFunction, raster, writeCog } from '../../support/raster/builders.ts';
import { MAP_TAGS } from './map-tags.ts';

const floats = raster({ tags: MAP_TAGS });

/** Values in steps of a quarter, which scaled integers hold exactly; nodata in one corner. */
const value: CellFunction = (col, row, band) =>
  col + row < 40 ? floats.nodata : 12 + (col + row) / 4 + band;

it('a picture of integer cells shows the scaled values', async () => {
  const nodata = -32_768;
  const bands = floats.bands.map((band) => ({ ...band, scale: 0.25, offset: 10 }));
  const integers = raster({ tags: MAP_TAGS, sampleType: 'int16', nodata, bands });
  const stored: CellFunction = (...cell) =>
    value(...cell) === floats.nodata ? nodata : (value(...cell) - 10) / 0.25;
  const pictures = [
    await drawMap(await writeCog(floats, value), 'North field', null),
    await drawMap(await writeCog(integers, stored), 'North field', null),
  ];
  expect(pictures[1]).toEqual(pictures[0]);
});
