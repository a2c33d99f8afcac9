import { GraphNotSupported, ModelInvalid } from './errors.ts';
import { formatOperatorName, type Graph, type Operator, readGraph } from './graph.ts';
import { readTreeEnsemble } from './read-tree-ensemble.ts';
import { columnsOfStep, type LinearStep, type Step } from './steps.ts';
import { DOUBLE, FLOAT, readTensor } from './tensor.ts';
import type { TreeEnsemble } from './tree-ensemble.ts';

/** A graph for the project's own evaluator: steps on features, one ensemble, steps on its targets. */
export interface TreeGraph {
  readonly before: readonly Step[];
  readonly ensemble: TreeEnsemble;
  readonly after: readonly Step[];
}

/** A tensor in the chain: the graph's input or the result of an operator. */
interface Value {
  readonly name: string;
  readonly isDouble: boolean;
  /** Whether float32 represents its numbers exactly. */
  readonly isFloat32: boolean;
}

/**
 * @param bytes an ONNX file
 * @throws GraphNotSupported for a graph that is not a chain of steps around one tree ensemble,
 * ModelInvalid for an invalid file
 */
export function readTreeGraph(bytes: Uint8Array): TreeGraph {
  const graph = readGraph(bytes);
  const [before, after]: [Step[], Step[]] = [[], []];
  let ensemble: TreeEnsemble | undefined;
  let value: Value = {
    name: graph.input.name,
    isDouble: graph.input.elementType === DOUBLE,
    isFloat32: true,
  };
  for (const operator of graph.operators) {
    const link = findLink(graph, operator, value);
    const found = readTreeEnsemble(operator);
    if (found === undefined) {
      const { steps, ...result } = toSteps(link);
      (ensemble ? after : before).push(...steps);
      value = { ...result, name: link.result };
      continue;
    }
    if (ensemble)
      throw new GraphNotSupported(formatOperatorName(operator), 'a second tree ensemble');
    if (!value.isFloat32) {
      throw new GraphNotSupported(
        formatOperatorName(operator),
        'its features are computed in float64',
      );
    }
    ensemble = found;
    const isDouble = operator.type === 'TreeEnsemble' && value.isDouble;
    value = { name: link.result, isDouble, isFloat32: true };
  }
  if (!ensemble) throw new GraphNotSupported('graph', 'has no tree ensemble');
  if (value.name !== graph.output) {
    throw new ModelInvalid(`no operator produces the graph's output "${graph.output}"`);
  }
  const { targets } = ensemble;
  const wrong = after.map(columnsOfStep).find((length) => length !== 1 && length !== targets);
  if (wrong !== undefined) {
    throw new GraphNotSupported(
      'graph',
      `a step after the tree ensemble has ${wrong} constants; it must have 1, or one for each of the ${targets} targets`,
    );
  }
  return { before, ensemble, after };
}

interface Link {
  readonly operator: Operator;
  readonly value: Value;
  readonly index: number;
  /** The constant of each input; undefined for the input that is the value, and for an omitted optional input. */
  readonly constants: readonly (Uint8Array | undefined)[];
  readonly result: string;
}

function findLink({ constants }: Graph, operator: Operator, value: Value): Link {
  const index = operator.inputs.indexOf(value.name);
  const others = operator.inputs.map((name, i) => (i === index || name === '' ? null : name));
  const found = others.map((name) => (name === null ? undefined : constants.get(name)));
  const [result] = operator.outputs;
  const isChained = others.every((name, i) => name === null || found[i] !== undefined);
  if (index < 0 || !isChained || result === undefined) {
    throw new GraphNotSupported(
      formatOperatorName(operator),
      'the graph is not a single chain of operators',
    );
  }
  return { operator, value, index, constants: found, result };
}

interface Steps extends Omit<Value, 'name'> {
  readonly steps: readonly Step[];
}

function toSteps(link: Link): Steps {
  const { operator, value } = link;
  const { isDouble } = value;
  const rounds = !isDouble;
  const withRounding = (...steps: readonly Step[]) => ({ steps, isDouble, isFloat32: rounds });
  switch (formatOperatorName(operator)) {
    case 'Identity':
      return { ...value, steps: [] };
    case 'Cast':
      return castSteps(operator, value);
    case 'Exp':
      // ONNX does not define the last digits of Exp, so they are kept until the next step rounds its own result.
      return withRounding({ kind: 'exp' });
    case 'Add':
      return withRounding(linearStep({ plus: readOperand(link), rounds }));
    case 'Sub': {
      const operand = readOperand(link);
      if (link.index === 0) return withRounding(linearStep({ plus: negate(operand), rounds }));
      const negative = linearStep({ times: Float64Array.of(-1), rounds });
      return withRounding(negative, linearStep({ plus: operand, rounds }));
    }
    case 'Mul':
      return withRounding(linearStep({ times: readOperand(link), rounds }));
    case 'Div':
      if (link.index > 0) throw new GraphNotSupported('Div', 'divides a constant');
      return withRounding({ kind: 'divide', by: readOperand(link), rounds });
    case 'Clip':
      return withRounding(clipStep(link));
    case 'ai.onnx.ml.Scaler':
      return scaleSteps(operator, isDouble);
    default:
      throw new GraphNotSupported(
        formatOperatorName(operator),
        'is neither a tree ensemble nor a known step',
      );
  }
}

const HIGHEST_FLOAT32 = (2 - 2 ** -23) * 2 ** 127;

/** Adding −0 or multiplying by 1 does not change a number. */
function linearStep({
  plus,
  times,
  rounds,
}: Partial<LinearStep> & Pick<LinearStep, 'rounds'>): Step {
  const { length } = plus ?? times ?? [0];
  return {
    kind: 'linear',
    plus: plus ?? new Float64Array(length).fill(-0),
    times: times ?? new Float64Array(length).fill(1),
    rounds,
  };
}

const ROUNDED = linearStep({ rounds: true });

const negate = (values: Float64Array): Float64Array => values.map((value) => -value);

/** A Cast to a type other than float32 and float64 would change features or targets. */
function castSteps(operator: Operator, { isDouble, isFloat32 }: Value): Steps {
  const to = operator.attributes.get('to')?.int;
  if (to === DOUBLE) return { steps: [], isDouble: true, isFloat32 };
  if (to !== FLOAT) throw new GraphNotSupported('Cast', `to the type ${to}`);
  return { steps: isDouble ? [ROUNDED] : [], isDouble: false, isFloat32: true };
}

/** (x − offset) × scale, in the type of x and then rounded to float32. */
function scaleSteps({ attributes }: Operator, isDouble: boolean): Steps {
  const offset = Float64Array.from(attributes.get('offset')?.floats ?? []);
  const times = Float64Array.from(attributes.get('scale')?.floats ?? []);
  if (times.length === 0 || offset.length !== times.length) {
    throw new GraphNotSupported(
      'ai.onnx.ml.Scaler',
      'needs one offset for each scale, and at least one scale',
    );
  }
  const scaled = linearStep({ plus: negate(offset), times, rounds: !isDouble });
  const steps = isDouble ? [scaled, ROUNDED] : [scaled];
  return { steps, isDouble: false, isFloat32: true };
}

/** The bounds are inputs, or attributes before operator set 11; they default to the lowest and the highest number. */
function clipStep(link: Link): Step {
  const { operator, value } = link;
  const highest = value.isDouble ? Number.MAX_VALUE : HIGHEST_FLOAT32;
  const readBound = (name: string, index: number, otherwise: number): number => {
    const given = operator.inputs[index] ? readConstant(link, index, 1)[0] : undefined;
    return operator.attributes.get(name)?.float ?? given ?? otherwise;
  };
  return { kind: 'clip', least: readBound('min', 1, -highest), most: readBound('max', 2, highest) };
}

function readOperand(link: Link): Float64Array {
  // Operator sets before 7 have `axis` and `broadcast`, which are not supported.
  if (link.operator.attributes.size > 0) {
    throw new GraphNotSupported(formatOperatorName(link.operator), 'has attributes');
  }
  return readConstant(link, 1 - link.index);
}

/** One number, or one for each column. */
function readConstant(
  { operator, value, constants }: Link,
  index: number,
  most = Number.POSITIVE_INFINITY,
): Float64Array {
  const bytes = constants[index];
  const tensor = bytes && readTensor(bytes);
  const isRow = tensor?.dims.slice(0, -1).every((size) => size === 1) && tensor.dims.length <= 2;
  if (!tensor || !isRow || tensor.values.length === 0 || tensor.values.length > most) {
    throw new GraphNotSupported(
      formatOperatorName(operator),
      'its constant must be a single number or one number for each column',
    );
  }
  if (tensor.type !== (value.isDouble ? DOUBLE : FLOAT)) {
    throw new GraphNotSupported(formatOperatorName(operator), 'its constant has a different type');
  }
  return tensor.values;
}
