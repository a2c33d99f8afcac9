import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const service = inject('service');

/** Less than the test's timeout. */
const CHILD_MS = 800_000;

/** Runs examples of pages, in order, in a folder like a clone in which `npm start` runs. @returns the folder */
async function runExamples(pages: readonly string[], content = ''): Promise<string> {
  const clone = mkdtempSync(join(tmpdir(), 'soil-batch-examples-'));
  cpSync('examples', join(clone, 'examples'), { recursive: true });
  // `npm start` writes this file too.
  mkdirSync(join(clone, '.local'));
  const variables = `export V2_URL='${service.v2_url}' API_KEY='${service.api_key}'\n`;
  writeFileSync(join(clone, '.local', 'service.env'), variables);
  const text = pages.map((page) => readFileSync(page, 'utf8')).join('\n');
  const blocks = [...text.matchAll(/^```bash example\n([\s\S]*?)^```$/gm)];
  const examples = blocks.filter(([block]) => block.includes(content));
  const script = ['set -euo pipefail', ...examples.map(([, example]) => example)].join('\n');
  const { PATH } = process.env;
  await promisify(execFile)('bash', ['-c', script], {
    cwd: clone,
    env: { PATH: `${resolve('.local/venv/bin')}:${PATH}`, HOME: clone },
    timeout: CHILD_MS,
  });
  return clone;
}

it('the documented examples of the command run unchanged and produce a raster of each field, a table and a style', async () => {
  const clone = await runExamples(['README.md', 'python/README.md'], 'soil-batch run');
  const names = readdirSync(join(clone, 'fields_2021'));
  expect(names.filter((name) => name.endsWith('.tif'))).toHaveLength(8);
  expect(names).toEqual(expect.arrayContaining(['results.csv', 'results.gpkg']));
  expect(names.filter((name) => name.endsWith('.vrt'))).toHaveLength(1);
  // There is a style for each raster, and one for all together.
  expect(names.filter((name) => name.endsWith('.qml'))).toHaveLength(9);
  const elsewhere = readdirSync(join(clone, 'iowa_2021'));
  expect(elsewhere.filter((name) => name.endsWith('.tif'))).toHaveLength(1);
});

it('the examples of docs/api.md run unchanged, from the creation of a batch to a downloaded raster', async () => {
  const clone = await runExamples(['docs/api.md']);
  const [raster = ''] = readdirSync(clone).filter((name) => name.endsWith('.tif'));
  expect(readFileSync(join(clone, raster)).subarray(0, 2).toString()).toBe('II');
});
