import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import { MANIFEST_FILE } from '#engine/model/pack/pack-files.ts';
import { openPackFolder } from '#engine/model/pack/pack-folder.ts';
import { freezeManifest } from '../../bin/packs/freeze.ts';
import { PROJECT_FOLDER } from '../paths.ts';

const HOST = 'https://s3.opengeohub.org/';

export interface MirroredPack {
  readonly pack: string;
  /** The first years of the periods that the mirror has; the manifest loses the other periods. @default all */
  readonly from?: readonly number[];
  readonly changes?: Readonly<Record<string, unknown>>;
  /** The nodata value stated in the manifest, for files that do not state it. */
  readonly nodata?: number;
}

/**
 * Returns the manifest's fields that describe values, which replace those of the real map because the mirror's values
 * are synthetic.
 */
function describeSyntheticValues({ title, property }: Pick<Manifest, 'title' | 'property'>) {
  return {
    version: '0.0.0',
    title: `SYNTHETIC VALUES, not OpenLandMap's (${title})`,
    // Tables, reports and legends show this name.
    property: { ...property, name: `SYNTHETIC ${property.name}` },
    accuracy: [],
    licenses: [
      {
        part: 'map',
        license: 'Apache-2.0',
        citation: 'SYNTHETIC values made by local/mirror/make.py, which say nothing about any soil',
      },
    ],
  };
}

/** @returns the pack's folder */
export async function writeMirroredPack(
  { pack, from, changes, nodata }: MirroredPack,
  mirror: { readonly folder: string; readonly origin: string },
  packs: string,
): Promise<string> {
  const source = readFileSync(join(PROJECT_FOLDER, 'models', pack, MANIFEST_FILE), 'utf8');
  // An operator may have frozen the pack for the real files, so grid and coverage are removed.
  const { grid: _, coverage: __, ...published } = JSON.parse(source.replaceAll(HOST, ''));
  const manifest = { ...published, ...describeSyntheticValues(published), ...changes };
  const isKept = (years: string): boolean => from?.includes(Number(years.slice(0, 4))) ?? true;
  manifest.temporal.periods = manifest.temporal.periods.filter(
    ({ years }: { years: readonly number[] }) => isKept(String(years[0])),
  );
  for (const covariate of manifest.covariates) {
    const files = Object.entries(covariate.href).filter(([years]) => isKept(years));
    covariate.href = Object.fromEntries(files);
    // This is the nodata value of the files that were made here, not of the published files.
    covariate.nodata = nodata;
  }
  const frozen = await freezeManifest(manifest, openPackFolder(mirror.folder));
  const text = JSON.stringify(frozen.manifest, null, 2).replaceAll(
    '"global-soil/',
    `"${mirror.origin}/global-soil/`,
  );
  const folder = join(packs, pack);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, MANIFEST_FILE), `${text}\n`);
  return folder;
}
