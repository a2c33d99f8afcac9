import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { fromFile } from 'geotiff';
import { describe, expect, inject, it } from 'vitest';
import type { ServiceDescription } from '../../local/service-file.ts';

const service = inject('service');
const readme = readFileSync('README.md', 'utf8');
const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts;

const blocks = (info: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${info}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((m) => m[1]);

/** A clone in which the service is the one that `npm start` has started, and everything is installed. */
function cloneWith(started: ServiceDescription): string {
  const clone = mkdtempSync(join(tmpdir(), 'readme-'));
  for (const name of ['bin', 'cli', 'client', 'lambdas', 'lib', 'node_modules', 'tsconfig.json']) {
    symlinkSync(resolve(name), join(clone, name));
  }
  for (const name of ['examples', 'local']) cpSync(name, join(clone, name), { recursive: true });
  const [, cli] = String(scripts['cli']).split('node local/setup.mjs cli && ');
  writeFileSync(join(clone, 'package.json'), JSON.stringify({ scripts: { cli }, type: 'module' }));
  mkdirSync(join(clone, '.local'));
  writeFileSync(join(clone, '.local', 'service.json'), JSON.stringify(started));
  return clone;
}

describe('the README', () => {
  it('has an example that runs unchanged and ends with a raster of each field, a table and a style', async () => {
    const clone = cloneWith(service);
    const [example, ...more] = blocks('bash example');
    expect(more).toEqual([]);
    const { PATH, HOME } = process.env;
    await promisify(execFile)('bash', ['-c', `set -euo pipefail\n${example}`], {
      cwd: clone,
      env: { PATH, HOME, XDG_CONFIG_HOME: join(clone, 'config') },
      timeout: 120_000,
    });
    const maps = join(clone, 'fields_2021');
    const names = readdirSync(maps);
    expect(names.filter((name) => name.endsWith('.tif'))).toHaveLength(8);
    expect(names).toEqual(expect.arrayContaining(['results.csv', 'results.gpkg']));
    expect(names.filter((name) => /\.(vrt|qml)$/.test(name))).toHaveLength(2);
    const image = await (await fromFile(join(maps, 'Stein-1_2021.tif'))).getImage();
    expect(image.getSamplesPerPixel()).toBe(3);
  });

  it('names only commands that exist', () => {
    const shown = [...readme.matchAll(/npm (?:run )?(demo|test|start|stop|deploy|keys|\w+)\b/g)];
    expect(shown.length).toBeGreaterThan(3);
    for (const [, name] of shown) expect(scripts).toHaveProperty(String(name));
  });

  it('links only to files that exist', () => {
    const links = [...readme.matchAll(/\]\(((?!https?:)[^)#]+)/g)].map(([, path]) => String(path));
    for (const path of links) expect(() => readFileSync(path)).not.toThrow();
  });
});
