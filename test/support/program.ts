import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Below the project, so that programs find its packages. */
const FOLDER = '.local/programs';

/** Modules of the project know where they are, although one file has them all. Texts stay, such as a bundle's banner. */
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
 * A command's entry point, such as `bin/verify.ts`, in JavaScript: a test that starts it as a process saves the
 * one or two seconds of CPU in which tsx compiles it.
 * @returns its path
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
  // Renamed into place: another worker may start the same program.
  const written = `${program}.${process.pid}`;
  writeFileSync(written, outputFiles[0]?.text ?? '');
  renameSync(written, program);
  return program;
}
