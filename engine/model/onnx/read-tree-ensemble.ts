import { GraphNotSupported, ModelInvalid } from './errors.ts';
import { formatOperatorName, type Operator } from './graph.ts';
import {
  type Aggregate,
  type Attributes,
  MODE,
  type NodeRows,
  readIntAttribute,
  readNumberAttribute,
  readTargetCount,
  requireEqualLengths,
  type TreeEnsemble,
  type WeightRows,
} from './tree-ensemble.ts';
import { readRowsFromRoots } from './tree-ensemble-roots.ts';

/**
 * Reads an `ai.onnx.ml` TreeEnsembleRegressor (operator sets 1 to 4) or TreeEnsemble (5), in
 * float32 or float64.
 *
 * @returns undefined for another operator
 * @throws GraphNotSupported for a post-transform, ModelInvalid for invalid attributes
 * @see https://github.com/onnx/onnx/blob/main/docs/Operators-ml.md
 */
export function readTreeEnsemble(operator: Operator): TreeEnsemble | undefined {
  switch (formatOperatorName(operator)) {
    case 'ai.onnx.ml.TreeEnsembleRegressor':
      return readRowsByTree(operator);
    case 'ai.onnx.ml.TreeEnsemble':
      return readRowsFromRoots(operator);
    default:
      return undefined;
  }
}

const AGGREGATES: readonly Aggregate[] = ['SUM', 'AVERAGE', 'MIN', 'MAX'];

/** TreeEnsembleRegressor (`ai.onnx.ml` 1 to 4): every row has its tree and the ids of its children. */
function readRowsByTree(operator: Operator): TreeEnsemble {
  const { attributes } = operator;
  const transform = attributes.get('post_transform')?.text ?? 'NONE';
  if (transform !== 'NONE') {
    throw new GraphNotSupported(
      formatOperatorName(operator),
      `post_transform ${transform}; only NONE is supported`,
    );
  }
  const targets = readTargetCount(operator);
  const baseValues = readNumberAttribute(attributes, 'base_values', 'base_values_as_tensor');
  if (baseValues.length !== 0 && baseValues.length !== targets) {
    throw new ModelInvalid(`${baseValues.length} base_values for ${targets} targets`);
  }
  return {
    targets,
    aggregate: readAggregate(operator),
    baseValues,
    nodes: readNodeRows(attributes),
    leafWeights: readWeightRows(attributes),
  };
}

function readAggregate({ attributes }: Operator): Aggregate {
  const name = attributes.get('aggregate_function')?.text ?? 'SUM';
  const aggregate = AGGREGATES.find((known) => known === name);
  if (aggregate === undefined) {
    throw new ModelInvalid(`aggregate_function is ${name}: allowed are ${AGGREGATES.join(', ')}`);
  }
  return aggregate;
}

function readNodeRows(attributes: Attributes): NodeRows {
  const rows = {
    treeIds: readIntAttribute(attributes, 'nodes_treeids'),
    nodeIds: readIntAttribute(attributes, 'nodes_nodeids'),
    modes: readModes(attributes),
    featureIds: readIntAttribute(attributes, 'nodes_featureids'),
    thresholds: readNumberAttribute(attributes, 'nodes_values', 'nodes_values_as_tensor'),
    trueIds: readIntAttribute(attributes, 'nodes_truenodeids'),
    falseIds: readIntAttribute(attributes, 'nodes_falsenodeids'),
  };
  const missingTakesTrue = readIntAttribute(attributes, 'nodes_missing_value_tracks_true');
  requireEqualLengths('node', rows);
  if (missingTakesTrue.length !== 0) {
    requireEqualLengths('node', { treeIds: rows.treeIds, missingTakesTrue });
  }
  if (rows.treeIds.length === 0) {
    throw new ModelInvalid('the ensemble has no nodes');
  }
  return { ...rows, missingTakesTrue };
}

const MODES: ReadonlyMap<string, number> = new Map(Object.entries(MODE));

function readModes(attributes: Attributes): Uint8Array {
  const texts = attributes.get('nodes_modes')?.texts;
  if (texts === undefined) return new Uint8Array(0);
  const modes = Uint8Array.from(texts.words, (word) => {
    const mode = MODES.get(word);
    if (mode !== undefined) return mode;
    throw new ModelInvalid(
      `nodes_modes has "${word}": allowed are ${[...MODES.keys()].join(', ')}`,
    );
  });
  // `Uint8Array.from` would first collect the million indexes in an ordinary array.
  return new Uint8Array(texts.indexes).map((word) => modes[word] ?? 0);
}

function readWeightRows(attributes: Attributes): WeightRows {
  const rows = {
    treeIds: readIntAttribute(attributes, 'target_treeids'),
    nodeIds: readIntAttribute(attributes, 'target_nodeids'),
    targetIds: readIntAttribute(attributes, 'target_ids'),
    weights: readNumberAttribute(attributes, 'target_weights', 'target_weights_as_tensor'),
  };
  requireEqualLengths('target', rows);
  return rows;
}
