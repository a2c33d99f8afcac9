import { ModelInvalid } from './onnx/errors.ts';
import { readTreeEnsembleRegressor } from './onnx/tree-ensemble-regressor.ts';
import type { Pack } from './pack/pack.ts';
import type { Regressor } from './regressor.ts';
import { plantForest } from './trees/plant-forest.ts';
import { treeRegressor } from './trees/tree-regressor.ts';

/** Kept as long as the pack itself: a warm function reads its model once. */
const loaded = new WeakMap<Pack, Promise<Regressor>>();

/**
 * The pack's model, ready to predict from its covariates in their order.
 *
 * Throws `GraphNotSupported` for a graph that is no tree ensemble, `ModelInvalid` for a broken one,
 * `PackFileUnavailable` when the file can't be read (which the next call tries again).
 */
export function loadRegressor(pack: Pack): Promise<Regressor> {
  let regressor = loaded.get(pack);
  if (!regressor) {
    regressor = readRegressor(pack);
    loaded.set(pack, regressor);
    regressor.catch(() => loaded.delete(pack));
  }
  return regressor;
}

async function readRegressor({ files, manifest }: Pack): Promise<Regressor> {
  const ensemble = readTreeEnsembleRegressor(await files.read(manifest.graph.href));
  if (ensemble.targets !== manifest.graph.targets) {
    throw new ModelInvalid(
      `it gives ${ensemble.targets} targets, the manifest says ${manifest.graph.targets}`,
    );
  }
  return treeRegressor(plantForest(ensemble, manifest.covariates.length));
}
