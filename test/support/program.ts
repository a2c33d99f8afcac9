import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Below the project, so that programs find its packages. */
const FOLDER = '.local/programs';

/** Modules of the project know where they are, although one file has them all. */
const OWN_PLACES: Plugin = {
  name: 'own places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll(/import\.meta\.url(?!')/g, JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
      loader: 'ts',
    })),
};

const built = new Map<string, Promise<string>>();

/**
 * A command's entry point, such as `bin/verify.ts`, in JavaScript: a test that starts it as a process saves the
 * one or two seconds of CPU in which tsx compiles it.
 * @returns its path; the file is deleted when this process ends
 */
export function programOf(entry: string): Promise<string> {
  const program = built.get(entry) ?? bundled(entry);
  built.set(entry, program);
  return program;
}

async function bundled(entry: string): Promise<string> {
  mkdirSync(FOLDER, { recursive: true });
  const outdir = mkdtempSync(join(FOLDER, 'built-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: [entry],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    plugins: [OWN_PLACES],
  });
  return resolve(outdir, `${basename(entry, '.ts')}.mjs`);
}
