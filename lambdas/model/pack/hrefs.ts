import { isAddress, type S3Object, s3ObjectOf } from './href-kinds.ts';
import type { Manifest } from './manifest.ts';

type Named = Pick<Manifest, 'graph' | 'covariates'>;

/** Every file or address a manifest names, each once. */
function everyHref({ graph, covariates }: Named): readonly string[] {
  const rasters = covariates.flatMap((covariate) =>
    covariate.kind === 'raster' ? [covariate.href] : [],
  );
  return [...new Set([graph.href, ...rasters])];
}

/** The files inside the pack: with `manifest.json` all that travels with a function. */
export function hrefsOf(manifest: Named): readonly string[] {
  return everyHref(manifest).filter((href) => !isAddress(href));
}

/** The S3 objects a manifest names, which a predicting function must be allowed to read. */
export function s3ObjectsOf(manifest: Named): readonly S3Object[] {
  return everyHref(manifest).flatMap((href) => s3ObjectOf(href) ?? []);
}
