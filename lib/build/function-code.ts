import { readdirSync, readFileSync } from 'node:fs';
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
import { ONNX_RUNTIME } from './onnx-runtime.ts';

const LAMBDAS = join(ROOT, 'lambdas');
const CACHE_FILE = join(BUILD_FOLDER, 'functions.json');

export const BUNDLING = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  format: 'esm',
  // The `target` of tsconfig. Newer syntax would not run on every supported Node.js version.
  target: 'es2023',
  mainFields: ['module', 'main'],
  minify: true,
  external: [ONNX_RUNTIME],
  // Parts of the SDK are CommonJS and call `require`, which ES modules lack.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;

export type FunctionCode = FilesByName;

type Functions = Readonly<Record<string, FunctionCode>>;

let deployed: readonly string[] | undefined;
const memo = new Map<string, Functions>();

/**
 * Returns the bundled code of a handler. One esbuild call builds all functions under `lambdas/`, because separate calls
 * would each parse the SDK.
 * @param handler path under `lambdas/` without extension; a handler outside that folder is built separately
 */
export function readFunctionCode(handler: string): FunctionCode {
  deployed ??= listDeployedHandlers();
  const isDeployed = deployed.includes(handler);
  const slot = isDeployed ? 'deployed' : handler;
  const functions =
    memo.get(slot) ?? (isDeployed ? buildFunctions(deployed) : bundleHandlers([handler])).output;
  memo.set(slot, functions);
  const code = functions[handler];
  if (code === undefined) throw new Error(`esbuild wrote no files for lambdas/${handler}.ts`);
  return code;
}

export function buildFunctions(
  handlers: readonly string[],
  cacheFile: string = CACHE_FILE,
): Built<Functions> {
  return buildOnce(
    cacheFile,
    () => bundleHandlers(handlers),
    (functions) => handlers.every((handler) => handler in functions),
  );
}

/** Lists every file under `lambdas/` that exports a handler, without its extension. */
export function listDeployedHandlers(): readonly string[] {
  return readdirSync(LAMBDAS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) =>
      /^export (const|async function|function) handler\b/m.test(
        readFileSync(join(LAMBDAS, file), 'utf8'),
      ),
    )
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
}

function bundleHandlers(handlers: readonly string[]): Built<Functions> {
  const options: BuildOptions = {
    ...BUNDLING,
    entryPoints: handlers.map((handler, i) => ({
      in: `lambdas/${handler}.ts`,
      out: `${i}/index`,
    })),
    outExtension: { '.js': '.mjs' },
    sourcemap: true,
    sourcesContent: false,
  };
  return runEsbuild(options, ['lib/build/function-code.ts'], (folder) =>
    Object.fromEntries(
      handlers.map((handler, i) => [handler, readFolder(join(folder, String(i)))]),
    ),
  );
}
