import type { Regressor } from '../regressor.ts';
import { EQUALS, FEATURE, type Forest, MISSING_TAKES_FIRST } from './forest.ts';

/**
 * Points walked through one tree before the next: the tree's nodes stay in the first-level cache,
 * and the block's features and sums in the second (256 × 40 targets × 8 bytes = 80 KiB).
 */
const BLOCK = 256;

/** A leaf for each point of a block: fills `reached` with leaf indexes. */
type Walk = (
  forest: Forest,
  root: number,
  features: Float32Array,
  from: number,
  count: number,
  reached: Int32Array,
) => void;

/**
 * The forest's own evaluator. Comparisons are float32 against float32, as ONNX compares; sums over
 * trees are float64, so that their order doesn't show in float32 results.
 */
export function treeRegressor(forest: Forest): Regressor {
  const { features, targets } = forest;
  const sums = new Float64Array(BLOCK * targets);
  const reached = new Int32Array(BLOCK);
  const walk = forest.plain ? walkPlain : walkAny;

  return {
    features,
    targets,
    async predict(points, count, out) {
      if (points.length < count * features || out.length < count * targets) {
        throw new RangeError(`no room for ${count} points of ${features} features`);
      }
      for (let from = 0; from < count; from += BLOCK) {
        const block = Math.min(BLOCK, count - from);
        sums.fill(0);
        for (const root of forest.roots) {
          walk(forest, root, points, from * features, block, reached);
          addLeaves(forest, reached, block, sums);
        }
        writeBlock(forest, sums, block, out, from * targets);
      }
    },
  };
}

// Inside these loops `as number` stands where `noUncheckedIndexedAccess` sees a hole: a forest is
// checked once when it is planted, and a fallback per step would cost a tenth of the speed.

const walkPlain: Walk = ({ nodes, thresholds, features }, root, points, from, count, reached) => {
  for (let p = 0; p < count; p++) {
    const point = from + p * features;
    let at = root;
    while (at >= 0) {
      const value = points[point + (nodes[at] as number)] as number;
      at = nodes[value <= (thresholds[at + 1] as number) ? at + 2 : at + 3] as number;
    }
    reached[p] = ~at;
  }
};

const walkAny: Walk = ({ nodes, thresholds, features }, root, points, from, count, reached) => {
  for (let p = 0; p < count; p++) {
    const point = from + p * features;
    let at = root;
    while (at >= 0) {
      const question = nodes[at] as number;
      const value = points[point + (question & FEATURE)] as number;
      const threshold = thresholds[at + 1] as number;
      const first = Number.isNaN(value)
        ? (question & MISSING_TAKES_FIRST) !== 0
        : (question & EQUALS) !== 0
          ? value === threshold
          : value <= threshold;
      at = nodes[first ? at + 2 : at + 3] as number;
    }
    reached[p] = ~at;
  }
};

function addLeaves(forest: Forest, reached: Int32Array, count: number, sums: Float64Array): void {
  const { leaves, targets } = forest;
  for (let p = 0; p < count; p++) {
    const leaf = (reached[p] as number) * targets;
    const sum = p * targets;
    for (let t = 0; t < targets; t++) {
      sums[sum + t] = (sums[sum + t] as number) + (leaves[leaf + t] as number);
    }
  }
}

function writeBlock(
  { targets, divisor, baseValues }: Forest,
  sums: Float64Array,
  count: number,
  out: Float32Array,
  from: number,
): void {
  for (let i = 0; i < count * targets; i++) {
    out[from + i] = (sums[i] as number) / divisor + (baseValues[i % targets] as number);
  }
}
