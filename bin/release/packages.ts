import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CommandError } from '../operator/command.ts';

const WORKSPACES = ['client', 'cli'];

const packed = z.array(
  z.object({
    name: z.string(),
    filename: z.string(),
    files: z.array(z.object({ path: z.string() })),
  }),
);

/**
 * Compiles the client and the CLI and packs them, as `npm publish` would upload them.
 * `npm pack` alone packs no code, because `.npmrc` keeps it from running `prepack`.
 * @returns the paths of the archives
 */
export function packInto(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  // The CLI's `prepack` compiles the client too.
  npm('run', 'prepack', '--workspace', 'cli');
  const workspaces = WORKSPACES.flatMap((name) => ['--workspace', name]);
  const report = npm('pack', '--json', '--pack-destination', folder, ...workspaces);
  const archives = packed.parse(JSON.parse(report));
  for (const [index, { name, files }] of archives.entries()) {
    const paths = files.map(({ path }) => path);
    const missing = entryPointsOf(`${WORKSPACES[index]}/package.json`).filter(
      (path) => !paths.includes(path),
    );
    if (missing.length > 0) throw new CommandError(`${name} lacks ${missing.join(', ')}`, 1);
  }
  return archives.map(({ filename }) => join(folder, filename));
}

/** The files that `exports` and `bin` of a package name. */
function entryPointsOf(file: string): readonly string[] {
  const { exports = {}, bin = {} } = JSON.parse(readFileSync(file, 'utf8'));
  const paths: string[] = [];
  JSON.stringify({ exports, bin }, (_, value) => {
    if (typeof value === 'string') paths.push(value.replace(/^\.\//, ''));
    return value;
  });
  return paths;
}

function npm(...command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', command, { encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new CommandError(`npm ${command.join(' ')} failed:\n${stdout}${stderr}`, 1);
}
