import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';

const { covariates } = z
  .object({ covariates: z.array(z.object({ href: z.record(z.string(), z.string()) })) })
  .parse(JSON.parse(readFileSync('models/openlandmap-soc/manifest.json', 'utf8')));

/** Lists the files of mean, p16 and p84 for a year, in the folder of a mirror. */
export function listLayers(year: number, folder: string): readonly string[] {
  return covariates.map(({ href }) => {
    const found = Object.entries(href).find(([years]) => {
      const [first = 0, last = 0] = years.split('-').map(Number);
      return first <= year && year <= last;
    });
    if (found === undefined) throw new Error(`there is no layer for ${year}`);
    return join(folder, new URL(found[1]).pathname);
  });
}

interface Result {
  readonly url: string | null;
  readonly layers: readonly string[];
  readonly polygon: unknown;
}

const compared = z.array(
  z.object({
    cells: z.number(),
    valid: z.number(),
    differing: z.number(),
    mean: z.number(),
    data_period: z.string(),
    quantiles: z.array(z.string().nullable()),
  }),
);

/**
 * Compares results with GDAL, and returns the comparisons in the same order. It runs asynchronously, because servers of
 * this process respond to it.
 */
export async function compareByGdal(results: readonly Result[]) {
  const folder = mkdtempSync(join(tmpdir(), 'compared-'));
  try {
    const inputs = await Promise.all(
      results.map(async ({ url, ...sources }, i) => {
        const raster = join(folder, `${i}.tif`);
        const body = await (await fetch(url ?? '')).arrayBuffer();
        writeFileSync(raster, new Uint8Array(body));
        return { raster, ...sources };
      }),
    );
    const input = join(folder, 'compared.json');
    writeFileSync(input, JSON.stringify(inputs));
    const command = ['test/support/mirror/compare.py', input];
    const { stdout } = await promisify(execFile)('.local/venv/bin/python', command);
    return compared.parse(JSON.parse(stdout));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
