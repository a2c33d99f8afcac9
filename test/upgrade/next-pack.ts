import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../local/paths.ts';

/** From the clone's root, as the configuration names it. */
export const NEXT_PACKS = '.local/upgrade/packs';
export const PACK = 'meuse-soc';

/**
 * The default pack under its next version. A function that was deployed with it does not know the
 * version before, and the functions before do not know it.
 */
export function makeNextPack(): void {
  const folder = join(PROJECT_FOLDER, NEXT_PACKS, PACK);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(PROJECT_FOLDER, 'models', PACK), folder, { recursive: true });
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...manifest, version: '2.0.0' }));
}
