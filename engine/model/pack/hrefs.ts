import { isUrl, type S3Object, s3ObjectOf } from './href-kinds.ts';
import type { Manifest } from './manifest.ts';

type Named = Pick<Manifest, 'graph' | 'covariates'>;

/** Every distinct path or URL in a manifest. */
function everyHref({ graph, covariates }: Named): readonly string[] {
  const rasters = covariates.flatMap((covariate) =>
    covariate.kind === 'raster' ? [covariate.href] : [],
  );
  return [...new Set([graph.href, ...rasters])];
}

/** The files inside the pack. With `manifest.json`, they are what a function's asset contains. */
export function hrefsOf(manifest: Named): readonly string[] {
  return everyHref(manifest).filter((href) => !isUrl(href));
}

/** The S3 objects in a manifest, which a predicting function needs permission to read. */
export function s3ObjectsOf(manifest: Named): readonly S3Object[] {
  return everyHref(manifest).flatMap((href) => s3ObjectOf(href) ?? []);
}
