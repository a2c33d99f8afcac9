import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { BUNDLING } from '../lib/build/function-code.ts';

/** The last line that a measured program prints: its own use of resources, without child processes. */
export interface Measured {
  readonly wall_s: number;
  readonly cpu_s: number;
  readonly peak_mib: number;
}

const ROOT = join(import.meta.dirname, '..');

export function runPython<T>(program: string, ...args: readonly (string | number)[]): T {
  const interpreter = join(ROOT, '.local/venv/bin/python');
  return runForLastLine(interpreter, join(import.meta.dirname, program), ...args);
}

/** @returns the bundle's path */
export function bundleProgram(program: string): string {
  const outfile = join(mkdtempSync(join(tmpdir(), 'bench-')), 'program.mjs');
  buildSync({
    ...BUNDLING,
    entryPoints: [join(import.meta.dirname, program)],
    outfile,
  });
  return outfile;
}

export function runNode<T>(bundle: string, ...args: readonly (string | number)[]): T {
  return runForLastLine(process.execPath, '--expose-gc', bundle, ...args);
}

/** Parses the last line that the command prints. */
export function runForLastLine<T>(command: string, ...args: readonly (string | number)[]): T {
  const printed = execFileSync(command, args.map(String), { encoding: 'utf8', cwd: ROOT });
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as T;
}

/** Returns the minimum of each value, because noise only adds. */
export function chooseBest(runs: readonly Measured[]): Measured {
  const least = (field: keyof Measured): number => Math.min(...runs.map((run) => run[field]));
  return { wall_s: least('wall_s'), cpu_s: least('cpu_s'), peak_mib: least('peak_mib') };
}

export const formatRatio = (ours: number, theirs: number): string => (ours / theirs).toFixed(2);
