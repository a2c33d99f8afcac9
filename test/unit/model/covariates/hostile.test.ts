import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCovariates } from '../../../../engine/model/covariates/covariates.ts';
import { loadPack } from '../../../../engine/model/pack/pack.ts';
import type { PackFiles } from '../../../../engine/model/pack/pack-files.ts';
import { aManifest, asJson, createPackFiles } from '../../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../../support/model/geotiff-file.ts';
import { runs } from '../../../support/runs.ts';

// test/fixtures/covariates/make.py: two int16 bands, tiles of 16 cells, DEFLATE with predictor 2.
const sound = new Uint8Array(
  readFileSync(new URL('../../../fixtures/covariates/encoded.tif', import.meta.url)),
);
const everywhere = { col: 0, row: 0, width: 40, height: 30 };
const TAG = {
  width: 256,
  bitsPerSample: 258,
  compression: 259,
  tileWidth: 322,
  tileLength: 323,
  offsets: 324,
  counts: 325,
  gdalMetadata: 42112,
};

/** Finds the 12-byte entry of a tag in the first directory of a little-endian classic TIFF. */
function entryOf(view: DataView, tag: number): number {
  const directory = view.getUint32(4, true);
  const entries = Array.from(
    { length: view.getUint16(directory, true) },
    (_, i) => directory + 2 + i * 12,
  );
  const entry = entries.find((at) => view.getUint16(at, true) === tag);
  if (entry === undefined) throw new Error(`the fixture has no tag ${tag}`);
  return entry;
}

/** The valid file after a change. It has extra space at its end. */
function changeFile(
  change: (view: DataView, end: number) => void,
  more: Uint8Array = new Uint8Array(),
) {
  const bytes = new Uint8Array([...sound, ...more]);
  change(new DataView(bytes.buffer), sound.length);
  return bytes;
}

const setValue = (tag: number, value: number) => (view: DataView) => {
  const entry = entryOf(view, tag);
  view.setUint16(entry + 2, 4, true);
  view.setUint32(entry + 8, value, true);
};
const setCount = (tag: number, count: number) => (view: DataView) =>
  view.setUint32(entryOf(view, tag) + 4, count, true);
const setFirstTile = (offset: number, length: number) => (view: DataView) => {
  view.setUint32(view.getUint32(entryOf(view, TAG.offsets) + 8, true), offset, true);
  const counts = entryOf(view, TAG.counts);
  const at = view.getUint32(counts + 8, true);
  if (view.getUint16(counts + 2, true) === 3) view.setUint16(at, Math.min(length, 0xffff), true);
  else view.setUint32(at, length, true);
};

function watchFiles(files: PackFiles) {
  const reads: { readonly offset: number; readonly length: number }[] = [];
  const strict: PackFiles = {
    ...files,
    readRange: async (href, offset, length) => {
      reads.push({ offset, length });
      return files.readRange(href, offset, length);
    },
  };
  return {
    strict,
    outside: (size: number) => reads.filter((r) => r.offset < 0 || r.offset + r.length > size),
  };
}

async function outcomeOf(
  bytes: Uint8Array,
  resampling?: 'bilinear',
  window = everywhere,
): Promise<unknown> {
  const [slope] = aManifest().covariates;
  const change = resampling ? { resampling } : { band: 2 };
  const covariate = { ...slope, ...change } as typeof slope & object;
  const manifest = aManifest({ covariates: [covariate] });
  const { strict, outside } = watchFiles(
    createPackFiles({ 'slope.tif': bytes, 'manifest.json': asJson(manifest) }),
  );
  const pack = await loadPack(strict);
  const outcome = await readCovariates(pack, window).catch((error: unknown) => error);
  expect(outside(bytes.length)).toEqual([]);
  return outcome;
}

/** 2 kB that decompress to 2 MiB, although a tile of 16 × 16 cells with two int16 bands has only 1 KiB. */
const bomb = deflateSync(new Uint8Array(2 ** 21));

/** 9-bit LZW codes, each for a run one byte longer than the last: 100 codes stand for 5 kB. */
function makeGrowingRuns(): Uint8Array {
  const codes = [256, 0, ...Array.from({ length: 100 }, (_, i) => 258 + i), 257];
  const bits = codes.map((code) => code.toString(2).padStart(9, '0')).join('');
  return Uint8Array.from(bits.match(/.{1,8}/g) ?? [], (byte) =>
    Number.parseInt(byte.padEnd(8, '0'), 2),
  );
}

describe('a raster with hostile metadata', () => {
  it.each<[string, Uint8Array, string]>([
    [
      'with a directory that leads back to itself',
      changeFile((view) => {
        const directory = view.getUint32(4, true);
        view.setUint32(directory + 2 + 12 * view.getUint16(directory, true), directory, true);
      }),
      'form a cycle',
    ],
    [
      'with a directory outside the file',
      changeFile((view) => view.setUint32(4, 0x7fff_ffff, true)),
      'refers to bytes',
    ],
    ['with tiles outside the file', changeFile(setFirstTile(0xffff_0000, 300)), 'refers to bytes'],
    [
      'with tiles that are longer than their content',
      changeFile(setFirstTile(0, 60_000)),
      '60000 compressed bytes',
    ],
    [
      'with a table outside the file',
      changeFile(setCount(TAG.offsets, 0x3fff_ffff)),
      'refers to bytes',
    ],
    [
      'with fewer tiles than its size requires',
      changeFile(setCount(TAG.offsets, 2)),
      'table has 2 entries',
    ],
    ['without tiles', changeFile(setCount(TAG.offsets, 0)), 'entries'],
    ['with enormous tiles', changeFile(setValue(TAG.tileWidth, 0x7fff_fff0)), 'are allowed'],
    ['with tiles without cells', changeFile(setValue(TAG.tileLength, 0)), 'in tiles of'],
    ['with a wrong width', changeFile(setValue(TAG.width, 0xffff_ffff)), 'entries for'],
    [
      'with a width that is text',
      changeFile((view) => view.setUint16(entryOf(view, TAG.width) + 2, 2, true)),
      'values of type 2',
    ],
    [
      'with more numbers in a tag than any tag has',
      changeFile((view, end) => {
        setCount(TAG.bitsPerSample, 300_000)(view);
        view.setUint32(entryOf(view, TAG.bitsPerSample) + 8, end, true);
      }, new Uint8Array(600_000)),
      'has 300000 numbers',
    ],
    ['with a wrong compression', changeFile(setValue(TAG.compression, 5)), 'unavailable'],
    ['with a compression for pictures', changeFile(setValue(TAG.compression, 7)), 'compression 7'],
  ])('%s is rejected with the covariate’s name', async (_, bytes, reason) => {
    expect(await outcomeOf(bytes)).toMatchObject({
      name: 'CovariateUnavailable',
      covariate: 'slope',
      message: expect.stringContaining(reason),
    });
  });

  it.each([
    ['DEFLATE', 8, bomb, 'more than 1024 bytes'],
    ['LZW', 5, makeGrowingRuns(), 'more than 1024 bytes'],
    [
      'ZSTD',
      50_000,
      // A frame whose header (RFC 8878, 3.1.1.1) claims 1 TiB.
      new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0]),
      '1024',
    ],
  ])(
    'with a %s decompression bomb is rejected with the size that a tile may have',
    async (_, compression, tile, reason) => {
      const file = changeFile((view, end) => {
        setValue(TAG.compression, compression)(view);
        setFirstTile(end, tile.length)(view);
      }, tile);
      const inFirstTile = { col: 0, row: 0, width: 8, height: 8 };
      expect(await outcomeOf(file, undefined, inFirstTile)).toMatchObject({
        message: expect.stringContaining(reason),
      });
    },
  );

  it('with unterminated metadata items is read in bounded time', async () => {
    const items = new TextEncoder().encode('<Item sample="1" name="'.repeat(200_000));
    const file = changeFile((view, end) => {
      setCount(TAG.gdalMetadata, items.length)(view);
      view.setUint32(entryOf(view, TAG.gdalMetadata) + 8, end, true);
    }, items);
    // Searching to the end of the text for each item would take minutes.
    expect(await outcomeOf(file)).toHaveLength(1);
  });

  it('with too many directories is rejected', async () => {
    const directories = 70;
    // Each directory is empty and points to the next, six bytes further on.
    const chain = new Uint8Array(directories * 6);
    const file = changeFile((view, end) => {
      const first = view.getUint32(4, true);
      view.setUint32(first + 2 + 12 * view.getUint16(first, true), end, true);
      for (let i = 0; i + 1 < directories; i += 1) {
        view.setUint32(end + i * 6 + 2, end + (i + 1) * 6, true);
      }
    }, chain);
    expect(await outcomeOf(file)).toMatchObject({
      message: expect.stringContaining('more than 64 directories'),
    });
  });
});

/** The same raster as a big-endian BigTIFF, compressed by ZSTD. */
const big = new Uint8Array(
  readFileSync(new URL('../../../fixtures/covariates/big.tif', import.meta.url)),
);

const seeds: readonly (readonly [string, Uint8Array, 'bilinear' | undefined])[] = [
  ['compressed in tiles', sound, undefined],
  ['with 64-bit offsets', big, undefined],
  ['on another grid', aGeoTiff({ values: cellsOf((col) => col), cellSize: 20 }), 'bilinear'],
];

it('each raster that the next tests change is valid unchanged', async () => {
  for (const [, seed, resampling] of seeds) {
    expect(await outcomeOf(seed, resampling)).toHaveLength(1);
  }
});

describe('a raster with random changes to its bytes', () => {
  const places = fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff, 0x10, 0x2a)), {
    minLength: 1,
    maxLength: 6,
  });

  it.each(seeds)('is read or reported as unavailable: %s', async (_, seed, resampling) => {
    const header = Math.min(seed.length, 1_500);
    await fc.assert(
      fc.asyncProperty(places, fc.boolean(), async (lies, inHeader) => {
        const bytes = Uint8Array.from(seed);
        for (const [at, value] of lies) bytes[at % (inHeader ? header : seed.length)] = value;
        const outcome = await outcomeOf(bytes, resampling);
        if (outcome instanceof Error) expect(outcome.name).toBe('CovariateUnavailable');
        else if (outcome !== null) expect(outcome).toHaveLength(1);
      }),
      { numRuns: runs(500) },
    );
  });

  it.each(seeds)(
    'is read or reported as unavailable wherever it is cut off: %s',
    async (_, seed, resampling) => {
      await fc.assert(
        fc.asyncProperty(fc.nat(seed.length), async (length) => {
          const outcome = await outcomeOf(seed.subarray(0, length), resampling);
          if (outcome instanceof Error) expect(outcome.name).toBe('CovariateUnavailable');
        }),
        { numRuns: 150 },
      );
    },
  );
});
