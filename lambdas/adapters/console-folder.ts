import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { memoize } from './memoized.ts';

/** A request names a file, never a path, and only listed names are read. */
export function consoleFolder(folder: string) {
  const names = memoize(() => readdir(folder));
  return {
    entry: async () => findEntryFiles(await names()),
    read: async (name: string) =>
      (await names()).includes(name) ? readFile(join(folder, name), 'utf8') : undefined,
  };
}

/** Finds the files that the page links to. */
export function findEntryFiles(names: readonly string[]) {
  return {
    script: findName(names, /^app-\w+\.js$/),
    style: findName(names, /^app-\w+\.css$/),
    reader: findName(names, /^reader-\w+\.js$/),
    licences: findName(names, /^licences-\w+\.txt$/),
  };
}

function findName(names: readonly string[], pattern: RegExp): string {
  const found = names.find((name) => pattern.test(name));
  if (found === undefined) throw new Error(`the console has no file that matches ${pattern}`);
  return found;
}
