import { type Regressor, requireRoom } from '../regressor.ts';
import { type BlockMemory, blockMemory } from './block-memory.ts';
import { blockThreads, type PredictBlocks } from './block-threads.ts';
import type { Forest } from './forest.ts';
import { evaluate } from './reference.ts';

/**
 * The forest's own evaluator: blocks of points through one tree after another, on as many threads as
 * there are vCPUs, all of which read one copy of the forest.
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
      requireRoom({ features, targets }, points, count, out);
      await predict(points, count, out);
    },
  };
}

function directly(forest: Forest): Regressor['predict'] {
  return async (points, count, out) => evaluate(forest, points, count, out);
}

function inBlocks(
  { points: given, answers, capacity }: BlockMemory,
  { features, targets }: Forest,
  predictBlocks: PredictBlocks,
): Regressor['predict'] {
  const predictNow: Regressor['predict'] = async (points, count, out) => {
    for (let from = 0; from < count; from += capacity) {
      const some = Math.min(capacity, count - from);
      given.set(points.subarray(from * features, (from + some) * features));
      await predictBlocks(some);
      out.set(answers.subarray(0, some * targets), from * targets);
    }
  };
  // There is one room, so calls take turns.
  let before: Promise<void> = Promise.resolve();
  return (points, count, out) => {
    const now = before.then(() => predictNow(points, count, out));
    before = now.catch(() => {});
    return now;
  };
}
