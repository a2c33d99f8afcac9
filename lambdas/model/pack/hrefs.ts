import type { Manifest } from './manifest.ts';

/** Every file a manifest names, each once: with `manifest.json` all that a pack needs to predict. */
export function hrefsOf({ graph, covariates }: Pick<Manifest, 'graph' | 'covariates'>): string[] {
  const rasters = covariates.flatMap((covariate) =>
    covariate.kind === 'raster' ? [covariate.href] : [],
  );
  return [...new Set([graph.href, ...rasters])];
}
