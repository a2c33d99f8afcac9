import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fromFile } from 'geotiff';
import { describe, expect, inject, it } from 'vitest';
import { shellVariables } from '../../local/service-file.ts';

const service = inject('service');
const readme = readFileSync('README.md', 'utf8');
const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts;

const blocks = (info: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${info}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((m) => m[1]);

describe('the README', () => {
  it('has an example that runs unchanged and ends with a raster', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'readme-'));
    mkdirSync(join(folder, '.local'));
    writeFileSync(join(folder, '.local', 'service.env'), shellVariables(service));
    cpSync('examples', join(folder, 'examples'), { recursive: true });
    const [example, ...more] = blocks('bash example');
    expect(more).toEqual([]);
    const script = `set -euo pipefail\n${example}`;
    await promisify(execFile)('bash', ['-c', script], { cwd: folder, timeout: 120_000 });
    const image = await (await fromFile(join(folder, '.local', 'map.tif'))).getImage();
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
