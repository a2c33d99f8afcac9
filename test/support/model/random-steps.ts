import fc from 'fast-check';
import type { OperatorFile, StepFile } from './onnx-file.ts';
import { FEATURES, regressors } from './random-ensembles.ts';

/** The numbers of TensorProto.DataType. */
export const FLOAT = 1;
const DOUBLE = 11;

/** A step whose constants do not have a type yet. */
interface Drawn {
  readonly type: string;
  readonly operand: readonly number[];
  readonly second: readonly number[];
  readonly valueSecond: boolean;
  readonly byOperator: boolean;
  readonly toDouble: boolean;
  readonly isRow: boolean;
}

const drawStep = (types: readonly string[], columns: number, number: fc.Arbitrary<number>) => {
  const operand = fc
    .constantFrom(1, columns)
    .chain((length) => fc.array(number, { minLength: length, maxLength: length }));
  return fc.record({
    type: fc.constantFrom(...types),
    operand,
    second: operand,
    valueSecond: fc.boolean(),
    byOperator: fc.boolean(),
    toDouble: fc.boolean(),
    isRow: fc.boolean(),
  });
};

/** Gives constants the type of the value, which a Cast or a Scaler changes. */
function stepFiles(chain: readonly Drawn[]): readonly StepFile[] {
  let double = false;
  return chain.map(({ type, operand, second, valueSecond, byOperator, toDouble, isRow }) => {
    switch (type) {
      case 'Cast':
        double = toDouble;
        return { type, attributes: { to: { int: toDouble ? DOUBLE : FLOAT } } };
      case 'Scaler': {
        double = false;
        const scale = { floats: operand };
        const offset = { floats: operand.map((_, i) => second[i] ?? 1) };
        return { type, domain: 'ai.onnx.ml', attributes: { offset, scale } };
      }
      case 'Clip': {
        const bounds = [operand[0] ?? 0, second[0] ?? 0].sort((a, b) => a - b);
        const constants = bounds.map((bound) => ({
          values: [bound],
          dims: [],
          double,
          byOperator,
        }));
        return { type, constants: valueSecond ? [null, ...constants.slice(1)] : constants };
      }
      case 'Identity':
      case 'Exp':
        return { type };
      default: {
        const dims = isRow ? [1, operand.length] : [operand.length];
        const constants = [{ values: operand, dims, double, byOperator }];
        return { type, constants, at: valueSecond && type !== 'Div' ? 1 : 0 };
      }
    }
  });
}

/** The operators whose results ONNX defines to the bit. */
export const EXACT = ['Add', 'Sub', 'Mul', 'Div', 'Clip', 'Cast', 'Identity', 'Scaler'];

/** Draws an ensemble with steps; `number` draws their constants. */
export const withSteps = (
  where: 'before' | 'after',
  types: readonly string[],
  number: fc.Arbitrary<number>,
) =>
  regressors.chain((file) => {
    const columns = where === 'before' ? FEATURES : file.targets;
    return fc
      .array(drawStep(types, columns, number), { minLength: 1, maxLength: 5 })
      .map((chain): OperatorFile => {
        return { ...file, [where]: stepFiles(chain) };
      });
  });
