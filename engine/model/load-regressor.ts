import { GraphNotSupported, ModelInvalid, OnnxRuntimeMissing } from './onnx/errors.ts';
import { createGraphRegressor } from './onnx/graph-regressor.ts';
import { readTreeGraph, type TreeGraph } from './onnx/tree-graph.ts';
import { cachePerManifest } from './pack/cache-per-manifest.ts';
import type { Pack } from './pack/pack.ts';
import { type Regressor, requireCapacity } from './regressor.ts';
import { buildForest } from './trees/build-forest.ts';
import { createTreeRegressor } from './trees/tree-regressor.ts';

const once = cachePerManifest<Regressor>();

/**
 * Loads the pack's model, which takes the covariates in the manifest's order. Tree ensembles, even with steps around
 * them, run on the project's own evaluator, other graphs on ONNX Runtime. A published map has no graph; its
 * covariates are its targets. After a failure, the next call tries again.
 *
 * @param threads for prediction; the first call for a pack sets it
 * @throws GraphNotSupported for a graph that neither can run, `OnnxRuntimeMissing` for a graph that needs the missing
 * package, `ModelInvalid` for an invalid graph, and `PackFileUnavailable` if the file cannot be read
 */
export function loadRegressor(pack: Pack, threads = 1): Promise<Regressor> {
  return once(pack.manifest, () => readRegressor(pack, threads));
}

/** Whether only ONNX Runtime can run a graph. */
export function needsOnnxRuntime(graph: Uint8Array): boolean {
  return tryReadTreeGraph(graph) instanceof GraphNotSupported;
}

/** The file, the parsed operator and the forest together have at most this many times the size of the file. */
const MODEL_COPIES = 4;
/**
 * Added for each tree: a tree with a single leaf takes only 12 bytes of the file, but up to this many bytes of
 * memory for its lists.
 */
const TREE_BYTES = 1_300;

/** Estimates the memory of a loaded graph in bytes; an upper bound for tree ensembles. */
export function estimateModelMemory(graph: Uint8Array): number {
  const found = tryReadTreeGraph(graph);
  const trees = found instanceof GraphNotSupported ? [] : found.ensemble.nodes.treeIds;
  return MODEL_COPIES * graph.length + TREE_BYTES * new Set(trees).size;
}

/** A published map has no graph: its target i is its covariate i. */
function createCopyingRegressor(features: number): Regressor {
  const size = { features, targets: features };
  return {
    ...size,
    async predict(points, count, out) {
      requireCapacity(size, points, count, out);
      out.set(points.subarray(0, count * features));
    },
  };
}

async function readRegressor({ files, manifest }: Pack, threads: number): Promise<Regressor> {
  const features = manifest.covariates.length;
  if (manifest.graph === undefined) return createCopyingRegressor(features);
  const bytes = await files.readFile(manifest.graph.href);
  const graph = tryReadTreeGraph(bytes);
  const regressor =
    graph instanceof GraphNotSupported
      ? await createGraphRegressor(bytes, features, threads).catch((error: unknown) => {
          throw error instanceof OnnxRuntimeMissing ? new OnnxRuntimeMissing(graph) : error;
        })
      : createTreeRegressor(buildForest(graph.ensemble, features), threads, graph);
  if (regressor.targets !== manifest.graph.targets) {
    throw new ModelInvalid(
      `the graph has ${regressor.targets} targets, the manifest declares ${manifest.graph.targets}`,
    );
  }
  return regressor;
}

/** @returns the reason if the project's own evaluator cannot run the graph */
function tryReadTreeGraph(graph: Uint8Array): TreeGraph | GraphNotSupported {
  try {
    return readTreeGraph(graph);
  } catch (error) {
    if (error instanceof GraphNotSupported) {
      return error;
    }
    throw error;
  }
}
