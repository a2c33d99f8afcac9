import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Import {
  readonly file: string;
  readonly target: string;
  /** Names in an import declaration, without names that are imported only as types. */
  readonly values: readonly string[];
  /** Whether the import disappears at run time. */
  readonly isForTypes: boolean;
}

/** Lists the static and dynamic imports of a file, or of the files in a folder. */
export function listImports(folder: string): readonly Import[] {
  if (folder.endsWith('.ts')) return importsOf(folder);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name))
    .flatMap((name) => importsOf(join(folder, name)));
}

/** Finds the project's files that run with a file: the file itself, and its direct and indirect imports. */
export function findFilesBehind(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const imports = importsOf(file).filter(({ isForTypes }) => !isForTypes);
  for (const { target } of imports) if (existsSync(target)) findFilesBehind(target, found);
  return found;
}

function importsOf(file: string): readonly Import[] {
  const found = readFileSync(file, 'utf8').matchAll(
    /(?:\bimport (type )?\{([^}]*)\} )?(?:\bfrom|\bimport|\.resolve)\s*\(?\s*'([@#.\w][^'\s]*)'/g,
  );
  return [...found].map(([, type, names = '', name = '']) => ({
    file,
    values: type === undefined ? listValueImports(names) : [],
    isForTypes: type !== undefined,
    target: targetOf(file, name),
  }));
}

/** `#engine/…` is a path in this project (`imports` in package.json). */
function targetOf(file: string, name: string): string {
  if (name.startsWith('#')) return name.slice(1);
  return name.startsWith('.') ? normalize(join(dirname(file), name)) : name;
}

function listValueImports(names: string): readonly string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}
