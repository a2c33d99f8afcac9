import { applySteps, requireColumns } from '../onnx/steps.ts';
import type { TreeGraph } from '../onnx/tree-graph.ts';
import { type Regressor, requireCapacity } from '../regressor.ts';
import { allocateBlockMemory, type BlockMemory } from './block-memory.ts';
import { createBlockThreads, type PredictBlocks } from './block-threads.ts';
import type { Forest } from './forest.ts';
import { evaluateForest } from './reference.ts';

type Steps = Pick<TreeGraph, 'before' | 'after'>;

/**
 * Evaluates a forest. Sums and averages are computed by blocks: the points of a block pass through one tree after
 * another. Blocks are divided among `threads` threads, which share one copy of the forest. Other forests, and those
 * too large for one memory, are evaluated point by point.
 *
 * @throws ModelInvalid if the steps do not fit the number of features or targets
 */
export function createTreeRegressor(
  forest: Forest,
  threads = 1,
  steps: Steps = { before: [], after: [] },
): Regressor {
  const { features, targets, aggregate } = forest;
  requireColumns(steps.before, features);
  requireColumns(steps.after, targets);
  const summed = aggregate === 'SUM' || aggregate === 'AVERAGE';
  const memory = summed ? allocateBlockMemory(forest, threads) : undefined;
  const predict = memory
    ? createBlockPredictor(memory, forest, createBlockThreads(memory), steps)
    : createDirectPredictor(forest, steps);
  return {
    features,
    targets,
    async predict(points, count, out) {
      requireCapacity({ features, targets }, points, count, out);
      await predict(points, count, out);
    },
  };
}

function createDirectPredictor(forest: Forest, { before, after }: Steps): Regressor['predict'] {
  const { features, targets } = forest;
  return async (points, count, out) => {
    const given = new Float32Array(count * features);
    applySteps(before, features, points.subarray(0, given.length), given);
    const results = out.subarray(0, count * targets);
    evaluateForest(forest, given, count, results);
    applySteps(after, targets, results, results);
  };
}

function createBlockPredictor(
  { points: given, results, capacity }: BlockMemory,
  { features, targets }: Forest,
  predictBlocks: PredictBlocks,
  { before, after }: Steps,
): Regressor['predict'] {
  const predictNow: Regressor['predict'] = async (points, count, out) => {
    for (let from = 0; from < count; from += capacity) {
      const some = Math.min(capacity, count - from);
      const next = points.subarray(from * features, (from + some) * features);
      applySteps(before, features, next, given);
      await predictBlocks(some);
      const found = results.subarray(0, some * targets);
      applySteps(after, targets, found, out.subarray(from * targets));
    }
  };
  // The memory serves one call at a time.
  let previous: Promise<void> = Promise.resolve();
  return (points, count, out) => {
    const now = previous.then(() => predictNow(points, count, out));
    previous = now.catch(() => {});
    return now;
  };
}
