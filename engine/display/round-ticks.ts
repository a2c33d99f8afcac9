const MOST_TICKS = 7;

/**
 * Lists the multiples, within a range, of a round step: 1, 2 or 5 times a power of ten. Chooses the smallest step
 * that has at most 7 multiples in the range.
 */
export function chooseRoundTicks([low, high]: readonly [
  low: number,
  high: number,
]): readonly number[] {
  const power = 10 ** Math.floor(Math.log10((high - low) / MOST_TICKS));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find(fits) ?? high - low;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  // Rounding removes the digits that floats add, as in 0.30000000000000004.
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));

  function fits(wide: number): boolean {
    return Math.floor(high / wide) - Math.ceil(low / wide) < MOST_TICKS;
  }
}
