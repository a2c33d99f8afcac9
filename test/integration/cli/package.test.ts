import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import cli from '../../../cli/package.json' with { type: 'json' };

const run = promisify(execFile);

/** In the clone, whose packages are those that the CLI depends on. */
mkdirSync('.local', { recursive: true });
const folder = mkdtempSync(join('.local', 'cli-package-'));
const installed = (name: string) => join(folder, 'node_modules', name);

/** What `prepack` makes; types are checked with those of the whole clone. */
async function compile(source: string, name: string): Promise<void> {
  const target = installed(name);
  mkdirSync(target, { recursive: true });
  cpSync(join(source, 'package.json'), join(target, 'package.json'));
  const project = join(source, 'tsconfig.publish.json');
  await run('node_modules/.bin/tsc', [
    '-p',
    project,
    '--noCheck',
    '--outDir',
    join(target, 'dist'),
  ]);
}

beforeAll(async () => {
  await compile('client', 'soil-batch-client');
  await compile('cli', 'soil-batch-cli');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the published package', () => {
  it('has a command', async () => {
    const main = join(installed('soil-batch-cli'), cli.bin['soil-batch']);
    const { stdout } = await run(process.execPath, [main, '--help']);
    expect(stdout).toContain('Usage: soil-batch');
    const { stdout: version } = await run(process.execPath, [main, '--version']);
    expect(version).toBe(`${cli.version}\n`);
  });

  it('reads fields with GDAL, in a thread of JavaScript that ends', async () => {
    const module = pathToFileURL(join(installed('soil-batch-cli'), 'dist/fields/read-fields.js'));
    const program = `
      const { readFields } = await import('${module}');
      const { crs, features } = await readFields('examples/fields.gpkg');
      console.log(crs.code, features.length);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout.trim()).toBe('EPSG:28992 8');
  });
});
