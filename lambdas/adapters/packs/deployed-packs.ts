import { join } from 'node:path';
import { type PackCatalogue, packCatalogue } from '../../model/pack/catalogue.ts';
import { loadPack } from '../../model/pack/pack.ts';
import { packFolder } from '../../model/pack/pack-folder.ts';
import type { Environment } from '../environment.ts';

/** The packs in the function's own asset, in the deployment's order; loaded once a container. */
export async function deployedPacks(
  env: Pick<Environment, 'LAMBDA_TASK_ROOT' | 'MODEL_PACKS'>,
): Promise<PackCatalogue> {
  const folders = env.MODEL_PACKS.map((pack) => join(env.LAMBDA_TASK_ROOT, 'models', pack));
  return packCatalogue(await Promise.all(folders.map((folder) => loadPack(packFolder(folder)))));
}
