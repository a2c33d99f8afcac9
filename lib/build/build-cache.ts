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
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const BUILD_FOLDER = join(ROOT, '.local', 'functions');

/**
 * The inputs of every bundle besides the files that esbuild reads. The lock file stands for the packages, and
 * package.json resolves `#engine/…`.
 */
const BUILD_INPUTS = [
  'lib/build/build-cache.ts',
  'node_modules/.package-lock.json',
  'package.json',
  'tsconfig.json',
];

export type FilesByName = Readonly<Record<string, string>>;

export interface Built<Output> {
  /** Digests by path, relative to the project's root. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Folders of the bundled packages, relative to the project's root. */
  readonly packages: readonly string[];
  readonly output: Output;
}

/**
 * Bundles into a temporary folder and returns what `read` finds there.
 * @param inputs files besides those that esbuild reads and those of every bundle
 */
export function runEsbuild<Output>(
  options: BuildOptions,
  inputs: readonly string[],
  read: (folder: string, packages: readonly string[]) => Output,
): Built<Output> {
  // The folder has a constant depth, because source maps contain relative paths and assets are named after their
  // content.
  mkdirSync(BUILD_FOLDER, { recursive: true });
  const outdir = mkdtempSync(join(BUILD_FOLDER, 'building-'));
  const startedAt = Date.now();
  try {
    const { metafile } = buildSync({
      ...options,
      ...{ outdir, metafile: true, logLevel: 'warning' },
    });
    const bundledFiles = listFilesRead(metafile);
    const own = bundledFiles.filter((path) => !path.startsWith('node_modules/'));
    const packages = listPackages(bundledFiles);
    return {
      inputs: Object.fromEntries(
        [...BUILD_INPUTS, ...inputs, ...own].map((path) => [
          path,
          computeDigestAsBuilt(path, startedAt),
        ]),
      ),
      packages,
      output: read(outdir, packages),
    };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/**
 * Lists the files that esbuild read. Inputs that a package's `browser` field leaves out have no file to compare, so
 * they are dropped.
 */
function listFilesRead({ inputs }: Metafile): readonly string[] {
  return Object.keys(inputs).filter((path) => !path.startsWith('(disabled):'));
}

function listPackages(files: readonly string[]): readonly string[] {
  const folders = files.flatMap(
    (path) => /^.*\bnode_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)].sort();
}

export function readFolder(folder: string): FilesByName {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

/**
 * Returns the output of an earlier process. If an input has changed since, or the output is incomplete, builds again.
 * @param isComplete whether an earlier output has everything that this caller needs
 */
export function buildOnce<Output>(
  cacheFile: string,
  build: () => Built<Output>,
  isComplete: (output: Output) => boolean = () => true,
): Built<Output> {
  return readCached(cacheFile, isComplete) ?? saveBuild(build(), cacheFile);
}

function readCached<Output>(
  cacheFile: string,
  isComplete: (output: Output) => boolean,
): Built<Output> | undefined {
  if (!existsSync(cacheFile)) return undefined;
  const built: Built<Output> = JSON.parse(readFileSync(cacheFile, 'utf8'));
  const isCurrent =
    isComplete(built.output) &&
    Object.entries(built.inputs).every(([path, digest]) => computeDigest(path) === digest);
  return isCurrent ? built : undefined;
}

/** Rename into place, so that a process that dies leaves no partial cache. */
function saveBuild<Output>(built: Built<Output>, cacheFile: string): Built<Output> {
  const written = `${cacheFile}.${process.pid}`;
  writeFileSync(written, JSON.stringify(built));
  renameSync(written, cacheFile);
  return built;
}

/** Returns an empty text, which matches no digest, if the file may have changed after esbuild read it. */
function computeDigestAsBuilt(path: string, startedAt: number): string {
  const changedAt = statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? startedAt;
  return changedAt >= startedAt ? '' : (computeDigest(path) ?? '');
}

function computeDigest(path: string): string | undefined {
  const file = join(ROOT, path);
  if (!existsSync(file)) return undefined;
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
