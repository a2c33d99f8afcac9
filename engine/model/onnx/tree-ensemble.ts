import type { Attribute } from './attribute.ts';
import { ModelInvalid } from './errors.ts';
import type { Operator } from './graph.ts';
import { readTensor } from './tensor.ts';

export type Aggregate = 'SUM' | 'AVERAGE' | 'MIN' | 'MAX';

/**
 * A node's comparison with its threshold. The numbers are the modes of ONNX's operator TreeEnsemble, where 6 tests
 * membership in a set of values; the number of `LEAF` is our own.
 */
export const MODE = {
  ...{ BRANCH_LEQ: 0, BRANCH_LT: 1, BRANCH_GTE: 2, BRANCH_GT: 3, BRANCH_EQ: 4, BRANCH_NEQ: 5 },
  LEAF: 7,
} as const;

/** Node rows as columns: one element per row in every list. */
export interface NodeRows {
  readonly treeIds: Int32Array;
  readonly nodeIds: Int32Array;
  readonly modes: Uint8Array;
  readonly featureIds: Int32Array;
  readonly thresholds: Float64Array;
  readonly trueIds: Int32Array;
  readonly falseIds: Int32Array;
  /** Non-zero if a missing value takes the true branch; empty if none does. */
  readonly missingTakesTrue: Int32Array;
}

export interface WeightRows {
  readonly treeIds: Int32Array;
  readonly nodeIds: Int32Array;
  readonly targetIds: Int32Array;
  readonly weights: Float64Array;
}

/** The parsed attributes of a tree ensemble. List lengths are checked, but not the trees. */
export interface TreeEnsemble {
  readonly targets: number;
  readonly aggregate: Aggregate;
  /** One per target, or empty. */
  readonly baseValues: Float64Array;
  readonly nodes: NodeRows;
  readonly leafWeights: WeightRows;
}

export type Attributes = ReadonlyMap<string, Attribute>;

/** Bounds the memory that a hostile file can allocate. */
const MAX_TARGETS = 1024;

export function readTargetCount({ attributes }: Operator): number {
  const targets = attributes.get('n_targets')?.int ?? 1;
  if (targets < 1 || targets > MAX_TARGETS) {
    throw new ModelInvalid(`n_targets is ${targets}: allowed are 1 to ${MAX_TARGETS}`);
  }
  return targets;
}

export function readIntAttribute(attributes: Attributes, name: string): Int32Array {
  return attributes.get(name)?.ints ?? new Int32Array(0);
}

/** A list of float32, or its float64 variant in a tensor. */
export function readNumberAttribute(
  attributes: Attributes,
  list: string,
  tensor: string,
): Float64Array {
  const floats = attributes.get(list)?.floats ?? new Float32Array(0);
  return floats.length > 0 ? new Float64Array(floats) : readTensorAttribute(attributes, tensor);
}

/** Empty if the operator does not have the attribute. */
export function readTensorAttribute(attributes: Attributes, name: string): Float64Array {
  const bytes = attributes.get(name)?.tensor;
  return bytes ? readTensor(bytes).values : new Float64Array(0);
}

export function requireEqualLengths(
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
