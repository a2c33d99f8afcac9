import { mapInParallel } from '../../concurrency/in-parallel.ts';
import type { Pack } from '../pack/pack.ts';
import type { FileVersion } from '../pack/pack-files.ts';
import { isUrl } from '../pack/pack-files.ts';
import { chooseHref } from '../pack/periods.ts';
import { CovariateUnavailable, withCovariateName } from './covariate-raster.ts';
import { closeCovariates } from './covariates.ts';

export interface CovariateFile extends FileVersion {
  /** The covariate's name, not the file's URL, which may contain a signature. */
  readonly covariate: string;
}

const CONCURRENT_REQUESTS = 4;

/**
 * Lists the versions of the files that the pack's map reads from URLs; such files have no digests.
 * @throws CovariateUnavailable
 */
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
 * Makes the pack read the same files as the plan, so that a result does not mix two versions of a
 * covariate.
 * @throws CovariateUnavailable if a file has been replaced since the job was planned
 */
export async function requireSameFiles(
  pack: Pack,
  planned: readonly CovariateFile[],
): Promise<void> {
  if ((await findChangedFile(pack, planned)) === undefined) return;
  // The cached versions may be older than those of the plan.
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
