import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs one of this folder's scripts in the project's Python; gives what it prints as JSON. */
export function runCheck(script: string, args: readonly string[], input = ''): unknown {
  const root = join(import.meta.dirname, '../../..');
  const printed = execFileSync(
    join(root, '.local/venv/bin/python'),
    [join(import.meta.dirname, script), ...args],
    { input, maxBuffer: 1024 ** 3, encoding: 'utf8' },
  );
  return JSON.parse(printed);
}

/** A file for as long as `use` runs. */
export function withFile<T>(bytes: Uint8Array, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'raster-'));
  try {
    const path = join(folder, 'raster.tif');
    writeFileSync(path, bytes);
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
