import { readFileSync } from 'node:fs';
import { fromArrayBuffer } from 'geotiff';
import { describe, expect, it } from 'vitest';
import { predictWindow } from '../../../../engine/model/predict-window.ts';
import { hasCompression } from '../../../../engine/raster/cog/compression.ts';
import { jobIdOf } from '../../../../lambdas/domain/identity.ts';
import { predictPatchBatch } from '../../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';
import { plan, runJob } from '../../../support/domain/run-job.ts';
import { aManifest, aPack } from '../../../support/model/builders.ts';
import { aGeoTiff } from '../../../support/model/geotiff-file.ts';
import { rectangle, toLonLat } from '../../../support/raster/builders.ts';
import { checkCog, decodeLevel, type Verdict } from '../../raster/gdal.ts';

const [WIDTH, HEIGHT] = [150, 130];
const grid = { ...aManifest().grid, width: WIDTH, height: HEIGHT };
const cells = (value: (col: number, row: number) => number) =>
  Array.from({ length: WIDTH * HEIGHT }, (_, i) => value(i % WIDTH, Math.floor(i / WIDTH)));
const size = { width: WIDTH, height: HEIGHT };
const contents = {
  'forest.onnx': readFileSync('test/fixtures/onnx/forest.onnx'),
  'slope.tif': aGeoTiff({ values: cells((col, row) => 2 * Math.sin(col / 5 + row / 30)), ...size }),
  'clay.tif': aGeoTiff({
    values: cells((col, row) => ((col + row) % 17 === 0 ? -9999 : 2 * Math.cos(row / 7))),
    nodata: '-9999',
    ...size,
  }),
};

type Changes = NonNullable<Parameters<typeof aManifest>[0]>;

const packOf = (changes: Changes) => aPack(aManifest({ grid, ...changes }), contents);

/** The model's prediction for each cell of a band, in float32; NaN where there is none. */
async function predictions(band: number): Promise<Float32Array> {
  const pack = await packOf({});
  const whole = { col: 0, row: 0, ...size };
  const inside = new Uint8Array(WIDTH * HEIGHT).fill(1);
  const { cells: values } = await predictWindow(pack, whole, inside);
  return Float32Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
    const value = values[i * 2 + band] ?? Number.NaN;
    return value === pack.manifest.nodata ? Number.NaN : value;
  });
}

const whole = rectangle({ ...grid, block_tiles: 1 }, [0, 0, WIDTH, HEIGHT]);

async function makeJob(changes: Changes, ring = whole) {
  const deployment = aDeployment([await packOf(changes)]);
  const polygon = { type: 'Polygon', coordinates: [ring] };
  const { batch_id: batchId } = await postBatch(deployment, [
    { polygon, year: 2020, model: 'plain' },
  ]);
  return { deployment, batchId };
}

async function makeFile(changes: Changes, ring = whole): Promise<Uint8Array> {
  const { deployment, batchId } = await makeJob(changes, ring);
  expect((await runJob(deployment, batchId)).kind).toBe('assembled');
  const bytes = deployment.rasters.read(batchId, jobIdOf(batchId, 0));
  if (bytes === undefined) throw new Error('no raster');
  return bytes;
}

const rasterOf = async (changes: Changes, options: readonly string[] = []): Promise<Verdict> =>
  checkCog(await makeFile(changes), options);

const [first, second] = aManifest().bands;
if (first === undefined || second === undefined) throw new Error('the plain pack has two bands');

function countDifferences(
  verdict: Verdict,
  band: number,
  expected: (cell: number) => number,
): number {
  const values = decodeLevel(verdict, 0);
  let different = 0;
  for (let i = 0; i < WIDTH * HEIGHT; i += 1) {
    const [col, row] = [i % WIDTH, Math.floor(i / WIDTH)];
    const at = (band * verdict.height + row) * verdict.width + col;
    if (values[at] !== expected(i)) different += 1;
  }
  return different;
}

describe('a pack with int16 rasters', () => {
  it('rounds each value to the nearest step, and states scale, offset and nodata for GDAL', async () => {
    const verdict = await rasterOf(
      {
        raster: { sample_type: 'int16' },
        bands: [
          { ...first, scale: 0.01 },
          { ...second, scale: 0.001, offset: 5 },
        ],
        nodata: -32_768,
      },
      ['--gdal-overviews', 'average'],
    );
    expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [], nodata: -32_768 });
    expect(verdict.dtypes).toEqual(['int16', 'int16']);
    expect(verdict.scales).toEqual([0.01, 0.001]);
    expect(verdict.offsets).toEqual([0, 5]);
    expect(verdict.overview_differences).toEqual([0, 0]);
    for (const [band, { scale, offset }] of [
      { scale: 0.01, offset: 0 },
      { scale: 0.001, offset: 5 },
    ].entries()) {
      const values = await predictions(band);
      const stored = (cell: number) => {
        const value = values[cell] ?? Number.NaN;
        return Number.isNaN(value) ? -32_768 : Math.round((value - offset) / scale);
      };
      expect(countDifferences(verdict, band, stored)).toBe(0);
      expect(new Set(values).size).toBeGreaterThan(20);
    }
  });
});

describe('a pack of classes', () => {
  it('has uint8 cells, and the most frequent class in each cell of an overview', async () => {
    const verdict = await rasterOf(
      {
        raster: { sample_type: 'uint8' },
        bands: [
          { ...first, overviews: 'mode' },
          { ...second, overviews: 'mode' },
        ],
        nodata: 255,
      },
      ['--gdal-overviews', 'mode'],
    );
    expect(verdict).toMatchObject({ valid: true, warnings: [], nodata: 255 });
    expect(verdict.dtypes).toEqual(['uint8', 'uint8']);
    expect(verdict.tags['OVERVIEW_RESAMPLING']).toBe('MODE');
    expect(verdict.overview_differences).toEqual([0, 0]);
    const values = await predictions(0);
    const stored = (cell: number) => {
      const value = values[cell] ?? Number.NaN;
      return Number.isNaN(value) ? 255 : Math.round(value);
    };
    expect(countDifferences(verdict, 0, stored)).toBe(0);
  });

  it('may also have quantities, with a different overview resampling per band', async () => {
    const verdict = await rasterOf({
      raster: { sample_type: 'uint16' },
      bands: [
        { ...first, overviews: 'nearest' },
        { ...second, scale: 0.01 },
      ],
      nodata: 65_535,
    });
    expect(verdict).toMatchObject({ valid: true, warnings: [], nodata: 65_535 });
    const resampling = verdict.band_tags.map((tags) => tags['OVERVIEW_RESAMPLING']);
    expect(resampling).toEqual(['NEAREST', 'AVERAGE']);
    expect(verdict.scales).toEqual([1, 0.01]);
  });
});

describe('a pack with rasters compressed by ZSTD', () => {
  const zstd = { raster: { compression: 'zstd' } } as const;

  it.runIf(hasCompression('zstd'))('produces the same cells as with DEFLATE', async () => {
    const [ours, deflate] = [await rasterOf(zstd), await rasterOf({})];
    expect(ours).toMatchObject({ valid: true, warnings: [] });
    expect(ours.structure['COMPRESSION']).toBe('ZSTD');
    expect(deflate.structure['COMPRESSION']).toBe('DEFLATE');
    expect(ours.levels).toEqual(deflate.levels);
  });

  it.runIf(!hasCompression('zstd'))('fails to predict if Node does not support ZSTD', async () => {
    const { deployment, batchId } = await makeJob(zstd);
    await plan(deployment, batchId);
    await expect(predictPatchBatch(deployment, batchId, 0, 0)).rejects.toThrow('22.15');
  });
});

async function countAbsentTiles(bytes: Uint8Array): Promise<number> {
  const image = await (await fromArrayBuffer(bytes.slice().buffer)).getImage();
  const counts = await image.fileDirectory.loadValue('TileByteCounts');
  return [...(counts ?? [])].filter((count) => Number(count) === 0).length;
}

describe('a pack with sparse rasters', () => {
  it('omits tiles without cells, where GDAL reads nodata', async () => {
    const corner = toLonLat({ ...grid, block_tiles: 1 }, [
      [0, 0],
      [0, HEIGHT],
      [WIDTH, HEIGHT],
      [WIDTH, HEIGHT - 1],
      [1, HEIGHT - 1],
      [1, 0],
      [0, 0],
    ]);
    const sparse = await makeFile({ raster: { sparse: true } }, corner);
    const full = await makeFile({}, corner);
    // The L-shaped field leaves four of the nine tiles empty.
    expect([await countAbsentTiles(sparse), await countAbsentTiles(full)]).toEqual([4, 0]);
    const [found, expected] = [await checkCog(sparse), await checkCog(full)];
    expect(found).toMatchObject({ valid: true, errors: [], warnings: [] });
    expect(found.levels).toEqual(expected.levels);
  });
});

describe('a value that the sample type can’t represent', () => {
  it.each<[string, Changes, RegExp]>([
    [
      "is outside the type's range",
      {
        raster: { sample_type: 'uint8' },
        bands: [{ ...first, scale: 0.001 }, second],
        nodata: 255,
      },
      /^band "mean" has the value [\d.]+, stored as \d{4,}: uint8 holds whole numbers from 0 to 255$/,
    ],
    [
      'would be stored as nodata',
      { raster: { sample_type: 'uint8' }, bands: [{ ...first, scale: 1000 }, second], nodata: 0 },
      /^band "mean" has the value [\d.]+, stored as 0: this number means nodata$/,
    ],
  ])(
    'fails the patch-batch, and the error names the band and the value, if it %s',
    async (_, changes, message) => {
      const { deployment, batchId } = await makeJob(changes);
      await plan(deployment, batchId);
      await expect(predictPatchBatch(deployment, batchId, 0, 0)).rejects.toMatchObject({
        name: 'ValueNotStorable',
        message: expect.stringMatching(message),
      });
    },
  );
});
