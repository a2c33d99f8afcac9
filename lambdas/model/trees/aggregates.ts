import type { Aggregate } from '../onnx/tree-ensemble.ts';

/** Before the first leaf: nothing to add, or no value yet. */
export const START: Readonly<Record<Aggregate, number>> = {
  SUM: 0,
  AVERAGE: 0,
  MIN: Number.NaN,
  MAX: Number.NaN,
};

/** How a leaf's value joins what earlier trees gave; for MIN and MAX, NaN is none. */
export const JOIN: Readonly<Record<Aggregate, (total: number, value: number) => number>> = {
  SUM: (total, value) => total + value,
  AVERAGE: (total, value) => total + value,
  MIN: (total, value) => (value < total || Number.isNaN(total) ? value : total),
  MAX: (total, value) => (value > total || Number.isNaN(total) ? value : total),
};
