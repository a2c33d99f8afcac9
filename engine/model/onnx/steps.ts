import { ModelInvalid } from './errors.ts';

/**
 * An operation of ONNX that is applied to each value separately. A point has a value in each column: a feature before
 * the ensemble, a target after it. The lists of a step have one number for each column, or a single number for all
 * columns. `rounds` tells whether each result is rounded to float32, as a tensor of that type holds it.
 */
export type Step =
  | { readonly kind: 'exp' }
  | { readonly kind: 'clip'; readonly least: number; readonly most: number }
  | { readonly kind: 'divide'; readonly by: Float64Array; readonly rounds: boolean }
  | LinearStep;

/** (x + plus) × times, as the operator Scaler computes it. */
export interface LinearStep {
  readonly kind: 'linear';
  readonly plus: Float64Array;
  readonly times: Float64Array;
  readonly rounds: boolean;
}

/** Values at a time, few enough to stay in the processor's cache. */
const CHUNK = 4_096;

/** Applies the steps to whole points, row-major, and writes the results to `to`. */
export function applySteps(
  steps: readonly Step[],
  columns: number,
  from: Float32Array,
  to: Float32Array,
): void {
  if (steps.length === 0) {
    to.set(from);
    return;
  }
  const size = columns * Math.ceil(CHUNK / columns);
  const buffer = new Float64Array(Math.min(size, from.length));
  for (let at = 0; at < from.length; at += size) {
    const some = from.subarray(at, at + size);
    const values = buffer.subarray(0, some.length);
    values.set(some);
    for (const step of steps) applyStep(step, values);
    to.set(values, at);
  }
}

function applyStep(step: Step, values: Float64Array): void {
  switch (step.kind) {
    case 'exp':
      for (let at = 0; at < values.length; at++) values[at] = exp(values[at] as number);
      break;
    case 'clip':
      clipValues(values, step.least, step.most);
      break;
    case 'divide':
      divideValues(values, step.by, step.rounds);
      break;
    case 'linear':
      addAndMultiply(values, step);
  }
}

// Each operator has its own loop, because calling a function for each value is slower. `as number`
// silences `noUncheckedIndexedAccess`.

function addAndMultiply(values: Float64Array, { plus, times, rounds }: LinearStep): void {
  for (let at = 0; at < values.length; at += plus.length) {
    for (let column = 0; column < plus.length; column++) {
      const sum = (values[at + column] as number) + (plus[column] as number);
      const product = (rounds ? Math.fround(sum) : sum) * (times[column] as number);
      values[at + column] = rounds ? Math.fround(product) : product;
    }
  }
}

function divideValues(values: Float64Array, by: Float64Array, rounds: boolean): void {
  for (let at = 0; at < values.length; at += by.length) {
    for (let column = 0; column < by.length; column++) {
      const quotient = (values[at + column] as number) / (by[column] as number);
      values[at + column] = rounds ? Math.fround(quotient) : quotient;
    }
  }
}

/** NaN stays NaN, and a bound of NaN does not limit: every comparison with NaN is false. */
function clipValues(values: Float64Array, least: number, most: number): void {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    const raised = value < least ? least : value;
    values[at] = raised > most ? most : raised;
  }
}

/** @throws ModelInvalid if a step has numbers for another number of columns */
export function requireColumns(steps: readonly Step[], columns: number): void {
  const found = steps.map(columnsOfStep).find((length) => length !== 1 && length !== columns);
  if (found !== undefined) {
    throw new ModelInvalid(`a step has ${found} numbers for ${columns} columns`);
  }
}

/** The number of columns for which a step has numbers; 1 if the step fits any number of columns. */
export function columnsOfStep(step: Step): number {
  if (step.kind === 'divide') return step.by.length;
  return step.kind === 'linear' ? step.plus.length : 1;
}

const LOWEST_POWER = -1_200;
const POWERS = Float64Array.from({ length: 2_401 }, (_, i) => 2 ** (LOWEST_POWER + i));

/**
 * e^x as 2^k e^r with |r| ≤ ln 2 ÷ 2 and a polynomial for e^r, with a relative error of at most 1e-11. ECMAScript
 * leaves the last digits of `Math.exp` to each engine, but a cell must have the same value on every machine.
 */
export function exp(x: number): number {
  const bounded = Math.max(-800, Math.min(800, x));
  const k = Math.floor(bounded * Math.LOG2E + 0.5);
  const r = bounded - k * Math.LN2;
  let sum = 1 / 362_880;
  sum = sum * r + 1 / 40_320;
  sum = sum * r + 1 / 5_040;
  sum = sum * r + 1 / 720;
  sum = sum * r + 1 / 120;
  sum = sum * r + 1 / 24;
  sum = sum * r + 1 / 6;
  sum = sum * r + 1 / 2;
  sum = sum * r + 1;
  sum = sum * r + 1;
  // Half the power and twice the sum, because 2^1024 is not finite.
  return 2 * sum * (POWERS[k - 1 - LOWEST_POWER] ?? Number.NaN);
}
