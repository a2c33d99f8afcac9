import { createHash } from 'node:crypto';
import type { Manifest } from './manifest.ts';
import type { Pack } from './pack.ts';
import { isUrl, MANIFEST_FILE, parseS3Url, type S3Object } from './pack-files.ts';
import { listPeriodHrefs } from './periods.ts';

/** SHA-256 in lower-case hex of a pack's own files, by path in the pack. Files at URLs have no digest. */
export type PackDigests = Readonly<Record<string, string>>;

/** A pack's digests in a function's asset, which need not have the files themselves. */
export const DIGESTS_FILE = 'SHA256SUMS';

/** A pack's own files whose content determines a prediction, the manifest first. */
export function listDigestedFiles(manifest: Manifest): readonly string[] {
  return [MANIFEST_FILE, ...listOwnFiles(manifest)];
}

export async function computeDigests({ files, manifest }: Pack): Promise<PackDigests> {
  const digests: Record<string, string> = {};
  for (const href of listDigestedFiles(manifest))
    digests[href] = sha256(await files.readFile(href));
  return digests;
}

export async function readDeployedDigests({ files }: Pack): Promise<PackDigests> {
  return parseDigests(new TextDecoder().decode(await files.readFile(DIGESTS_FILE)));
}

/** Writes one file per line, in the format that `sha256sum --check` reads. */
export function formatDigests(digests: PackDigests): string {
  return Object.entries(digests)
    .map(([href, digest]) => `${digest}  ${href}\n`)
    .join('');
}

/** Ignores lines that are not in the format of `formatDigests`. */
export function parseDigests(text: string): PackDigests {
  const lines = text.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm);
  return Object.fromEntries(Array.from(lines, ([, digest = '', href = '']) => [href, digest]));
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

type Named = Pick<Manifest, 'graph' | 'covariates' | 'applicability'>;

/** Lists every distinct path or URL of a manifest, of all periods. */
function listHrefs({ graph, covariates, applicability }: Named): readonly string[] {
  const rasters = covariates.flatMap((covariate) =>
    covariate.kind === 'raster' ? listPeriodHrefs(covariate) : [],
  );
  const others = [graph, applicability].flatMap((named) => named?.href ?? []);
  return [...new Set([...others, ...rasters])];
}

function listOwnFiles(manifest: Named): readonly string[] {
  return listHrefs(manifest).filter((href) => !isUrl(href));
}

/** The S3 objects in a manifest, which a predicting function needs permission to read. */
export function listS3Objects(manifest: Named): readonly S3Object[] {
  return listHrefs(manifest).flatMap((href) => parseS3Url(href) ?? []);
}
