import { BLEND_BYTES, PART } from './assembly/blend-sizes.ts';
import type { Forest } from './forest.ts';
import { divisorOf } from './reference.ts';
import { packSmallTrees, type SmallTrees } from './small-trees.ts';

/** A forest and the buffers for prediction, in one memory shared by all threads. */
export interface BlockMemory {
  readonly memory: WebAssembly.Memory;
  /** The function of the module `assembly` that predicts a block. */
  readonly kernel: 'predictLarge' | 'predictSmall';
  /** Offset of the structure `Call`. */
  readonly call: number;
  /** Offset of each thread's scratch memory. */
  readonly scratch: readonly number[];
  /** Maximum points per block. */
  readonly block: number;
  /** First point of the next block to predict: one atomic word. */
  readonly next: Int32Array;
  /** Number of points that fit into `points` and `results`. */
  readonly capacity: number;
  readonly points: Float32Array;
  readonly results: Float32Array;
}

/**
 * Two tiles of `tile-order.ts`. In larger blocks fewer nodes take all points to the same child; in
 * smaller ones a node costs more than its points.
 */
const BLOCK = 512;
/** Bytes of the features and results of one call, unless one block for each thread needs more. */
const EXCHANGE_BYTES = 2 ** 25;
/** The parts of the scratch memory are aligned to this many bytes. */
const PADDING = 16;

/** Undefined if the forest is too large for one memory. */
export function allocateBlockMemory(forest: Forest, threads: number): BlockMemory | undefined {
  const { features, targets } = forest;
  const plan = new MemoryPlan();
  const small = packSmallTrees(forest);
  // Rows of several values are added in pairs.
  const stride = targets === 1 ? 1 : targets + (targets % 2);
  const trees = small ? placeSmall(plan, small) : placeLarge(plan, forest, stride);
  const lists = small ? countSmallBytes(small) : countLargeBytes(features);
  const bytesOfPoint = features * 4 + stride * 8 + lists;
  const capacity = Math.max(
    BLOCK * threads,
    Math.floor(EXCHANGE_BYTES / ((features + targets) * 4)),
  );

  const next = plan.reserve(4);
  const points = plan.reserve(capacity * features * 4);
  const results = plan.reserve(capacity * targets * 4);
  const baseValues = plan.reserve(targets * 8, (buffer, at) =>
    new Float64Array(buffer, at, targets).set(forest.baseValues),
  );
  const scratch = Array.from({ length: threads }, () =>
    plan.reserve(Math.ceil(BLOCK * bytesOfPoint) + (features + 8) * PADDING),
  );
  const call = plan.reserve(40, (buffer, at) => {
    const words = [features, targets, points, results, baseValues, stride];
    new Int32Array(buffer, at, words.length).set(words);
    new Float64Array(buffer, at + 24, 1)[0] = divisorOf(forest);
    new Int32Array(buffer, at + 32, 1)[0] = trees;
  });
  const memory = plan.allocate();
  return (
    memory && {
      memory,
      kernel: small ? 'predictSmall' : 'predictLarge',
      call,
      scratch,
      block: BLOCK,
      next: new Int32Array(memory.buffer, next, 1),
      capacity,
      points: new Float32Array(memory.buffer, points, capacity * features),
      results: new Float32Array(memory.buffer, results, capacity * targets),
    }
  );
}

/** A point takes a 16-bit number in each of three lists, and its share of the bounds and of the memory to blend. */
function countLargeBytes(features: number): number {
  return 3 * 2 + ((1 + BLOCK / PART) * features * 8 + BLEND_BYTES) / BLOCK;
}

/** @returns the offset of the structure `LargeTrees` */
function placeLarge(plan: MemoryPlan, forest: Forest, stride: number): number {
  const roots = plan.placeWords(forest.roots);
  const nodes = plan.placeWords(forest.nodes);
  const { leaves, targets } = forest;
  const count = leaves.length / targets;
  const rows = plan.reserve(count * stride * 4, (buffer, at) => {
    const placed = new Float32Array(buffer, at, count * stride);
    if (stride === targets) {
      placed.set(leaves);
      return;
    }
    for (let leaf = 0; leaf < count; leaf++) {
      placed.set(leaves.subarray(leaf * targets, (leaf + 1) * targets), leaf * stride);
    }
  });
  return plan.placeWords([roots, forest.roots.length, nodes, rows]);
}

/**
 * A point takes a 16-bit code for each column, a 16-bit leaf number for each depth, and its share of the ranges of
 * codes.
 */
function countSmallBytes({ columns, depth }: SmallTrees): number {
  return (columns.length + depth + 1) * 2 + (columns.length * 12) / BLOCK;
}

/** @returns the offset of the structure `SmallTrees` */
function placeSmall(plan: MemoryPlan, { columns, nodes, trees }: SmallTrees): number {
  const ofColumns = plan.placeWords(
    columns.flatMap(({ feature, missingTakesFirst, cuts }) => [
      feature,
      missingTakesFirst ? 1 : 0,
      plan.placeFloats(cuts),
      cuts.length,
    ]),
  );
  const ofTrees = plan.placeWords(
    trees.flatMap(({ root, values, target, width }) => [
      root,
      plan.placeFloats(values),
      target,
      width,
    ]),
  );
  return plan.placeWords([
    ofColumns,
    columns.length,
    plan.placeWords(nodes),
    ofTrees,
    trees.length,
  ]);
}

const PAGE = 65_536;
/** The limit of WebAssembly's 32-bit memories: 4 GiB. */
const MAX_PAGES = 65_536;
/** The size of a cache line. */
const ALIGNMENT = 64;

type Write = (buffer: ArrayBufferLike, at: number) => void;

/** The layout of one WebAssembly memory, which is allocated when all sizes are known. */
class MemoryPlan {
  #end = ALIGNMENT;
  readonly #writes: (readonly [number, Write])[] = [];

  /** @returns the offset of the bytes; never 0 */
  reserve(bytes: number, write?: Write): number {
    const at = this.#end;
    this.#end += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    if (write) this.#writes.push([at, write]);
    return at;
  }

  placeWords(values: ArrayLike<number>): number {
    return this.reserve(values.length * 4, (buffer, at) =>
      new Int32Array(buffer, at, values.length).set(values),
    );
  }

  placeFloats(values: Float32Array): number {
    return this.reserve(values.byteLength, (buffer, at) =>
      new Float32Array(buffer, at, values.length).set(values),
    );
  }

  /** Undefined if the layout is too large for one memory. */
  allocate(): WebAssembly.Memory | undefined {
    const pages = Math.ceil(this.#end / PAGE);
    if (pages > MAX_PAGES) return undefined;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    for (const [at, write] of this.#writes) write(memory.buffer, at);
    return memory;
  }
}
