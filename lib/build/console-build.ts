import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';
import {
  BUILD_FOLDER,
  type Built,
  buildOnce,
  type FilesByName,
  ROOT,
  readFolder,
  runEsbuild,
} from './build-cache.ts';
import { collectLicences } from './licences.ts';

const CACHE_FILE = join(BUILD_FOLDER, 'console.json');

/** Every name contains a hash, so that browsers may keep a file for a year. */
const BUNDLING = {
  absWorkingDir: ROOT,
  entryPoints: { app: 'console/app.ts', reader: 'console/reader-worker.ts' },
  bundle: true,
  platform: 'browser',
  format: 'esm',
  // This sets only the syntax; docs/console.md names the browsers that have the APIs which the console calls.
  target: 'es2022',
  // Code that a page needs later, such as the raster reader, is loaded on demand.
  splitting: true,
  // This build of sql.js includes its WebAssembly, so that nothing else is requested.
  alias: { 'sql.js': 'sql.js/dist/sql-wasm-inline.js' },
  minify: true,
  entryNames: '[name]-[hash]',
  // Only code paths for Node import these modules.
  external: ['node:crypto', 'node:fs'],
  chunkNames: '[name]-[hash]',
  // A module that is imported only for its side effects must be listed in package.json's `sideEffects`. Otherwise
  // esbuild would leave it out, so the build fails.
  logOverride: { 'ignored-bare-import': 'error' },
} as const satisfies BuildOptions;

const INPUTS = ['console/tsconfig.json', 'lib/build/console-build.ts', 'lib/build/licences.ts'];

export function buildConsole(): Built<FilesByName> {
  return buildOnce(CACHE_FILE, () =>
    runEsbuild(BUNDLING, INPUTS, (folder, packages) => ({
      ...readFolder(folder),
      ...collectLicences(packages),
    })),
  );
}
