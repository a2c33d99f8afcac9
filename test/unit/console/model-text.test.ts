import { expect, it } from 'vitest';
import { areaText, cellSizeText } from '../../../console/model-text.ts';

it.each([
  ['metres', '+proj=utm +zone=32 +ellps=GRS80 +units=m +no_defs', 10, 16, '160 m'],
  ['degrees', '+proj=longlat +datum=WGS84', 1 / 480, 2, '0.00416667°'],
  ['an unknown unit', '+proj=utm +zone=32 +units=us-ft', 30, 1, '30'],
])('the width of a cell is written in %s', (_what, crs_proj4, cell_size, reduction, text) => {
  expect(cellSizeText({ cell_size, crs_proj4 }, reduction)).toBe(text);
});

it('the whole area of a field is followed by the area with values', () => {
  const text = areaText({ area_ha: 132, predicted_area_ha: 131 });
  expect(text.match(/\d+/g)).toEqual(['132', '131']);
});
