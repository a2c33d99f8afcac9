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

/** Whether an href is an address and no path inside the pack. */
export function isAddress(href: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(href);
}

export interface S3Object {
  readonly bucket: string;
  readonly key: string;
}

/** Of bucket names S3's own rule; of keys no character that means more than itself in a policy. */
const S3_ADDRESS = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(?<key>[^\s*?$#]+)$/;

/** null for what is no `s3://bucket/key`. */
export function s3ObjectOf(href: string): S3Object | null {
  const { bucket, key } = S3_ADDRESS.exec(href)?.groups ?? {};
  return bucket === undefined || key === undefined ? null : { bucket, key };
}
