import { type Regressor, requireCapacity } from '../regressor.ts';
import { type BlockMemory, blockMemory } from './block-memory.ts';
import { blockThreads, type PredictBlocks } from './block-threads.ts';
import type { Forest } from './forest.ts';
import { evaluate } from './reference.ts';

/**
 * Evaluates a forest: passes blocks of points through one tree after another, on one thread per vCPU.
 * The threads share one copy of the forest.
 */
export function treeRegressor(forest: Forest, threads = 1): Regressor {
  const { features, targets, aggregate } = forest;
  const summed = aggregate === 'SUM' || aggregate === 'AVERAGE';
  const memory = summed ? blockMemory(forest, threads) : undefined;
  const predict = memory ? inBlocks(memory, forest, blockThreads(memory)) : directly(forest);
  return {
    features,
    targets,
    async predict(points, count, out) {
      requireCapacity({ features, targets }, points, count, out);
      await predict(points, count, out);
    },
  };
}

function directly(forest: Forest): Regressor['predict'] {
  return async (points, count, out) => evaluate(forest, points, count, out);
}

function inBlocks(
  { points: given, results, capacity }: BlockMemory,
  { features, targets }: Forest,
  predictBlocks: PredictBlocks,
): Regressor['predict'] {
  const predictNow: Regressor['predict'] = async (points, count, out) => {
    for (let from = 0; from < count; from += capacity) {
      const some = Math.min(capacity, count - from);
      given.set(points.subarray(from * features, (from + some) * features));
      await predictBlocks(some);
      out.set(results.subarray(0, some * targets), from * targets);
    }
  };
  // The memory serves one call at a time.
  let before: Promise<void> = Promise.resolve();
  return (points, count, out) => {
    const now = before.then(() => predictNow(points, count, out));
    before = now.catch(() => {});
    return now;
  };
}
