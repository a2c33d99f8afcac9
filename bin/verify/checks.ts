import type { CovariateFile } from '#engine/model/covariates/covariate-files.ts';
import { MANIFEST_FILE, type PackDigests } from '#engine/model/pack/digests.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { hrefsOf } from '#engine/model/pack/periods.ts';
import { type Provenance, polygonDigest } from '../../lambdas/domain/job/finishing/provenance.ts';
import type { Item } from './item.ts';
import type { StoredRaster } from './stored-raster.ts';

/** One thing that was compared, other than cells. */
export interface Check {
  readonly what: string;
  readonly state: 'same' | 'changed' | 'not_compared';
  readonly detail: string | null;
}

/** Whether the Item and the raster belong together, and the Item's polygon is the one it was made with. */
export function checksOfItem(
  item: Item,
  raster: Pick<StoredRaster, 'bytes' | 'tags'>,
  made: Partial<Provenance>,
): readonly Check[] {
  const { digests, geometry, bytes, jobId } = item;
  return [
    compared('job of the raster', jobId, raster.tags['JOB_ID']),
    compared('size of the raster', bytes, raster.bytes),
    compared('polygon', digests.geometry, polygonDigest(geometry)),
    compared('polygon as sent', made.polygon, digests.polygon),
  ];
}

/**
 * Whether a pack's files are those of the prediction.
 * @param made as the raster tells
 * @param found in the folder of the pack, and at its URLs
 */
export function checksOfPack(
  pack: Pick<Pack, 'manifest'>,
  item: Item,
  made: Partial<Provenance>,
  found: Omit<Provenance, 'polygon' | 'version'>,
): readonly Check[] {
  const { manifest } = pack;
  const { pack: used, covariateFiles: usedFiles = [] } = made;
  if (used === undefined) {
    const detail = 'the raster has no digests of the model';
    return [{ what: 'model', state: 'not_compared', detail }];
  }
  const files = [...new Set([...Object.keys(used), ...Object.keys(found.pack)])];
  return [
    itemCheck(item.digests.model, used),
    ...files.map((href) => fileCheck(labelOf(manifest, href), used[href], found.pack[href])),
    ...found.covariateFiles.map((file) =>
      compared(
        `covariate ${file.covariate} (at a URL)`,
        versionText(usedFiles.find(({ covariate }) => covariate === file.covariate)),
        versionText(file),
      ),
    ),
  ];
}

function versionText(file: CovariateFile | undefined): string | undefined {
  return file && `${file.size} bytes, ETag ${file.etag ?? 'none'}`;
}

function compared(
  what: string,
  expected: string | number | undefined,
  found: string | number | undefined,
): Check {
  if (expected === undefined || found === undefined) {
    return { what, state: 'not_compared', detail: 'the result does not have it' };
  }
  if (expected === found) return { what, state: 'same', detail: null };
  return { what, state: 'changed', detail: `${found} instead of ${expected}` };
}

function fileCheck(what: string, used: string | undefined, found: string | undefined): Check {
  if (used === undefined) {
    return { what, state: 'changed', detail: 'the prediction did not have this file' };
  }
  if (found === undefined) return { what, state: 'changed', detail: 'not in the model pack' };
  return compared(what, `SHA-256 ${used}`, `SHA-256 ${found}`);
}

function labelOf({ graph, covariates }: Manifest, href: string): string {
  if (href === MANIFEST_FILE) return 'manifest';
  if (href === graph?.href) return `graph ${href}`;
  const names = covariates.flatMap((covariate) =>
    covariate.kind === 'raster' && hrefsOf(covariate).includes(href) ? [covariate.name] : [],
  );
  return names.length === 0 ? `file ${href}` : `covariate ${names.join(', ')} (${href})`;
}

function itemCheck(ofItem: PackDigests | undefined, used: PackDigests): Check {
  const what = 'digests of the model in the Item';
  // The fields of a JSON object have no order.
  const sorted = (digests: PackDigests = {}) => JSON.stringify(Object.entries(digests).sort());
  return sorted(ofItem) === sorted(used)
    ? { what, state: 'same', detail: null }
    : { what, state: 'changed', detail: 'the raster has others' };
}
