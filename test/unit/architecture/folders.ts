import { readdirSync, readFileSync } from 'node:fs';

/** Folders that commands leave behind, such as `cdk.out` or the maps of the README's example. */
const IGNORED = readFileSync('.gitignore', 'utf8')
  .split('\n')
  .map((line) => line.replace(/^\/|\/$/g, ''));

/** Lists a folder's subfolders, except hidden and ignored ones. */
export function listFolders(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .filter((name) => !IGNORED.includes(name));
}
