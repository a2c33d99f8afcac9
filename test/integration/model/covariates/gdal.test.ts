import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readCovariates } from '../../../../engine/model/covariates/covariates.ts';
import { aManifest, aPack } from '../../../support/model/builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'covariates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cases = z.array(
  z.object({
    name: z.string(),
    href: z.string(),
    band: z.number(),
    method: z.enum(['nearest', 'bilinear']).optional(),
    proj4: z.string().optional(),
  }),
);
type Case = z.infer<typeof cases>[number];

/** Writes rasters with GDAL, with the values that GDAL reads. */
function writeWithGdal(what: 'encodings' | 'resampling'): readonly Case[] {
  const python = join(import.meta.dirname, '../../../../.local/venv/bin/python');
  const script = join(import.meta.dirname, 'gdal_rasters.py');
  return cases.parse(
    JSON.parse(execFileSync(python, [script, folder, what], { encoding: 'utf8' })),
  );
}

const WIDTH = 200;
const HEIGHT = 150;

/** Reads all values in four windows that cut across tiles. */
async function valuesOf({ href, band, method, proj4 }: Case): Promise<Float32Array> {
  const [slope] = aManifest().covariates;
  if (slope?.kind !== 'raster') throw new Error('the builder has another first covariate');
  const covariate = {
    ...{ ...slope, href, band },
    ...(method === undefined ? {} : { resampling: method }),
    ...(proj4 === undefined ? {} : { crs: { proj4 } }),
  };
  const grid = { ...aManifest().grid, width: WIDTH, height: HEIGHT };
  const manifest = aManifest({ grid, covariates: [covariate] });
  const pack = await aPack(manifest, { [href]: readFileSync(join(folder, href)) });
  const values = new Float32Array(WIDTH * HEIGHT);
  for (const [col, row, width, height] of [
    [0, 0, 70, 90],
    [70, 0, 130, 90],
    [0, 90, 70, 60],
    [70, 90, 130, 60],
  ] as const) {
    const read = await readCovariates(pack, { col, row, width, height });
    const part = read?.[0] ?? new Float32Array(width * height).fill(Number.NaN);
    for (let y = 0; y < height; y += 1) {
      values.set(part.subarray(y * width, (y + 1) * width), (row + y) * WIDTH + col);
    }
  }
  return values;
}

function listDifferences(found: Float32Array, name: string, tolerance: number): readonly string[] {
  const bytes = readFileSync(join(folder, `${name}.f64`));
  const expected = new Float64Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  );
  return [...expected.entries()]
    .filter(([i, value]) => {
      const other = found[i] ?? Number.POSITIVE_INFINITY;
      if (Number.isNaN(value) || Number.isNaN(other)) return !Object.is(value, other);
      return Math.abs(Math.fround(value) - other) > tolerance * Math.max(1, Math.abs(value));
    })
    .map(([i, value]) => `(${i % WIDTH}, ${Math.floor(i / WIDTH)}): ${found[i]}, GDAL ${value}`);
}

describe('a covariate on the grid has the values that GDAL reads:', () => {
  it.each(writeWithGdal('encodings'))('$name', async (raster) => {
    expect(listDifferences(await valuesOf(raster), raster.name, 0).slice(0, 5)).toEqual([]);
  });
});

describe("a covariate on another grid has the values that GDAL's warper computes:", () => {
  it.each(writeWithGdal('resampling'))('$name', async (raster) => {
    const tolerance = raster.method === 'nearest' ? 0 : 1e-5;
    expect(listDifferences(await valuesOf(raster), raster.name, tolerance).slice(0, 5)).toEqual([]);
  });
});
