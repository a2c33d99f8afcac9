import { expect, it } from 'vitest';
import { areaText, cellSizeText } from '../../../console/model-text.ts';

it.each([
  ['metres', '+proj=utm +zone=32 +ellps=GRS80 +units=m +no_defs', 10, 16, '160 m'],
  ['degrees', '+proj=longlat +datum=WGS84', 1 / 480, 2, '0.00416667°'],
  ['feet', '+proj=lcc +lat_1=45 +lat_2=43 +ellps=GRS80 +units=us-ft', 30, 1, '30 us-ft'],
  ['metres by default', '+proj=laea +lat_0=52 +lon_0=10 +ellps=GRS80', 100, 2, '200 m'],
  ['metres for a unit of another length', '+proj=utm +zone=32 +to_meter=0.3048', 30, 1, '9.144 m'],
])('the width of a cell is written in %s', (_what, crs_proj4, cell_size, reduction, text) => {
  expect(cellSizeText({ cell_size, crs_proj4 }, reduction)).toBe(text);
});

it('the whole area of a field is followed by the area with values', () => {
  const text = areaText({ area_ha: 132, predicted_area_ha: 131 });
  expect(text.match(/\d+/g)).toEqual(['132', '131']);
});
