import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** The folder is inside the project, so that programs find the project's packages. */
const FOLDER = '.local/programs';

/**
 * Modules find their own location, although they are bundled into one file. Texts such as a bundle's banner stay the
 * same.
 */
const OWN_PLACES: Plugin = {
  name: 'own places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll(/import\.meta\.url(?!'|\);")/g, JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
      loader: 'ts',
    })),
};

const built = new Map<string, Promise<string>>();

/**
 * Compiles a command's entry point, such as `bin/verify.ts`, to JavaScript, so that a test that
 * starts it as a process saves the time that tsx takes to compile it.
 * @returns the program's path
 */
export function obtainProgram(entry: string): Promise<string> {
  const program = built.get(entry) ?? bundleProgram(entry);
  built.set(entry, program);
  return program;
}

async function bundleProgram(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    plugins: [OWN_PLACES],
  });
  mkdirSync(FOLDER, { recursive: true });
  const program = resolve(FOLDER, `${entry.replaceAll('/', '-').replace(/\.ts$/, '')}.mjs`);
  // The program is renamed into place, because another worker may start the same program.
  const written = `${program}.${process.pid}`;
  writeFileSync(written, outputFiles[0]?.text ?? '');
  renameSync(written, program);
  return program;
}
