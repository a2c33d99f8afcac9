import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packFolder } from '#engine/model/pack/pack-folder.ts';
import { freeze } from '../../bin/packs/freeze.ts';
import { PROJECT_FOLDER } from '../paths.ts';

const HOST = 'https://s3.opengeohub.org/';

/** What a mirror has of the layers; a manifest loses the other periods. */
export interface MirroredPack {
  /** The name of a folder in `models` whose pack is unfrozen. */
  readonly pack: string;
  /** The first years of its periods. @default all */
  readonly from?: readonly number[];
}

/** Writes the pack, frozen, with the addresses of a mirror. @returns its folder */
export async function mirroredPack(
  { pack, from }: MirroredPack,
  mirror: { readonly folder: string; readonly origin: string },
  packs: string,
): Promise<string> {
  const source = readFileSync(join(PROJECT_FOLDER, 'models', pack, 'manifest.json'), 'utf8');
  const manifest = JSON.parse(source.replaceAll(HOST, ''));
  const isKept = (years: string): boolean => from?.includes(Number(years.slice(0, 4))) ?? true;
  manifest.temporal.periods = manifest.temporal.periods.filter(
    ({ years }: { years: readonly number[] }) => isKept(String(years[0])),
  );
  for (const covariate of manifest.covariates) {
    const files = Object.entries(covariate.href).filter(([years]) => isKept(years));
    covariate.href = Object.fromEntries(files);
  }
  const frozen = await freeze(manifest, packFolder(mirror.folder));
  const text = JSON.stringify(frozen.manifest, null, 2).replaceAll(
    '"global-soil/',
    `"${mirror.origin}/global-soil/`,
  );
  const folder = join(packs, pack);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'manifest.json'), `${text}\n`);
  return folder;
}
