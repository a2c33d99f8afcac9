import { describe, expect, it } from 'vitest';
import { captionOf } from '../../../local/demo/map-caption.ts';
import { MAP_TAGS } from './map-tags.ts';

const BANDS = [
  { name: 'mean', quantile: null },
  { name: 'q05', quantile: 0.05 },
  { name: 'q95', quantile: 0.95 },
];

describe("a map's caption", () => {
  it('says what its file says: the years of the data, not the year asked for', () => {
    expect(captionOf(MAP_TAGS, BANDS, 'North field')).toEqual({
      title: 'Soil organic carbon density, 0–20 cm · North field',
      subtitle:
        'meuse-soc@1.0.0 · data of 1990–1993, static (asked for 2024) · mean and 90 % prediction interval of one sample',
      unit: 'kg/m³',
    });
  });

  it('does not call a map static that holds for a period', () => {
    const { subtitle } = captionOf({ ...MAP_TAGS, TEMPORAL: 'period' }, BANDS, 'North field');
    expect(subtitle).toContain('data of 1990–1993 (asked for 2024)');
  });

  it.each([
    ['mean and 68 % prediction interval of one sample', [null, 0.16, 0.84]],
    ['mean', [null]],
    // One quantile bounds nothing.
    ['mean', [null, 0.5]],
  ])('claims the interval that the bands are: %s', (content, levels) => {
    const bands = levels.map((quantile) => ({ name: 'mean', quantile }));
    expect(captionOf(MAP_TAGS, bands, 'North field').subtitle).toMatch(new RegExp(`· ${content}$`));
  });
});
