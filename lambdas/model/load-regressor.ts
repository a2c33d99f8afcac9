import { GraphNotSupported, ModelInvalid } from './onnx/errors.ts';
import { readTreeEnsemble } from './onnx/read-tree-ensemble.ts';
import type { TreeEnsemble } from './onnx/tree-ensemble.ts';
import { graphRegressor } from './onnx-runtime/graph-regressor.ts';
import type { Pack } from './pack/pack.ts';
import type { Regressor } from './regressor.ts';
import { plantForest } from './trees/plant-forest.ts';
import { treeRegressor } from './trees/tree-regressor.ts';

/** Kept as long as the pack itself: a warm function reads its model once. */
const loaded = new WeakMap<Pack, Promise<Regressor>>();

/**
 * The pack's model, ready to predict from its covariates in their order: a tree ensemble on the
 * project's own evaluator, every other graph on ONNX Runtime.
 *
 * @param threads that either uses; the first call for a pack decides
 * Throws `GraphNotSupported` for a graph that neither runs, `ModelInvalid` for a broken one,
 * `PackFileUnavailable` when the file can't be read (which the next call tries again).
 */
export function loadRegressor(pack: Pack, threads = 1): Promise<Regressor> {
  let regressor = loaded.get(pack);
  if (!regressor) {
    regressor = readRegressor(pack, threads);
    loaded.set(pack, regressor);
    regressor.catch(() => loaded.delete(pack));
  }
  return regressor;
}

/** Whether a graph is none of the tree ensembles that the project's own evaluator runs. */
export function needsOnnxRuntime(graph: Uint8Array): boolean {
  return treeEnsembleIn(graph) === undefined;
}

async function readRegressor({ files, manifest }: Pack, threads: number): Promise<Regressor> {
  const bytes = await files.read(manifest.graph.href);
  const features = manifest.covariates.length;
  const ensemble = treeEnsembleIn(bytes);
  const regressor = ensemble
    ? treeRegressor(plantForest(ensemble, features), threads)
    : await graphRegressor(bytes, features, threads);
  if (regressor.targets !== manifest.graph.targets) {
    throw new ModelInvalid(
      `it gives ${regressor.targets} targets, the manifest says ${manifest.graph.targets}`,
    );
  }
  return regressor;
}

function treeEnsembleIn(graph: Uint8Array): TreeEnsemble | undefined {
  try {
    return readTreeEnsemble(graph);
  } catch (error) {
    if (error instanceof GraphNotSupported) {
      return undefined;
    }
    throw error;
  }
}
