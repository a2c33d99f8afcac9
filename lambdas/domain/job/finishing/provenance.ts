import type { CovariateFile } from '#engine/model/covariates/covariate-files.ts';
import {
  formatDigests,
  type PackDigests,
  parseDigests,
  sha256,
} from '#engine/model/pack/digests.ts';

export interface Provenance {
  readonly pack: PackDigests;
  /** The covariates that the model reads from URLs, which have no digest. */
  readonly covariateFiles: readonly CovariateFile[];
  /** The {@link polygonDigest} of the polygon as sent. */
  readonly polygon: string;
  readonly version: string;
}

export type RasterTags = Readonly<Record<string, string>>;

const SERVICE = 'soil-batch';

export function provenanceTags(made: Provenance): RasterTags {
  const { pack, covariateFiles, polygon, version } = made;
  return {
    POLYGON_SHA256: polygon,
    PACK_SHA256: formatDigests(pack).trimEnd(),
    ...(covariateFiles.length === 0 ? {} : { COVARIATE_FILES: filesText(covariateFiles) }),
    SOFTWARE: `${SERVICE} ${version}`,
  };
}

/** Parses provenance from tags, without the fields whose tags are absent or malformed. */
export function parseProvenance(tags: RasterTags): Partial<Provenance> {
  const { POLYGON_SHA256: polygon, PACK_SHA256: pack, SOFTWARE: software } = tags;
  const covariateFiles = parseCovariateFiles(tags['COVARIATE_FILES']);
  return {
    ...(polygon === undefined ? {} : { polygon }),
    ...(pack === undefined ? {} : { pack: parseDigests(pack) }),
    ...(covariateFiles === null ? {} : { covariateFiles }),
    ...(software?.startsWith(`${SERVICE} `) ? { version: software.slice(SERVICE.length + 1) } : {}),
  };
}

/**
 * Writes one file per line, with its ETag percent-encoded, because readers of GDAL's metadata differ in what they
 * unescape.
 */
function filesText(files: readonly CovariateFile[]): string {
  return files
    .map(({ covariate, size, etag = '' }) => `${covariate} ${size} ${encodeURIComponent(etag)}`)
    .join('\n');
}

/** Ignores lines of any other form; null if none is left. */
function parseCovariateFiles(text: string | undefined): readonly CovariateFile[] | null {
  const lines = [...(text ?? '').matchAll(/^(\S+) (\d+) ((?:[^%\s]|%[0-7][\dA-F])*)$/gm)];
  if (lines.length === 0) return null;
  return lines.map(([, covariate = '', size, etag = '']) => ({
    covariate,
    size: Number(size),
    ...(etag === '' ? {} : { etag: decodeURIComponent(etag) }),
  }));
}

/**
 * Returns the SHA-256, in lower-case hex, of a polygon as JSON without white space, with its fields in the order sent.
 */
export function polygonDigest(polygon: unknown): string {
  return sha256(JSON.stringify(polygon));
}
