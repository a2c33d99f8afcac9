import { loadPack, type Pack } from '../../lambdas/model/pack/pack.ts';
import { withAddresses } from '../../lambdas/model/pack/pack-addresses.ts';
import { packFolder } from '../../lambdas/model/pack/pack-folder.ts';
import { covariateAddresses } from '../covariate-addresses.ts';

/** The pack in a folder, its covariates at addresses as whoever calls can read them. */
export function openedPack(folder: string): Promise<Pack> {
  return loadPack(withAddresses(packFolder(folder), covariateAddresses()));
}
