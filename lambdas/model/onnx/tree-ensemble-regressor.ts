import type { Attribute } from './attribute.ts';
import { GraphNotSupported, ModelInvalid } from './errors.ts';
import { nameOf, type Operator, readSingleOperator } from './graph.ts';

/** How the values of a point's leaves become one (ai.onnx.ml TreeEnsembleRegressor, v1–v3). */
export type Aggregate = 'SUM' | 'AVERAGE';

/** Rows of nodes, one a position in every list. */
export interface NodeRows {
  readonly treeIds: Int32Array;
  readonly nodeIds: Int32Array;
  readonly modes: readonly string[];
  readonly featureIds: Int32Array;
  readonly thresholds: Float32Array;
  readonly trueIds: Int32Array;
  readonly falseIds: Int32Array;
  /** Non-zero where a missing value takes the true branch; empty means nowhere. */
  readonly missingTakesTrue: Int32Array;
}

/** Rows of leaf weights, one a position in every list. */
export interface WeightRows {
  readonly treeIds: Int32Array;
  readonly nodeIds: Int32Array;
  readonly targetIds: Int32Array;
  readonly weights: Float32Array;
}

/** The operator's attributes, lists of equal length where they must be; not yet a forest. */
export interface TreeEnsembleRegressor {
  readonly targets: number;
  readonly aggregate: Aggregate;
  /** One a target, or none. */
  readonly baseValues: Float32Array;
  readonly nodes: NodeRows;
  readonly leafWeights: WeightRows;
}

/** Beyond any distribution's thresholds; keeps a lying header from asking for memory. */
const MAX_TARGETS = 1024;

const doublePrecision = [
  'base_values_as_tensor',
  'nodes_values_as_tensor',
  'nodes_hitrates_as_tensor',
  'target_weights_as_tensor',
];

/**
 * Reads a model that is one `ai.onnx.ml` TreeEnsembleRegressor.
 *
 * @param bytes an ONNX file
 * Throws `GraphNotSupported` for any other graph, `ModelInvalid` for a broken file.
 * Source: https://github.com/onnx/onnx/blob/main/docs/Operators-ml.md
 */
export function readTreeEnsembleRegressor(bytes: Uint8Array): TreeEnsembleRegressor {
  const operator = readSingleOperator(bytes);
  requireSupported(operator);
  const { attributes } = operator;
  const targets = attributes.get('n_targets')?.int ?? 1;
  if (targets < 1 || targets > MAX_TARGETS) {
    throw new ModelInvalid(`n_targets is ${targets}, allowed are 1 to ${MAX_TARGETS}`);
  }
  const baseValues = floats(attributes, 'base_values');
  if (baseValues.length !== 0 && baseValues.length !== targets) {
    throw new ModelInvalid(`${baseValues.length} base_values for ${targets} targets`);
  }
  return {
    targets,
    aggregate: aggregateOf(operator),
    baseValues,
    nodes: nodeRows(attributes),
    leafWeights: weightRows(attributes),
  };
}

function requireSupported(operator: Operator): void {
  const name = nameOf(operator);
  if (name !== 'ai.onnx.ml.TreeEnsembleRegressor') {
    throw new GraphNotSupported(name, 'only ai.onnx.ml.TreeEnsembleRegressor is');
  }
  const transform = operator.attributes.get('post_transform')?.text ?? 'NONE';
  if (transform !== 'NONE') {
    throw new GraphNotSupported(name, `post_transform ${transform}, only NONE is`);
  }
  const double = doublePrecision.find((attribute) => operator.attributes.get(attribute)?.nested);
  if (double !== undefined) {
    throw new GraphNotSupported(name, `double precision (${double})`);
  }
}

function aggregateOf(operator: Operator): Aggregate {
  const aggregate = operator.attributes.get('aggregate_function')?.text ?? 'SUM';
  if (aggregate !== 'SUM' && aggregate !== 'AVERAGE') {
    const reason = `aggregate_function ${aggregate}, only SUM and AVERAGE are`;
    throw new GraphNotSupported(nameOf(operator), reason);
  }
  return aggregate;
}

type Attributes = ReadonlyMap<string, Attribute>;

function nodeRows(attributes: Attributes): NodeRows {
  const rows = {
    treeIds: ints(attributes, 'nodes_treeids'),
    nodeIds: ints(attributes, 'nodes_nodeids'),
    modes: attributes.get('nodes_modes')?.texts ?? [],
    featureIds: ints(attributes, 'nodes_featureids'),
    thresholds: floats(attributes, 'nodes_values'),
    trueIds: ints(attributes, 'nodes_truenodeids'),
    falseIds: ints(attributes, 'nodes_falsenodeids'),
  };
  const missingTakesTrue = ints(attributes, 'nodes_missing_value_tracks_true');
  requireEqualLengths('node', rows);
  if (missingTakesTrue.length !== 0) {
    requireEqualLengths('node', { treeIds: rows.treeIds, missingTakesTrue });
  }
  if (rows.treeIds.length === 0) {
    throw new ModelInvalid('the ensemble has no node');
  }
  return { ...rows, missingTakesTrue };
}

function weightRows(attributes: Attributes): WeightRows {
  const rows = {
    treeIds: ints(attributes, 'target_treeids'),
    nodeIds: ints(attributes, 'target_nodeids'),
    targetIds: ints(attributes, 'target_ids'),
    weights: floats(attributes, 'target_weights'),
  };
  requireEqualLengths('target', rows);
  return rows;
}

function requireEqualLengths(
  kind: string,
  rows: Readonly<Record<string, { readonly length: number }>>,
): void {
  const lengths = Object.entries(rows).map(([list, { length }]) => ({ list, length }));
  const [first] = lengths;
  const other = lengths.find(({ length }) => length !== first?.length);
  if (first && other) {
    throw new ModelInvalid(
      `its lists of ${kind} values differ in length: ${first.list} ${first.length}, ${other.list} ${other.length}`,
    );
  }
}

function ints(attributes: Attributes, name: string): Int32Array {
  return attributes.get(name)?.ints ?? new Int32Array(0);
}

function floats(attributes: Attributes, name: string): Float32Array {
  return attributes.get(name)?.floats ?? new Float32Array(0);
}
