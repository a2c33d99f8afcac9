import type { Aggregate } from '../onnx/tree-ensemble.ts';

/** The initial value: zero for sums, NaN (no value) for MIN and MAX. */
export const START: Readonly<Record<Aggregate, number>> = {
  SUM: 0,
  AVERAGE: 0,
  MIN: Number.NaN,
  MAX: Number.NaN,
};

/** Combines the total of earlier trees with a leaf's value; for MIN and MAX, NaN means no value. */
export const JOIN: Readonly<Record<Aggregate, (total: number, value: number) => number>> = {
  SUM: (total, value) => total + value,
  AVERAGE: (total, value) => total + value,
  MIN: (total, value) => (value < total || Number.isNaN(total) ? value : total),
  MAX: (total, value) => (value > total || Number.isNaN(total) ? value : total),
};
