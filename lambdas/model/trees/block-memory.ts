import type { Forest } from './forest.ts';
import { divisorOf } from './reference.ts';

/** A forest and the buffers for prediction, in one memory shared by all threads. */
export interface BlockMemory {
  readonly memory: WebAssembly.Memory;
  /** Offset of the forest's header for `walk.wat`. */
  readonly header: number;
  /** Offset of each thread's scratch memory. */
  readonly scratch: readonly number[];
  /** Maximum points per block. */
  readonly block: number;
  /** First point of the next block to predict: one atomic word. */
  readonly next: Int32Array;
  /** Points that fit into `points` and `results`. */
  readonly capacity: number;
  readonly points: Float32Array;
  readonly results: Float32Array;
}

/** A block's features and sums should fit into the L2 cache, 1 to 2 MiB per vCPU. */
const SCRATCH_BYTES = 2 ** 20;
/** Lists hold points as 16-bit numbers; larger blocks were not faster in measurements. */
const MAX_BLOCK = 16_384;
/** In smaller blocks a node costs more than its points. */
const MIN_BLOCK = 512;
/** Features and results of one call. */
const EXCHANGE_BYTES = 2 ** 25;

const PAGE = 65_536;
/** The limit of WebAssembly's 32-bit memories: 4 GiB. */
const MAX_PAGES = 65_536;
/** 10 words and a float64, rounded up. */
const HEADER_BYTES = 64;

/** Undefined if the forest is too large for one memory. */
export function blockMemory(forest: Forest, threads: number): BlockMemory | undefined {
  const { features, targets } = forest;
  // With several targets, leaves are added to sums in pairs.
  const stride = targets === 1 ? 1 : targets + (targets % 2);
  const bytesOfPoint = features * 4 + stride * 8 + 3 * 2 + 16;
  const block = within(Math.floor(SCRATCH_BYTES / bytesOfPoint), MIN_BLOCK, MAX_BLOCK);
  const inAndOut = (features + targets) * 4;
  const capacity = Math.max(block * threads, Math.floor(EXCHANGE_BYTES / inAndOut));

  let end = 0;
  const place = (bytes: number): number => {
    const at = end;
    end += Math.ceil(bytes / 64) * 64;
    return at;
  };
  const header = place(HEADER_BYTES);
  const next = place(4);
  const base = place(targets * 8);
  const roots = place(forest.roots.byteLength);
  const nodes = place(forest.nodes.byteLength);
  const leafCount = forest.leaves.length / targets;
  const leaves = place(leafCount * stride * 4);
  // Includes the bounds of each feature, and padding of each part to 16 bytes.
  const scratch = Array.from({ length: threads }, () =>
    place(block * bytesOfPoint + features * 8 + (features + 5) * 16),
  );
  const points = place(capacity * features * 4);
  const results = place(capacity * targets * 4);

  const pages = Math.ceil(end / PAGE);
  if (pages > MAX_PAGES) {
    return undefined;
  }
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const { buffer } = memory;
  new Int32Array(buffer, header, 10).set([
    nodes,
    leaves,
    roots,
    forest.roots.length,
    features,
    targets,
    stride,
    base,
    points,
    results,
  ]);
  new Float64Array(buffer, header + 40, 1)[0] = divisorOf(forest);
  new Float64Array(buffer, base, targets).set(forest.baseValues);
  new Int32Array(buffer, roots, forest.roots.length).set(forest.roots);
  new Int32Array(buffer, nodes, forest.nodes.length).set(forest.nodes);
  placeLeaves(forest, stride, new Float32Array(buffer, leaves, leafCount * stride));
  return {
    memory,
    header,
    scratch,
    block,
    next: new Int32Array(buffer, next, 1),
    capacity,
    points: new Float32Array(buffer, points, capacity * features),
    results: new Float32Array(buffer, results, capacity * targets),
  };
}

function placeLeaves({ leaves, targets }: Forest, stride: number, placed: Float32Array): void {
  if (stride === targets) {
    placed.set(leaves);
    return;
  }
  for (let leaf = 0; leaf * targets < leaves.length; leaf++) {
    placed.set(leaves.subarray(leaf * targets, (leaf + 1) * targets), leaf * stride);
  }
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
