import { GraphNotSupported } from './errors.ts';
import { nameOf, readSingleOperator } from './graph.ts';
import type { TreeEnsemble } from './tree-ensemble.ts';
import { rowsByTree } from './tree-ensemble-regressor.ts';
import { rowsFromRoots } from './tree-ensemble-roots.ts';

/**
 * Reads a model with one `ai.onnx.ml` TreeEnsembleRegressor (operator sets 1 to 4) or TreeEnsemble
 * (5), in float32 or float64.
 *
 * @param bytes an ONNX file
 * Throws `GraphNotSupported` for any other graph, `ModelInvalid` for an invalid file.
 * Source: https://github.com/onnx/onnx/blob/main/docs/Operators-ml.md
 */
export function readTreeEnsemble(bytes: Uint8Array): TreeEnsemble {
  const operator = readSingleOperator(bytes);
  const name = nameOf(operator);
  switch (name) {
    case 'ai.onnx.ml.TreeEnsembleRegressor':
      return rowsByTree(operator);
    case 'ai.onnx.ml.TreeEnsemble':
      return rowsFromRoots(operator);
    default:
      throw new GraphNotSupported(name, 'is not a tree ensemble');
  }
}
