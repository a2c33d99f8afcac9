import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';
import { BUNDLE_ALIASES } from './bundle-aliases.ts';
import { ONNX_RUNTIME } from './onnx-runtime.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LAMBDAS = join(ROOT, 'lambdas');
const FOLDER = join(ROOT, '.local', 'functions');
const CACHE_FILE = join(FOLDER, 'built.json');

/** How every function is bundled; also used by the benchmarks. */
export const BUNDLING = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  format: 'esm',
  // The `target` of tsconfig; newer syntax would not run on every supported Node.js.
  target: 'es2023',
  mainFields: ['module', 'main'],
  minify: true,
  external: [ONNX_RUNTIME],
  alias: BUNDLE_ALIASES,
  // Parts of the SDK are CommonJS and call `require`, which ES modules lack.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;

/** Inputs of the bundles besides the files that esbuild reads; the lock file represents the packages. */
const BUILD_INPUTS = [
  'lib/function-code.ts',
  'lib/bundle-aliases.ts',
  'node_modules/.package-lock.json',
  'tsconfig.json',
];

/** A function's files by name: its bundle and the source map. */
export type FunctionCode = Readonly<Record<string, string>>;

interface Built {
  /** Digest by path from the project's root. */
  readonly inputs: Readonly<Record<string, string>>;
  /** By handler. */
  readonly functions: Readonly<Record<string, FunctionCode>>;
}

let deployed: readonly string[] | undefined;
const memo = new Map<string, Built['functions']>();

/**
 * The bundled code of a handler. One esbuild call builds all functions under `lambdas/`: a call each
 * would parse the SDK 30 times. Later processes reuse its result while no input changes.
 *
 * @param handler path under `lambdas/` without extension; a handler outside it is built by itself
 */
export function functionCode(handler: string): FunctionCode {
  deployed ??= deployedHandlers();
  const isDeployed = deployed.includes(handler);
  const slot = isDeployed ? 'deployed' : handler;
  const functions =
    memo.get(slot) ?? (isDeployed ? builtFunctions(deployed) : build([handler]).functions);
  memo.set(slot, functions);
  const code = functions[handler];
  if (code === undefined) throw new Error(`esbuild wrote nothing for lambdas/${handler}.ts`);
  return code;
}

/** The code of these handlers, from the cache if that is current. */
export function builtFunctions(
  handlers: readonly string[],
  cacheFile: string = CACHE_FILE,
): Built['functions'] {
  const { functions } = cached(handlers, cacheFile) ?? save(build(handlers), cacheFile);
  return functions;
}

/** Every file under `lambdas/` that exports a handler, without extension. */
export function deployedHandlers(): readonly string[] {
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

function build(handlers: readonly string[]): Built {
  // A folder of constant depth, because source maps hold relative paths and assets are named by content.
  mkdirSync(FOLDER, { recursive: true });
  const outdir = mkdtempSync(join(FOLDER, 'building-'));
  const startedAt = Date.now();
  try {
    const { metafile } = buildSync({
      ...BUNDLING,
      entryPoints: handlers.map((handler, i) => ({
        in: `lambdas/${handler}.ts`,
        out: `${i}/index`,
      })),
      outdir,
      outExtension: { '.js': '.mjs' },
      sourcemap: true,
      sourcesContent: false,
      metafile: true,
      logLevel: 'warning',
    });
    const own = Object.keys(metafile.inputs).filter((path) => !path.startsWith('node_modules/'));
    return {
      inputs: Object.fromEntries(
        [...BUILD_INPUTS, ...own].map((path) => [path, digestAsBuilt(path, startedAt)]),
      ),
      functions: Object.fromEntries(
        handlers.map((handler, i) => [handler, filesIn(join(outdir, String(i)))]),
      ),
    };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function filesIn(folder: string): FunctionCode {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

/** The result of an earlier process, unless an input has changed since. */
function cached(handlers: readonly string[], cacheFile: string): Built | undefined {
  if (!existsSync(cacheFile)) return undefined;
  const built: Built = JSON.parse(readFileSync(cacheFile, 'utf8'));
  const isCurrent =
    handlers.every((handler) => handler in built.functions) &&
    Object.entries(built.inputs).every(([path, digest]) => digestOf(path) === digest);
  return isCurrent ? built : undefined;
}

/** Renamed into place, so that a process that dies leaves no partial cache. */
function save(built: Built, cacheFile: string): Built {
  const written = `${cacheFile}.${process.pid}`;
  writeFileSync(written, JSON.stringify(built));
  renameSync(written, cacheFile);
  return built;
}

/** A digest that never matches when the file may have changed after esbuild read it. */
function digestAsBuilt(path: string, startedAt: number): string {
  const changedAt = statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? startedAt;
  return changedAt >= startedAt ? '' : (digestOf(path) ?? '');
}

/** Undefined when the file does not exist. */
function digestOf(path: string): string | undefined {
  const file = join(ROOT, path);
  if (!existsSync(file)) return undefined;
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
