import { describe, expect, it } from 'vitest';
import { pick } from '../../../bin/verify/pick.ts';

const numbers = (cells: number | 'all', total: number, seed = 1, purpose = 'inside') =>
  pick({ cells, seed }, total, purpose).within(0, total);

describe('the choice of cells', () => {
  it('has distinct numbers below the total, in order', () => {
    const chosen = numbers(100, 1_000);
    expect(new Set(chosen).size).toBe(100);
    expect(chosen).toEqual(chosen.toSorted((a, b) => a - b));
    expect(chosen.at(-1)).toBeLessThan(1_000);
  });

  it('is the same for the same seed, and differs by seed and purpose', () => {
    expect(numbers(10, 1e9)).toEqual(numbers(10, 1e9));
    expect(numbers(10, 1e9)).not.toEqual(numbers(10, 1e9, 2));
    expect(numbers(10, 1e9)).not.toEqual(numbers(10, 1e9, 1, 'outside'));
  });

  it('is the same in parts', () => {
    const picked = pick({ cells: 50, seed: 3 }, 200, 'inside');
    const parts = [0, 1, 90, 150].map((from, i, all) =>
      picked.within(from, (all[i + 1] ?? 200) - from).map((number) => from + number),
    );
    expect(parts.flat()).toEqual(picked.within(0, 200));
  });

  it('takes every number equally often', () => {
    const counts = new Array<number>(10).fill(0);
    for (let seed = 0; seed < 2_000; seed += 1) {
      for (const number of numbers(3, 10, seed)) counts[number] = (counts[number] ?? 0) + 1;
    }
    // 600 each, with a standard deviation of 20.
    expect(Math.min(...counts)).toBeGreaterThan(500);
    expect(Math.max(...counts)).toBeLessThan(700);
  });

  it.each([{ cells: 'all' as const }, { cells: 5 }, { cells: 9 }])(
    'has every number if there are no more: $cells',
    ({ cells }) => {
      expect(numbers(cells, 5)).toEqual([0, 1, 2, 3, 4]);
      expect(pick({ cells, seed: 1 }, 5, 'inside').count).toBe(5);
    },
  );
});
