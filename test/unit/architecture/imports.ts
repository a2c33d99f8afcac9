import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Import {
  readonly file: string;
  /** A path in the project, or a package's name. */
  readonly target: string;
  /** Names that an import declaration lists, without those imported for their types. */
  readonly values: readonly string[];
  /** Whether nothing remains of it when the file runs. */
  readonly isForTypes: boolean;
}

/** What a file, or the files of a folder, import, statically or when they run. */
export function importsWithin(folder: string): readonly Import[] {
  if (folder.endsWith('.ts')) return importsOf(folder);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name))
    .flatMap((name) => importsOf(join(folder, name)));
}

/** The project's files that run with a file: those that it imports, itself or by others, and the file. */
export function filesBehind(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const imports = importsOf(file).filter(({ isForTypes }) => !isForTypes);
  for (const { target } of imports) if (existsSync(target)) filesBehind(target, found);
  return found;
}

function importsOf(file: string): readonly Import[] {
  const found = readFileSync(file, 'utf8').matchAll(
    /(?:\bimport (type )?\{([^}]*)\} )?(?:\bfrom|\bimport|\.resolve)\s*\(?\s*'([@#.\w][^'\s]*)'/g,
  );
  return [...found].map(([, type, names = '', name = '']) => ({
    file,
    values: type === undefined ? valuesIn(names) : [],
    isForTypes: type !== undefined,
    target: targetOf(file, name),
  }));
}

/** `#engine/…` is this project's, by `imports` in package.json. */
function targetOf(file: string, name: string): string {
  if (name.startsWith('#')) return name.slice(1);
  return name.startsWith('.') ? normalize(join(dirname(file), name)) : name;
}

function valuesIn(names: string): readonly string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}
