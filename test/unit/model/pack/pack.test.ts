import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPackCatalogue } from '../../../../engine/model/pack/catalogue.ts';
import { loadPack } from '../../../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../../../engine/model/pack/pack-folder.ts';
import { aManifest, aPack, asJson, createPackFiles } from '../../../support/model/builders.ts';

const error = { lower: 'q05', upper: 'q95', how: 'by hand', command: 'none' };

describe('a pack', () => {
  it('is identified by its ID and version', async () => {
    expect((await aPack(aManifest(), {})).ref).toBe('plain@1.0.0');
  });

  it('reads only its manifest when it is loaded', async () => {
    const manifest = asJson(aManifest());
    const files = createPackFiles({ 'manifest.json': manifest });
    await loadPack(files);
    expect(files.bytesRead()).toBe(manifest.length);
  });

  it('is rejected with a list of all invalid fields', async () => {
    const manifest = { ...aManifest(), version: 'one', nodata: 'none', colour: 'brown' };
    await expect(
      loadPack(createPackFiles({ 'manifest.json': asJson(manifest) })),
    ).rejects.toMatchObject({
      name: 'PackInvalid',
      problems: expect.arrayContaining([
        expect.objectContaining({ field: 'version' }),
        expect.objectContaining({ field: 'nodata' }),
        expect.objectContaining({ message: expect.stringContaining('colour') }),
      ]),
    });
  });

  it('is rejected if its manifest is not JSON', async () => {
    const files = createPackFiles({ 'manifest.json': new TextEncoder().encode('{') });
    await expect(loadPack(files)).rejects.toThrow('not JSON');
  });

  it('is rejected if its grid has an unsupported projection', async () => {
    const { grid } = aManifest();
    const crs = { ...grid.crs, proj4: '+proj=qsc +lat_0=0 +lon_0=0' };
    const files = createPackFiles({
      'manifest.json': asJson(aManifest({ grid: { ...grid, crs } })),
    });
    await expect(loadPack(files)).rejects.toThrow(/grid\.crs\.proj4: "qsc" .*longlat, merc,/);
  });

  it.each([
    'https://example.org/forest.onnx',
    's3://packs/forest.onnx',
    '../forest.onnx',
    '/forest.onnx',
  ])('is rejected if it names the file %s', async (href) => {
    const manifest = aManifest({ graph: { href, format: 'onnx', targets: 2 } });
    const files = createPackFiles({ 'manifest.json': asJson(manifest) });
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
    ['bands[0].scale', { bands: [{ ...aManifest().bands[0], scale: 1e-200 }] }, />=1e-30/],
  ])('is rejected for an invalid %s, with the allowed values', async (field, changes, allowed) => {
    const files = createPackFiles({ 'manifest.json': asJson({ ...aManifest(), ...changes }) });
    await expect(loadPack(files)).rejects.toMatchObject({
      problems: [{ field, message: expect.stringMatching(allowed) }],
    });
  });

  it('reports a missing manifest', async () => {
    await expect(loadPack(createPackFiles({}))).rejects.toThrow('manifest.json: ');
  });
});

describe('the catalogue of a deployment', () => {
  const version = async (v: string) => aPack(aManifest({ version: v }), {});

  it('finds a pack by its full reference, or the first pack with an ID', async () => {
    const [newer, older] = [await version('2.0.0'), await version('1.0.0')];
    const catalogue = createPackCatalogue([newer, older]);
    expect(catalogue.findForYear('plain@1.0.0', 2020)).toBe(older);
    expect(catalogue.findForYear('plain', 2020)).toBe(newer);
    expect(catalogue.findForYear('plain@3.0.0', 2020)).toBeUndefined();
    expect(catalogue.findForYear('other', 2020)).toBeUndefined();
  });

  it('rejects a duplicate pack', async () => {
    const pack = await version('1.0.0');
    expect(() => createPackCatalogue([pack, pack])).toThrow('plain@1.0.0 is listed twice');
  });

  it('rejects packs if none may run jobs that name no model', async () => {
    const pack = await aPack(aManifest({ by_name_only: true }), {});
    expect(() => createPackCatalogue([pack])).toThrow(
      'by_name_only: at least one pack must be for jobs that do not name a model',
    );
  });
});

describe('a pack in a folder', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pack-'));
    await writeFile(join(folder, 'letters'), 'abcdef');
    await mkdir(join(folder, 'inner'));
    await symlink('/dev/zero', join(folder, 'zero'));
    await symlink('letters', join(folder, 'link'));
    await symlink('/dev', join(folder, 'devices'));
    await symlink('.', join(folder, 'again'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('returns files, byte ranges and sizes', async () => {
    const files = openPackFolder(folder);
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    expect(text(await files.readFile('letters'))).toBe('abcdef');
    expect(text(await files.readRange('letters', 2, 3))).toBe('cde');
    expect(text(await files.readRange('letters', 4, 100))).toBe('ef');
    expect(text(await files.readRange('letters', 9, 1))).toBe('');
    expect(await files.readSize('letters')).toBe(6);
  });

  it.each([
    ['missing', 'not found'],
    ['inner', 'is a folder, not a file'],
    ['zero', 'is not a regular file'],
    ['devices/zero', 'is not a regular file'],
    ['link', 'is a link'],
    ['again/letters', 'is a link'],
    ['../letters', "not inside the pack's folder"],
    ['/etc/passwd', "not inside the pack's folder"],
    ['.', "not inside the pack's folder"],
    ['https://example.org/slope.tif', 'is a URL'],
    ['s3://bucket/slope.tif', 'is a URL'],
  ])('rejects the path %s with its name', async (href, reason) => {
    await expect(openPackFolder(folder).readFile(href)).rejects.toMatchObject({
      name: 'PackFileUnavailable',
      href,
      reason: expect.stringContaining(reason),
    });
  });
});
