import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCovariates } from '../../../../engine/model/covariates/covariates.ts';
import { loadPack } from '../../../../engine/model/pack/pack.ts';
import { aManifest, aPack, asJson, createPackFiles } from '../../../support/model/builders.ts';
import { aGeoTiff, cellsOf, type RasterFile } from '../../../support/model/geotiff-file.ts';

const everywhere = { col: 0, row: 0, width: 40, height: 30 };
const sound = aGeoTiff({ values: cellsOf((col, row) => col + row / 100) });

function packWith(slope: Uint8Array | undefined, changes: Parameters<typeof aManifest>[0] = {}) {
  return aPack(aManifest(changes), {
    'clay.tif': sound,
    ...(slope === undefined ? {} : { 'slope.tif': slope }),
  });
}

async function slopeOf(file: RasterFile, window = { col: 0, row: 0, width: 2, height: 1 }) {
  const read = await readCovariates(await packWith(aGeoTiff(file)), window);
  const slope = read?.[0] ?? new Float32Array(window.width * window.height).fill(Number.NaN);
  return [...(slope ?? [])];
}

describe('a raster covariate', () => {
  it('returns the cells of the window, row by row', async () => {
    const values = cellsOf((col, row) => col * 1000 + row);
    const window = { col: 3, row: 5, width: 2, height: 2 };
    expect(await slopeOf({ values }, window)).toEqual([3005, 4005, 3006, 4006]);
  });

  it("is missing where the file has nodata, compared in the samples' precision", async () => {
    const first = (value: number) => cellsOf((col, row) => (col + row === 0 ? value : 1));
    const lowest = '-3.4028234663852886e+38';
    expect(await slopeOf({ values: first(-9999), nodata: '-9999' })).toEqual([Number.NaN, 1]);
    expect(await slopeOf({ values: first(0.1), nodata: '0.1' })).toEqual([Number.NaN, 1]);
    expect(await slopeOf({ values: first(Number(lowest)), nodata: lowest })).toEqual([NaN, 1]);
  });

  it('applies the scale and offset in the band’s metadata', async () => {
    const metadata = `<GDALMetadata><Item name="SCALE">9</Item>
      <Item name="SCALE" sample="1" role="scale">7</Item><Item sample='0' name='OFFSET'>-2</Item>
      <Item name="NOTE" sample="0">a &lt; b</Item><Item name="SCALE" sample="0" role="scale">0.5</Item></GDALMetadata>`;
    expect(await slopeOf({ values: cellsOf((col) => col + 10), metadata })).toEqual([3, 3.5]);
    const broken = '<Item name="SCALE" sample="0">wide</Item>';
    await expect(slopeOf({ values: cellsOf(() => 1), metadata: broken })).rejects.toThrow(
      'its SCALE is "wide", not a number',
    );
  });

  it('is missing where its value is not finite', async () => {
    const values = cellsOf((col) => [Number.NaN, Number.POSITIVE_INFINITY][col] ?? 1);
    expect(await slopeOf({ values })).toEqual([Number.NaN, Number.NaN]);
  });

  it.each(['first', 'other', 'matrix'] as const)(
    'lies on the same grid whether its georeference states a cell’s corner or centre: %s',
    async (position) => {
      const values = cellsOf((col, row) => col + row / 100);
      const corner = { values, position };
      expect(await slopeOf(corner)).toEqual([0, 1]);
      const centre = { ...corner, pixelIsPoint: true, origin: [500005, 5599995] as const };
      expect(await slopeOf(centre)).toEqual([0, 1]);
      // Confusing a centre with a corner shifts positions by half a cell.
      await expect(slopeOf({ ...corner, pixelIsPoint: true })).rejects.toThrow('origin 499995');
      await expect(slopeOf({ ...centre, pixelIsPoint: false })).rejects.toThrow('origin 500005');
    },
  );
});

describe('a tiled, compressed raster with scale and offset, written by GDAL', () => {
  // test/fixtures/covariates/make.py
  const encoded = readFileSync(
    new URL('../../../fixtures/covariates/encoded.tif', import.meta.url),
  );
  const [slope] = aManifest().covariates;
  const covariates = [{ ...slope, band: 2 } as typeof slope & object];
  const manifest = aManifest({ covariates });

  it('returns physical values and nodata of the band in the manifest', async () => {
    const pack = await aPack(manifest, { 'slope.tif': encoded });
    const values = await readCovariates(pack, { col: 0, row: 20, width: 3, height: 1 });
    expect([...(values?.[0] ?? [])]).toEqual([Number.NaN, 801 / 2 - 100, 802 / 2 - 100]);
  });

  it('is read only within the window', async () => {
    const files = createPackFiles({ 'slope.tif': encoded, 'manifest.json': asJson(manifest) });
    const pack = await loadPack(files);
    await readCovariates(pack, { col: 1, row: 1, width: 2, height: 2 });
    const header = files.bytesRead();
    await readCovariates(pack, { col: 17, row: 17, width: 2, height: 2 });
    const oneTile = files.bytesRead() - header;
    await readCovariates(pack, everywhere);
    expect(files.bytesRead() - header - oneTile).toBeGreaterThan(4 * oneTile);
  });
});

describe('a coordinate covariate', () => {
  it("has the coordinate of each cell's centre as its value", async () => {
    const window = { col: 2, row: 1, width: 2, height: 2 };
    const [, , x, y] = (await readCovariates(await packWith(sound), window)) ?? [];
    expect([...(x ?? [])]).toEqual([500025, 500035, 500025, 500035]);
    expect([...(y ?? [])]).toEqual([5599985, 5599985, 5599975, 5599975].map(Math.fround));
  });
});

describe('a covariate whose CRS has no EPSG code', () => {
  // GDAL writes a CRS without an EPSG code as "user-defined" (GeoTIFF 1.1).
  const own = { epsg: 32_767, values: cellsOf(() => 1) };
  const withSlope = (members: object, file: Parameters<typeof aGeoTiff>[0]) => {
    const [slope, ...others] = aManifest().covariates;
    const covariates = [{ ...slope, ...members } as typeof slope & object, ...others];
    return packWith(aGeoTiff(file), { covariates });
  };

  it('is not assumed to be in the grid’s CRS', async () => {
    const pack = await withSlope(
      { resampling: 'nearest' },
      { ...own, origin: [499_990, 5_600_000] },
    );
    await expect(readCovariates(pack, everywhere)).rejects.toThrow(/no EPSG code.*"crs"/);
  });

  it('is read with the given definition', async () => {
    const crs = { proj4: '+proj=tmerc +lon_0=3 +k=0.9996 +x_0=500010 +datum=WGS84' };
    const origin = [500_010, 5_600_000] as const;
    const pack = await withSlope({ resampling: 'nearest', crs }, { ...own, origin });
    expect((await readCovariates(pack, everywhere))?.[0]?.every((cell) => cell === 1)).toBe(true);
  });

  it('is read if it has exactly the cells of the grid', async () => {
    const pack = await withSlope({}, own);
    expect((await readCovariates(pack, everywhere))?.[0]?.every((cell) => cell === 1)).toBe(true);
  });
});

describe('a covariate file', () => {
  const values = cellsOf(() => 1);

  it.each<[string, Uint8Array | undefined, string]>([
    ['is missing', undefined, 'not found'],
    ['is not a TIFF', new TextEncoder().encode('a soil map, honestly'), 'byte order'],
    ['is empty', new Uint8Array(), '0 bytes'],
    ['is cut off', sound.subarray(0, sound.length - 100), 'refers to bytes'],
    ['has cells of another size', aGeoTiff({ values, cellSize: 20 }), 'cells of 20 × 20, not 10'],
    ['is shifted', aGeoTiff({ values, origin: [500005, 5600000] }), 'origin 500005'],
    ['is in another CRS', aGeoTiff({ values, epsg: 32632 }), 'EPSG:32632, not EPSG:32631'],
    [
      'has another size',
      aGeoTiff({ values: values.slice(40), height: 29 }),
      '40 × 29 cells, not 40 × 30',
    ],
  ])('that %s is reported as unavailable with the reason', async (_, slope, reason) => {
    await expect(readCovariates(await packWith(slope), everywhere)).rejects.toMatchObject({
      name: 'CovariateUnavailable',
      covariate: 'slope',
      reason: expect.stringContaining(reason),
    });
  });

  it('that lacks the band is reported as unavailable with the reason', async () => {
    const [slope, ...others] = aManifest().covariates;
    const covariates = [{ ...slope, band: 2 } as typeof slope & object, ...others];
    const pack = await packWith(sound, { covariates });
    await expect(readCovariates(pack, everywhere)).rejects.toThrow(/"slope".* 1 band.* 2$/);
  });

  it('is read or reported as unavailable if header bytes are corrupt', async () => {
    const header = sound.length - 40 * 30 * 4;
    const changes = fc.array(fc.tuple(fc.nat(header - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(changes, async (lies) => {
        const bytes = Uint8Array.from(sound);
        for (const [at, value] of lies) {
          bytes[at] = value;
        }
        const outcome = await readCovariates(await packWith(bytes), everywhere).catch(
          (error: unknown) => error,
        );
        if (outcome instanceof Error) {
          expect(outcome.name).toBe('CovariateUnavailable');
        } else {
          expect(outcome).toHaveLength(4);
        }
      }),
      { numRuns: 200 },
    );
  });
});
