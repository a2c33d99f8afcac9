import { mapInParallel } from '../../concurrency/in-parallel.ts';
import type { Pack } from '../pack/pack.ts';
import type { FileVersion } from '../pack/pack-files.ts';
import { isUrl } from '../pack/pack-files.ts';
import { chooseHref } from '../pack/periods.ts';
import { CovariateUnavailable, withCovariateName } from './covariate-raster.ts';
import { closeCovariates } from './covariates.ts';

/** The version of a covariate's file at a URL. */
export interface CovariateFile extends FileVersion {
  /** The covariate's name: a URL may contain a signature. */
  readonly covariate: string;
}

const CONCURRENT_REQUESTS = 4;

/** Describes the files of the pack's map at URLs, which have no digests. Throws {@link CovariateUnavailable}. */
export async function listCovariateFiles(pack: Pack): Promise<readonly CovariateFile[]> {
  const remote = pack.manifest.covariates.flatMap((covariate) =>
    covariate.kind === 'raster' && isUrl(chooseHref(covariate, pack))
      ? [{ name: covariate.name, href: chooseHref(covariate, pack) }]
      : [],
  );
  return mapInParallel(remote, CONCURRENT_REQUESTS, ({ name, href }) =>
    withCovariateName(name, async () => {
      const { files } = pack;
      const { size, etag } = (await files.readVersion?.(href)) ?? {
        size: await files.readSize(href),
      };
      return { covariate: name, size, ...(etag === undefined ? {} : { etag }) };
    }),
  );
}

/**
 * Makes the pack read the files of a plan: a raster must not be of two versions. Throws
 * {@link CovariateUnavailable} if one has been replaced since.
 */
export async function requireSameFiles(
  pack: Pack,
  planned: readonly CovariateFile[],
): Promise<void> {
  if ((await findChangedFile(pack, planned)) === undefined) return;
  // The readers may have seen the file before the plan did.
  closeCovariates(pack);
  const changed = await findChangedFile(pack, planned);
  if (changed === undefined) return;
  throw new CovariateUnavailable(changed.covariate, 'its file changed after the job was planned');
}

async function findChangedFile(
  pack: Pack,
  planned: readonly CovariateFile[],
): Promise<CovariateFile | undefined> {
  if (planned.length === 0) return undefined;
  const found = await listCovariateFiles(pack);
  return planned.find((file) => !found.some((other) => isSameFile(file, other)));
}

export function isSameFile(a: CovariateFile, b: CovariateFile): boolean {
  return a.covariate === b.covariate && a.size === b.size && a.etag === b.etag;
}
