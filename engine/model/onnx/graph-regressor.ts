import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { messageOf } from '../../errors/message-of.ts';
import { type Regressor, requireCapacity } from '../regressor.ts';
import { GraphNotSupported, ModelInvalid, OnnxRuntimeMissing } from './errors.ts';
import { hasExternalData } from './external-data.ts';

type Runtime = typeof import('onnxruntime-node');

/** Idle threads sleep, because spinning would take CPU time from other work. */
function buildSessionOptions(threads: number): InferenceSession.SessionOptions {
  return {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    extra: { session: { intra_op: { allow_spinning: '0' } } },
    // Only errors, which are also thrown: graph authors do not see warnings.
    logSeverityLevel: 3,
  };
}

/**
 * Points of the trial run that determines the output shape. Two, so that a graph that takes only a single point
 * fails.
 */
const TRIAL_POINTS = 2;

/**
 * Runs an ONNX graph with one input `[N, features]` and one output `[N, targets]`, each float32 or
 * float64, on ONNX Runtime.
 *
 * @param bytes an ONNX file
 * @param threads the number of vCPUs
 * @throws GraphNotSupported for a graph with other inputs, outputs or operators, `ModelInvalid` for
 * a file that ONNX Runtime cannot read, for another number of features and for a graph whose trial
 * run fails, `OnnxRuntimeMissing` where ONNX Runtime is not installed
 */
export async function createGraphRegressor(
  bytes: Uint8Array,
  features: number,
  threads = 1,
): Promise<Regressor> {
  if (hasExternalData(bytes)) {
    const reason = 'has weights in another file: save the model as a single file';
    throw new GraphNotSupported('graph', reason);
  }
  const runtime = await loadOnnxRuntime();
  const session = await createSession(runtime, bytes, threads);
  const input = requireOneTensor('input', session.inputMetadata);
  const output = requireOneTensor('output', session.outputMetadata);
  const [, columns = null] = input.shape;
  if (input.shape.length !== 2 || (typeof columns === 'number' && columns !== features)) {
    const shape = `[${input.shape.map((edge) => edge || 'N').join(', ')}]`;
    throw new ModelInvalid(`its input has the shape ${shape}, expected [N, ${features}]`);
  }

  const run = async (points: Float32Array, count: number): Promise<Values> => {
    const rows = points.subarray(0, count * features);
    const given = createInputTensor(runtime, input.type, rows, [count, features]);
    const { [output.name]: result } = await session.run({ [input.name]: given });
    return requireNumbers(result);
  };
  const targets = await countTargetsByRun(run, features);

  return {
    features,
    targets,
    async predict(points, count, out) {
      requireCapacity({ features, targets }, points, count, out);
      if (count > 0) {
        out.set(await run(points, count));
      }
    },
  };
}

/** The package, 290 MB that most deployments never load, is not installed by default. */
async function loadOnnxRuntime(): Promise<Runtime> {
  try {
    return await import('onnxruntime-node');
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    throw isMissing ? new OnnxRuntimeMissing() : error;
  }
}

type Values = Float32Array | Float64Array;

async function createSession(
  runtime: Runtime,
  bytes: Uint8Array,
  threads: number,
): Promise<InferenceSession> {
  try {
    return await runtime.InferenceSession.create(bytes, buildSessionOptions(threads));
  } catch (error) {
    const message = messageOf(error);
    throw /protobuf/i.test(message)
      ? new ModelInvalid(message)
      : new GraphNotSupported('graph', message);
  }
}

type TensorMetadata = Extract<InferenceSession.ValueMetadata, { readonly isTensor: true }>;

function requireOneTensor(
  kind: 'input' | 'output',
  values: readonly InferenceSession.ValueMetadata[],
): TensorMetadata {
  const [value] = values;
  if (value === undefined || values.length > 1) {
    throw new GraphNotSupported('graph', `has ${values.length} ${kind}s, expected 1`);
  }
  if (!value.isTensor || (value.type !== 'float32' && value.type !== 'float64')) {
    const type = value.isTensor ? value.type : 'not a tensor';
    const reason = `its ${kind} "${value.name}" is ${type}, expected float32 or float64`;
    throw new GraphNotSupported('graph', reason);
  }
  return value;
}

function createInputTensor(
  { Tensor }: Runtime,
  type: Tensor.Type,
  rows: Float32Array,
  shape: readonly number[],
): Tensor {
  return type === 'float64'
    ? new Tensor('float64', Float64Array.from(rows), shape)
    : new Tensor('float32', rows, shape);
}

function requireNumbers(tensor: Tensor | undefined): Values {
  const data = tensor?.data;
  if (data instanceof Float32Array || data instanceof Float64Array) {
    return data;
  }
  throw new GraphNotSupported('graph', 'its output is not numeric');
}

/** The declared shape may be dynamic. */
async function countTargetsByRun(
  run: (points: Float32Array, count: number) => Promise<Values>,
  features: number,
): Promise<number> {
  let values: Values;
  try {
    values = await run(new Float32Array(TRIAL_POINTS * features), TRIAL_POINTS);
  } catch (error) {
    if (error instanceof GraphNotSupported) {
      throw error;
    }
    throw new ModelInvalid(`a run with ${TRIAL_POINTS} points fails: ${messageOf(error)}`);
  }
  const targets = values.length / TRIAL_POINTS;
  if (!Number.isInteger(targets) || targets === 0) {
    throw new ModelInvalid(`it returns ${values.length} values for ${TRIAL_POINTS} points`);
  }
  return targets;
}
