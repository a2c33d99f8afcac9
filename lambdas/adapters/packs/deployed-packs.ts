import { join } from 'node:path';
import { type PackCatalogue, packCatalogue } from '#engine/model/pack/catalogue.ts';
import { loadDeployedPack, type Pack } from '#engine/model/pack/pack.ts';
import { type RemoteSources, withRemoteSources } from '#engine/model/pack/pack-files.ts';
import { packFolder } from '#engine/model/pack/pack-folder.ts';
import type { Variables } from '../environment.ts';

/**
 * The packs in the function's own asset, in the order of the deployment; loaded once per container.
 * @param remote for functions that read covariates; others read only manifests
 */
export async function deployedPacks(
  variables: Pick<Variables, 'LAMBDA_TASK_ROOT' | 'MODEL_PACKS'>,
  remote?: RemoteSources,
): Promise<PackCatalogue> {
  const folders = variables.MODEL_PACKS.map((pack) =>
    packFolder(join(variables.LAMBDA_TASK_ROOT, 'models', pack)),
  );
  return packCatalogue(
    await Promise.all(
      folders.map((folder) =>
        loadDeployedPack(remote === undefined ? folder : withRemoteSources(folder, remote)),
      ),
    ),
  );
}

/** The pack with its files at URLs read from these sources. */
export function withSources(pack: Pack, remote: RemoteSources): Pack {
  return { ...pack, files: withRemoteSources(pack.files, remote) };
}
