import { loadPack, type Pack } from '#engine/model/pack/pack.ts';
import { withRemoteSources } from '#engine/model/pack/pack-files.ts';
import { packFolder } from '#engine/model/pack/pack-folder.ts';
import { remoteSources } from '../remote-sources.ts';

/** Opens the pack in a folder, with remote covariates read with the credentials of the caller. */
export function openedPack(folder: string): Promise<Pack> {
  return loadPack(withRemoteSources(packFolder(folder), remoteSources()));
}
