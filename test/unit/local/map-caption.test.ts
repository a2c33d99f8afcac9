import { describe, expect, it } from 'vitest';
import { captionOf } from '../../../local/demo/map-caption.ts';

const TAGS = {
  PROPERTY: 'soil organic carbon density',
  DEPTH_CM: '0-20',
  UNIT: 'kg/m3',
  MODEL: 'meuse-soc@1.0.0',
  TEMPORAL: 'static',
  DATA_PERIOD: '1990/1993',
  REQUESTED_YEAR: '2024',
};

describe("a map's caption", () => {
  it('says what its file says: the years of the data, not the year asked for', () => {
    expect(captionOf(TAGS, 'North field')).toEqual({
      title: 'Soil organic carbon density, 0–20 cm · North field',
      subtitle:
        'meuse-soc@1.0.0 · data of 1990–1993, static (asked for 2024) · mean and 90 % prediction interval of one sample',
      unit: 'kg/m³',
    });
  });

  it('does not call a map static that holds for a period', () => {
    const { subtitle } = captionOf({ ...TAGS, TEMPORAL: 'period' }, 'North field');
    expect(subtitle).toContain('data of 1990–1993 (asked for 2024)');
  });
});
