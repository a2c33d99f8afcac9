import { describe, expect, it } from 'vitest';
import { composeCaption } from '../../../local/demo/map-caption.ts';
import { MAP_TAGS } from './map-tags.ts';

const BANDS = [
  { name: 'mean', quantile: null },
  { name: 'q05', quantile: 0.05 },
  { name: 'q95', quantile: 0.95 },
];

describe("a map's caption", () => {
  it('has the model, data years, requested year and unit from its file', () => {
    const { title, subtitle, unit } = composeCaption(MAP_TAGS, BANDS, 'North field');
    expect(title).toBe('Soil organic carbon density, 0–20 cm · North field');
    expect(subtitle).toMatch(
      /^meuse-soc@1\.0\.0 · .*1990–1993, static \(.*2024\) · mean and 90 % /,
    );
    expect(unit).toBe('kg/m3');
  });

  it('calls a map static only if its model is static', () => {
    const { subtitle } = composeCaption({ ...MAP_TAGS, TEMPORAL: 'period' }, BANDS, 'North field');
    expect(subtitle).toMatch(/1990–1993 \(.*2024\)/);
    expect(subtitle).not.toContain('static');
  });

  it.each([
    ['mean and 68 % prediction interval of one sample', [null, 0.16, 0.84]],
    ['mean', [null]],
    // A single quantile is not an interval.
    ['mean', [null, 0.5]],
  ])('says what its bands contain: %s', (content, levels) => {
    const bands = levels.map((quantile) => ({ name: 'mean', quantile }));
    expect(composeCaption(MAP_TAGS, bands, 'North field').subtitle).toMatch(
      new RegExp(`· ${content}$`),
    );
  });
});
