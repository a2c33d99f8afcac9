import { describe, expect, it } from 'vitest';
import { checksOfItem, checksOfPack } from '../../../bin/verify/checks.ts';
import type { Item } from '../../../bin/verify/item.ts';
import type { CovariateFile } from '../../../engine/model/covariates/covariate-files.ts';
import type { PackDigests } from '../../../engine/model/pack/digests.ts';
import { manifestSchema } from '../../../engine/model/pack/manifest.ts';
import { polygonDigest } from '../../../lambdas/domain/job/finishing/provenance.ts';
import { aBox } from '../../support/box.ts';
import { aManifest } from '../../support/model/builders.ts';

const FILES = ['manifest.json', 'forest.onnx', 'slope.tif', 'clay.tif'];
const digests = Object.fromEntries(FILES.map((file, i) => [file, String(i).repeat(64)]));
const geometry = aBox(3, 50, 4, 51);
const item: Item = {
  jobId: 'a job',
  model: 'plain@1.0.0',
  geometry,
  bytes: 1_000,
  digests: { model: digests, polygon: '1a'.repeat(32), geometry: polygonDigest(geometry) },
};
const raster = { bytes: 1_000, tags: { JOB_ID: 'a job' } };
const manifest = manifestSchema.parse(aManifest());

const madeOf = (pack: PackDigests, covariateFiles: readonly CovariateFile[] = []) => ({
  pack,
  covariateFiles,
});

type Checks = ReturnType<typeof checksOfPack>;
const inState = (checks: Checks, state: Checks[number]['state']) =>
  checks.filter((check) => check.state === state).map(({ what }) => what);

describe('the comparison of an Item with its raster', () => {
  it('finds no difference in what the service made', () => {
    const checks = checksOfItem(item, raster, { polygon: '1a'.repeat(32) });
    expect(checks.map(({ state }) => state)).toEqual(['same', 'same', 'same', 'same']);
  });

  it('names the job, the size and the polygon', () => {
    const moved = { ...item, jobId: 'another', bytes: 1, geometry: aBox(3, 50, 4, 51.1) };
    const checks = checksOfItem(moved, raster, { polygon: '2b'.repeat(32) });
    expect(inState(checks, 'changed')).toEqual([
      'job of the raster',
      'size of the raster',
      'polygon',
      'polygon as sent',
    ]);
    expect(checks[1]?.detail).toBe('1000 instead of 1');
  });
});

describe('the comparison of a model pack with the prediction', () => {
  it('knows files by their digest, whatever their order', () => {
    const reversed = Object.fromEntries(Object.entries(digests).toReversed());
    const checks = checksOfPack({ manifest }, item, madeOf(digests), madeOf(reversed));
    expect(inState(checks, 'same')).toEqual([
      'digests of the model in the Item',
      'manifest',
      'graph forest.onnx',
      'covariate slope (slope.tif)',
      'covariate clay (clay.tif)',
    ]);
    expect(checks).toHaveLength(5);
  });

  it('names a file that is another, missing or new', () => {
    const { 'clay.tif': clay = '', ...others } = digests;
    const found = { ...others, 'forest.onnx': clay, 'relief.tif': clay };
    const checks = checksOfPack({ manifest }, item, madeOf(digests), madeOf(found));
    expect(checks.filter(({ state }) => state === 'changed')).toEqual([
      expect.objectContaining({
        what: 'graph forest.onnx',
        detail: `SHA-256 ${'3'.repeat(64)} instead of SHA-256 ${'1'.repeat(64)}`,
      }),
      expect.objectContaining({
        what: 'covariate clay (clay.tif)',
        detail: 'not in the model pack',
      }),
      expect.objectContaining({
        what: 'file relief.tif',
        detail: 'the prediction did not have this file',
      }),
    ]);
  });

  it('names digests of the Item that are not the raster’s', () => {
    const edited = { ...item, digests: { ...item.digests, model: {} } };
    const checks = checksOfPack({ manifest }, edited, madeOf(digests), madeOf(digests));
    expect(inState(checks, 'changed')).toEqual(['digests of the model in the Item']);
  });

  it('knows a file at a URL by its size and ETag, if the raster has them', () => {
    const [slope, ...others] = aManifest().covariates;
    const href = 'https://covariates.example/slope.tif';
    const covariates = [{ ...slope, href } as typeof slope & object, ...others];
    const { 'slope.tif': _, ...own } = digests;
    const remote = { ...item, digests: { ...item.digests, model: own } };
    const pack = { manifest: manifestSchema.parse(aManifest({ covariates })) };
    const slopeOf = (size: number, etag?: string) =>
      madeOf(own, [{ covariate: 'slope', size, ...(etag === undefined ? {} : { etag }) }]);
    const states = (...[used, found]: ReturnType<typeof madeOf>[]) =>
      checksOfPack(pack, remote, used ?? {}, found ?? madeOf(own)).at(-1)?.state;
    expect(states(slopeOf(9, '"a"'), slopeOf(9, '"a"'))).toBe('same');
    expect(states(slopeOf(9, '"a"'), slopeOf(9, '"b"'))).toBe('changed');
    expect(states(slopeOf(9), slopeOf(8))).toBe('changed');
    expect(states(madeOf(own), slopeOf(9))).toBe('not_compared');
  });

  it('does not compare the model of a raster without its digests', () => {
    const old = { ...item, digests: { ...item.digests, model: undefined } };
    const checks = checksOfPack({ manifest }, old, {}, madeOf(digests));
    expect(inState(checks, 'not_compared')).toEqual(['model']);
    expect(checks).toHaveLength(1);
  });
});
