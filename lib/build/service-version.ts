import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildTemplates } from '../../lambdas/api/specification/build-templates.ts';
import project from '../../package.json' with { type: 'json' };
import { type FilesByName, ROOT } from './build-cache.ts';
import { buildConsole } from './console-build.ts';
import { listDeployedHandlers, readFunctionCode } from './function-code.ts';
import { ONNX_RUNTIME_FOLDER } from './onnx-runtime.ts';

/** 48 bits are enough that no two builds of a project collide by chance, and few enough for a person to compare. */
const HASH_DIGITS = 12;

/**
 * Computes the version of a deployment: `0.3.0` if built from a release, or `0.3.0-dev+<hash>` if built from a commit
 * between releases, with the hash of what this clone deploys. (The digests of a model pack are in the raster tag
 * `PACK_SHA256`.)
 */
export function computeServiceVersion(): string {
  return versionOfCode(project.version, buildDeployedCode);
}

/** @param code called only between releases */
export function versionOfCode(version: string, code: () => FilesByName): string {
  if (!version.endsWith('-dev')) return version;
  const hash = createHash('sha256');
  for (const [name, text] of Object.entries(code()).sort(compareByName)) {
    hash.update(JSON.stringify([name, text]));
  }
  return `${version}+${hash.digest('hex').slice(0, HASH_DIGITS)}`;
}

/** The lock file stands for the native library that is copied next to a bundle. */
export function buildDeployedCode(): FilesByName {
  const functions = listDeployedHandlers().map(
    (handler) => [handler, readHandlerCode(handler)] as const,
  );
  const lock = readFileSync(join(ROOT, ONNX_RUNTIME_FOLDER, 'package-lock.json'), 'utf8');
  return { ...Object.fromEntries(functions), ...buildConsole().output, ...buildTemplates(), lock };
}

/** Reads a handler's code without its source map, which even a changed comment changes. */
function readHandlerCode(handler: string): string {
  const { 'index.mjs': code } = readFunctionCode(handler);
  if (code === undefined) throw new Error(`esbuild wrote no index.mjs for lambdas/${handler}.ts`);
  return code;
}

function compareByName(
  [one]: readonly [string, string],
  [other]: readonly [string, string],
): number {
  return one < other ? -1 : 1;
}
