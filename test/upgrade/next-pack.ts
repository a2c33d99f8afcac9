import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../local/paths.ts';

/** Relative to the project's root, as in the configuration. */
export const NEXT_PACKS = '.local/upgrade/packs';
export const PACK = 'meuse-soc';

/** Functions deployed with this pack lack its previous version, and the previous functions lack this version. */
export function makeNextPack(): void {
  const folder = join(PROJECT_FOLDER, NEXT_PACKS, PACK);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(PROJECT_FOLDER, 'models', PACK), folder, { recursive: true });
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...manifest, version: '2.0.0' }));
}
