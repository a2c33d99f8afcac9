import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Import {
  readonly file: string;
  /** A path in the project, or a package's name. */
  readonly target: string;
}

/** What the files of a folder import, statically or when they run. */
export function importsWithin(folder: string): readonly Import[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name))
    .flatMap((name) => importsOf(join(folder, name)));
}

function importsOf(file: string): readonly Import[] {
  const found = readFileSync(file, 'utf8').matchAll(
    /(?:\bfrom|\bimport|\.resolve)\s*\(?\s*'([@.\w][^'\s]*)'/g,
  );
  return [...found].map(([, name = '']) => ({
    file,
    target: name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
  }));
}
