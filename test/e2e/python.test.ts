import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import * as z from 'zod';

const service = inject('service');

/** For a child that never ends, within the test's timeout. */
const CHILD_MS = 800_000;

const notebook = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      outputs: z.optional(
        z.array(
          z.object({
            text: z.optional(z.array(z.string())),
            data: z.optional(z.record(z.string(), z.union([z.string(), z.array(z.string())]))),
          }),
        ),
      ),
    }),
  ),
});

/** The table of each cell that shows one, and the media types of all outputs. */
function outputsOf(file: string) {
  const { cells } = notebook.parse(JSON.parse(readFileSync(file, 'utf8')));
  const outputs = cells.flatMap((cell) => cell.outputs ?? []);
  const tables = outputs.flatMap(({ data }) => data?.['text/plain'] ?? []);
  const printed = outputs.flatMap(({ text }) => text ?? []);
  return {
    tables: tables.filter((line) => /\d\.\d/.test(line)),
    totals: printed.filter((line) => line.includes(' mean ')),
    kinds: outputs.flatMap(({ data }) => Object.keys(data ?? {})),
  };
}

it('the notebook gives the maps and numbers that are stored in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'soil-batch-notebook-'));
  for (const name of ['fields.gpkg', 'fields.ipynb'])
    cpSync(join('examples', name), join(folder, name));
  const python = resolve('.local/venv/bin/python');
  const run = [
    'import nbformat, nbclient',
    'notebook = nbformat.read("fields.ipynb", 4)',
    'nbclient.NotebookClient(notebook, timeout=None, kernel_name="python3").execute()',
    'nbformat.write(notebook, "run.ipynb")',
  ];
  const { PATH } = process.env;
  await promisify(execFile)(python, ['-c', run.join('\n')], {
    cwd: folder,
    env: { PATH, HOME: folder, SOIL_BASE_URL: service.v2_url, SOIL_API_KEY: service.api_key },
    timeout: CHILD_MS,
  });
  expect(outputsOf(join(folder, 'run.ipynb'))).toEqual(outputsOf('examples/fields.ipynb'));
  const maps = readdirSync(join(folder, 'fields_2021')).filter((name) => name.endsWith('.tif'));
  expect(maps).toHaveLength(8);
});

it('the README’s examples of the command run unchanged and end with a raster of each field, a table and a style', async () => {
  const clone = mkdtempSync(join(tmpdir(), 'soil-batch-readme-'));
  cpSync('examples', join(clone, 'examples'), { recursive: true });
  // `npm start` writes the same.
  mkdirSync(join(clone, '.local'));
  const variables = `export V2_URL='${service.v2_url}' API_KEY='${service.api_key}'\n`;
  writeFileSync(join(clone, '.local', 'service.env'), variables);
  const readme = readFileSync('README.md', 'utf8');
  const blocks = [...readme.matchAll(/^```bash example\n([\s\S]*?)^```$/gm)];
  const examples = blocks.filter(([block]) => block.includes('soil-batch run'));
  const { PATH } = process.env;
  const script = ['set -euo pipefail', ...examples.map(([, example]) => example)].join('\n');
  await promisify(execFile)('bash', ['-c', script], {
    cwd: clone,
    env: { PATH: `${resolve('.local/venv/bin')}:${PATH}`, HOME: clone },
    timeout: CHILD_MS,
  });
  const names = readdirSync(join(clone, 'fields_2021'));
  expect(names.filter((name) => name.endsWith('.tif'))).toHaveLength(8);
  expect(names).toEqual(expect.arrayContaining(['results.csv', 'results.gpkg']));
  expect(names.filter((name) => /\.(vrt|qml)$/.test(name))).toHaveLength(2);
  const elsewhere = readdirSync(join(clone, 'iowa_2021'));
  expect(elsewhere.filter((name) => name.endsWith('.tif'))).toHaveLength(1);
});
