import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import * as z from 'zod';

const service = inject('service');

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

function readOutputs(file: string) {
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

it('the notebook produces the maps and numbers that are stored in it', async () => {
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
    // Stops a notebook that never ends, within the test's timeout.
    timeout: 800_000,
  });
  expect(readOutputs(join(folder, 'run.ipynb'))).toEqual(readOutputs('examples/fields.ipynb'));
  const maps = readdirSync(join(folder, 'fields_2021')).filter((name) => name.endsWith('.tif'));
  expect(maps).toHaveLength(8);
});
