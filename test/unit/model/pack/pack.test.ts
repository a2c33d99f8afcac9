import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packCatalogue } from '../../../../engine/model/pack/catalogue.ts';
import { loadPack } from '../../../../engine/model/pack/pack.ts';
import { packFolder } from '../../../../engine/model/pack/pack-folder.ts';
import { aManifest, aPack, asJson, filesOf } from '../../../support/model/builders.ts';

describe('a pack', () => {
  it('is identified by its id and version', async () => {
    expect((await aPack(aManifest(), {})).ref).toBe('plain@1.0.0');
  });

  it('reads nothing but its manifest when it is loaded', async () => {
    const manifest = asJson(aManifest());
    const files = filesOf({ 'manifest.json': manifest });
    await loadPack(files);
    expect(files.bytesRead()).toBe(manifest.length);
  });

  it('is rejected with every invalid field', async () => {
    const manifest = { ...aManifest(), version: 'one', nodata: 'none', colour: 'brown' };
    await expect(loadPack(filesOf({ 'manifest.json': asJson(manifest) }))).rejects.toMatchObject({
      name: 'PackInvalid',
      problems: expect.arrayContaining([
        expect.objectContaining({ field: 'version' }),
        expect.objectContaining({ field: 'nodata' }),
        expect.objectContaining({ message: expect.stringContaining('colour') }),
      ]),
    });
  });

  it('is rejected if its manifest is not JSON', async () => {
    const files = filesOf({ 'manifest.json': new TextEncoder().encode('{') });
    await expect(loadPack(files)).rejects.toThrow('not JSON');
  });

  it('is rejected with two periods, as its covariates are the same in both', async () => {
    const periods: [number, number][] = [
      [2000, 2009],
      [2010, 2019],
    ];
    const files = filesOf({
      'manifest.json': asJson(aManifest({ temporal: { kind: 'period', periods } })),
    });
    await expect(loadPack(files)).rejects.toThrow(/temporal\.periods: .*one/);
  });

  it('is rejected if its grid has an unsupported projection', async () => {
    const { grid } = aManifest();
    const crs = { ...grid.crs, proj4: '+proj=qsc +lat_0=0 +lon_0=0' };
    const files = filesOf({ 'manifest.json': asJson(aManifest({ grid: { ...grid, crs } })) });
    await expect(loadPack(files)).rejects.toThrow(/grid\.crs\.proj4: "qsc" .*longlat, merc,/);
  });

  it.each([
    'https://example.org/forest.onnx',
    's3://packs/forest.onnx',
    '../forest.onnx',
    '/forest.onnx',
  ])('is rejected if it names the file %s', async (href) => {
    const manifest = aManifest({ graph: { href, format: 'onnx', targets: 2 } });
    const files = filesOf({ 'manifest.json': asJson(manifest) });
    await expect(loadPack(files)).rejects.toThrow('graph.href: ');
  });

  it.each([
    ['raster.sample_type', { raster: { sample_type: 'float64' } }, /"float32"\|"int16"/],
    ['raster.compression', { raster: { compression: 'lzw' } }, /"deflate"\|"zstd"/],
    ['bands[0].overviews', { bands: [{ ...aManifest().bands[0], overviews: 'cubic' }] }, /"mode"/],
    [
      'error.correlation.nugget',
      { error: { ...error, correlation: { model: 'exponential', nugget: 1.1, range_m: 1 } } },
      /<=1/,
    ],
    [
      'error.correlation.model',
      { error: { ...error, correlation: { model: 'spherical', nugget: 0, range_m: 1 } } },
      /"exponential"/,
    ],
    ['bands[0].scale', { bands: [{ ...aManifest().bands[0], scale: 0 }] }, />0/],
  ])('is rejected for an unknown %s, with the allowed values', async (field, changes, allowed) => {
    const files = filesOf({ 'manifest.json': asJson({ ...aManifest(), ...changes }) });
    await expect(loadPack(files)).rejects.toMatchObject({
      problems: [{ field, message: expect.stringMatching(allowed) }],
    });
  });

  it('reports a missing manifest', async () => {
    await expect(loadPack(filesOf({}))).rejects.toThrow('manifest.json: ');
  });
});

const band = { name: 'mean', description: 'mean' };
const quantileBand = { kind: 'quantile', level: 0.05, probability: 0.04 } as const;
const x = { kind: 'coordinate', name: 'x', description: 'x', axis: 'x' } as const;
const distribution = { first_target: 1, thresholds: [1, 2], lower: 0, upper: 3 };

const meanOf = { ...band, from: { kind: 'target', index: 0 } } as const;
const boundOf = (name: string, level: number) => ({
  name,
  description: name,
  from: { kind: 'target' as const, index: 1, level },
});
const bounded = { bands: [meanOf, boundOf('q05', 0.05), { ...meanOf, name: 'other' }] };
const error = { lower: 'q05', upper: 'q95', how: 'by hand', command: 'none' };

const gridOn = (proj4: string) => {
  const { grid } = aManifest();
  return { grid: { ...grid, crs: { ...grid.crs, proj4 } } };
};

it.each([
  [
    'a datum with its shift',
    '+proj=tmerc +lon_0=9 +x_0=3500000 +ellps=bessel +towgs84=598.1,73.7,418.2,0.202,0.045,-2.455,6.7',
  ],
  ['a datum that is WGS84 but for centimetres', '+proj=utm +zone=32 +ellps=GRS80'],
  ['a sphere', '+proj=sinu +R=6371007.181'],
  ['Web Mercator', '+proj=merc +a=6378137 +b=6378137 +nadgrids=@null'],
])('a grid may lie on %s', async (_, proj4) => {
  await expect(aPack(aManifest(gridOn(proj4)), {})).resolves.toBeDefined();
});

describe('a manifest that contradicts itself', () => {
  it.each<[string, RegExp, Parameters<typeof aManifest>[0]]>([
    [
      'a band of a target the graph lacks',
      /bands\[0\]\.from\.index: 2 .*0 to 1/,
      { bands: [{ ...band, from: { kind: 'target', index: 2 } }] },
    ],
    [
      'a quantile without a distribution',
      /bands\[0\]\.from: .*"distribution"/,
      { bands: [{ ...band, from: quantileBand }] },
    ],
    [
      'errors of a band without a level',
      /error\.upper: "other" .*allowed are "q05" \(0\.05\)/,
      { ...bounded, error: { ...error, upper: 'other' } },
    ],
    [
      'errors with bounds that are not opposite',
      /error\.upper: .*0\.9 must be 0\.95/,
      {
        bands: [meanOf, boundOf('q05', 0.05), boundOf('q90', 0.9)],
        error: { ...error, upper: 'q90' },
      },
    ],
    [
      'errors with the bounds exchanged',
      /error\.lower: its level 0\.95 must be below 0\.5/,
      {
        bands: [meanOf, boundOf('q05', 0.05), boundOf('q95', 0.95)],
        error: { ...error, lower: 'q95', upper: 'q05' },
      },
    ],
    [
      'errors without a mean',
      /error: needs a band with the mean/,
      { bands: [boundOf('q05', 0.05), boundOf('q95', 0.95)], error },
    ],
    ['more thresholds than targets', /distribution\.thresholds: .*3 .*2$/, { distribution }],
    [
      'two covariates of one name',
      /covariates\[1\]\.name: "x" .*covariates\[0\]/,
      { covariates: [x, x] },
    ],
    [
      'two bands of one name',
      /bands\[1\]\.name: "mean" .*bands\[0\]/,
      {
        bands: [
          { ...band, from: { kind: 'target', index: 0 } },
          { ...band, from: { kind: 'target', index: 1 } },
        ],
      },
    ],
    [
      'a nodata value within the support',
      /nodata: 0 .*0 to 3/,
      { nodata: 0, distribution: { ...distribution, first_target: 0 } },
    ],
    ['a nodata value that no cell can hold', /nodata: 0\.1 .*float32/, { nodata: 0.1 }],
    [
      'a nodata value that is no integer of its type',
      /nodata: -9999 .*uint8.* 0 to 255/,
      { raster: { sample_type: 'uint8' } },
    ],
    [
      'a scale of floating point cells',
      /bands\[0\]\.scale: .*float32/,
      { bands: [{ ...band, from: { kind: 'target', index: 0 }, scale: 0.1 }] },
    ],
    [
      'quantiles that its integers cannot hold',
      /bands\[0\]\.scale: .*0 to 3 .*0 to 300.*uint8 .*0 to 255/,
      {
        raster: { sample_type: 'uint8' },
        nodata: 255,
        distribution: { ...distribution, first_target: 0 },
        bands: [{ ...band, from: quantileBand, scale: 0.01 }],
      },
    ],
    [
      'a nodata value that a quantile may be stored as',
      /nodata: 0 .*"mean".* 0 to 3 .*0 to 30/,
      {
        raster: { sample_type: 'uint8' },
        nodata: 0,
        distribution: { ...distribution, first_target: 0 },
        bands: [{ ...band, from: quantileBand, scale: 0.1 }],
      },
    ],
    [
      'a name that claims another level',
      /bands\[0\]\.from\.level: 0\.16 .*"q05".*0\.05/,
      {
        distribution: { ...distribution, first_target: 0 },
        bands: [{ ...band, name: 'q05', from: { ...quantileBand, level: 0.16 } }],
      },
    ],
    [
      'a name that claims another level of a target of its own',
      /bands\[0\]\.from\.level: 0\.95 .*"q05".*0\.05/,
      { bands: [{ ...band, name: 'q05', from: { kind: 'target', index: 0, level: 0.95 } }] },
    ],
    [
      'bounds that are read crosswise',
      /bands\[1\]\.from\.probability: 0\.05 .*0\.95.* 0\.05/,
      {
        distribution: { ...distribution, first_target: 0 },
        bands: [
          { ...band, name: 'q05', from: { kind: 'quantile', level: 0.05, probability: 0.95 } },
          { ...band, name: 'q95', from: { kind: 'quantile', level: 0.95, probability: 0.05 } },
        ],
      },
    ],
    [
      'a layer upside down',
      /property\.depth_cm: /,
      { property: { name: 'carbon density', unit: 'kg/m3', depth_cm: [30, 0] } },
    ],
    [
      'years backwards',
      /temporal\.data_period: /,
      { temporal: { kind: 'static', data_period: [2001, 2000] } },
    ],
    [
      "a CRS without its datum's shift",
      /grid\.crs\.proj4: .*"bessel".*"\+towgs84=…"/,
      gridOn('+proj=tmerc +lat_0=0 +lon_0=9 +k=1 +x_0=3500000 +ellps=bessel +units=m'),
    ],
    [
      'a CRS whose shift is in a file',
      /grid\.crs\.proj4: .*"\+nadgrids".*"\+towgs84=…"/,
      gridOn('+proj=utm +zone=10 +ellps=clrk66 +nadgrids=conus'),
    ],
    [
      'a sinusoidal grid with a false origin, which proj4js ignores',
      /grid\.crs\.proj4: "\+x_0=500000" is not supported/,
      gridOn('+proj=sinu +lon_0=0 +x_0=500000 +y_0=0 +R=6371007.181'),
    ],
    [
      'an open coverage ring',
      /coverage\.coordinates\[0\]: .*not closed/,
      {
        coverage: {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [1, 0],
              [1, 1],
              [0, 1],
            ],
          ],
        },
      },
    ],
  ])('by %s is rejected', async (_, message, changes) => {
    await expect(aPack(aManifest(changes), {})).rejects.toThrow(message);
  });
});

describe('the catalogue of a deployment', () => {
  const version = async (v: string) => aPack(aManifest({ version: v }), {});

  it('finds a pack by its full reference, or the first of its id', async () => {
    const [newer, older] = [await version('2.0.0'), await version('1.0.0')];
    const catalogue = packCatalogue([newer, older]);
    expect(catalogue.find('plain@1.0.0')).toBe(older);
    expect(catalogue.find('plain')).toBe(newer);
    expect(catalogue.find('plain@3.0.0')).toBeUndefined();
    expect(catalogue.find('other')).toBeUndefined();
  });

  it('rejects a duplicate pack', async () => {
    const pack = await version('1.0.0');
    expect(() => packCatalogue([pack, pack])).toThrow('plain@1.0.0 is listed twice');
  });

  it('rejects packs that leave none for jobs that name no model', async () => {
    const pack = await aPack(aManifest({ by_name_only: true }), {});
    expect(() => packCatalogue([pack])).toThrow(
      'by_name_only: at least one pack must be for jobs that name no model',
    );
  });
});

describe('a pack in a folder', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pack-'));
    await writeFile(join(folder, 'letters'), 'abcdef');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reads files, ranges and sizes', async () => {
    const files = packFolder(folder);
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    expect(text(await files.read('letters'))).toBe('abcdef');
    expect(text(await files.readRange('letters', 2, 3))).toBe('cde');
    expect(text(await files.readRange('letters', 4, 100))).toBe('ef');
    expect(text(await files.readRange('letters', 9, 1))).toBe('');
    expect(await files.size('letters')).toBe(6);
  });

  it.each([
    ['missing', 'not found'],
    ['../letters', "not inside the pack's folder"],
    ['/etc/passwd', "not inside the pack's folder"],
    ['.', "not inside the pack's folder"],
    ['https://example.org/slope.tif', 'is a URL'],
    ['s3://bucket/slope.tif', 'is a URL'],
  ])('rejects %s with its name', async (href, reason) => {
    await expect(packFolder(folder).read(href)).rejects.toMatchObject({
      name: 'PackFileUnavailable',
      href,
      reason: expect.stringContaining(reason),
    });
  });
});
