import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { memoized } from './memoized.ts';

/** The console in the function's own asset. A request names a file, never a path: only listed names are read. */
export function consoleFolder(folder: string) {
  const names = memoized(() => readdir(folder));
  return {
    entry: async () => entryOf(await names()),
    read: async (name: string) =>
      (await names()).includes(name) ? readFile(join(folder, name), 'utf8') : undefined,
  };
}

/** The files that the page names; they load every other file. */
export function entryOf(names: readonly string[]) {
  return {
    script: named(names, /^app-\w+\.js$/),
    style: named(names, /^app-\w+\.css$/),
    reader: named(names, /^reader-\w+\.js$/),
    licences: named(names, /^licences-\w+\.txt$/),
  };
}

function named(names: readonly string[], pattern: RegExp): string {
  const found = names.find((name) => pattern.test(name));
  if (found === undefined) throw new Error(`the console has no file ${pattern}`);
  return found;
}
