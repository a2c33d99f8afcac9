import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CommandError } from '../operator/command.ts';

const packed = z.tuple([
  z.object({
    name: z.string(),
    filename: z.string(),
    files: z.array(z.object({ path: z.string() })),
  }),
]);

/**
 * Compiles the client and packs it as `npm publish` would upload it. `npm pack` alone packs no code, because `.npmrc`
 * prevents it from running `prepack`.
 * @returns the path of the archive
 */
export function packInto(folder: string): string {
  mkdirSync(folder, { recursive: true });
  runNpm('run', 'prepack', '--workspace', 'client');
  const report = runNpm('pack', '--json', '--pack-destination', folder, '--workspace', 'client');
  const [{ name, filename, files }] = packed.parse(JSON.parse(report));
  const paths = files.map(({ path }) => path);
  const missing = listEntryPoints('client/package.json').filter((path) => !paths.includes(path));
  if (missing.length > 0)
    throw new CommandError(`the package ${name} does not contain ${missing.join(', ')}`, 1);
  return join(folder, filename);
}

function listEntryPoints(file: string): readonly string[] {
  const { exports = {} } = JSON.parse(readFileSync(file, 'utf8'));
  const paths: string[] = [];
  JSON.stringify(exports, (_, value) => {
    if (typeof value === 'string') paths.push(value.replace(/^\.\//, ''));
    return value;
  });
  return paths;
}

function runNpm(...command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', command, { encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new CommandError(`npm ${command.join(' ')} failed:\n${stdout}${stderr}`, 1);
}
