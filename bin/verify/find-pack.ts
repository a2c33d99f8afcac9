import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pack } from '#engine/model/pack/pack.ts';
import { MANIFEST_FILE } from '#engine/model/pack/pack-files.ts';
import { messageOf } from '../../engine/errors/message-of.ts';
import { CommandError } from '../operator/command.ts';
import { openPack } from '../packs/remote-sources.ts';

const MODELS = fileURLToPath(new URL('../../models', import.meta.url));

/**
 * Opens the model pack in the given folder or, if no folder is given, in the folder of `models` that contains the pack.
 * @param ref `id@version`
 * @throws CommandError
 */
export async function findPack(ref: string, folder: string | null): Promise<Pack> {
  const pack = await openFolder(folder ?? findFolder(ref));
  if (pack.ref === ref) return pack;
  throw new CommandError(
    `the result was predicted by the model ${ref}, but ${folder} contains ${pack.ref}`,
  );
}

async function openFolder(folder: string): Promise<Pack> {
  try {
    return await openPack(folder);
  } catch (error) {
    throw new CommandError(`${folder}: ${messageOf(error)}`);
  }
}

function findFolder(ref: string): string {
  const folders = readdirSync(MODELS).map((name) => join(MODELS, name));
  const packs = folders.filter((folder) => existsSync(join(folder, MANIFEST_FILE)));
  const found = packs.find((folder) => readRef(folder) === ref);
  if (found !== undefined) return found;
  const others = packs.map(readRef).join(', ');
  throw new CommandError(
    `models/ has no model ${ref}, only ${others}; name its folder with --pack`,
  );
}

function readRef(folder: string): string {
  const { id, version } = Object(JSON.parse(readFileSync(join(folder, MANIFEST_FILE), 'utf8')));
  return `${id}@${version}`;
}
