import { describe, expect, it } from 'vitest';
import { findExpected, listViews } from '../../../console/result/views.ts';

const aBand = (name: string, level: number | null = null) => {
  const display_range = [0, 50];
  return { name, description: '', unit: 'kg/m3', level, scale: 1, offset: 0, display_range };
};

describe('the views of a result', () => {
  it('show the mean and the quantiles on the batch’s range, but not a class band before the mean', () => {
    const bands = [aBand('class'), aBand('mean'), aBand('q05', 0.05), aBand('q95', 0.95)];
    const model = { bands, mean_band: 'mean' };
    expect(findExpected(model)).toBe(1);
    const compared = listViews(model).filter(({ isOnBatchRange }) => isOnBatchRange);
    expect(compared.map(({ id }) => id)).toEqual(['mean', 'q05', 'q95']);
  });

  it('begin with the first band if the model has no mean', () => {
    const model = { bands: [aBand('class'), aBand('q50', 0.5)], mean_band: null };
    expect(findExpected(model)).toBe(0);
  });
});
