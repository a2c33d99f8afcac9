import type { z } from 'zod';
import type { manifestSchema } from '../../../engine/model/pack/manifest.ts';
import { loadPack, type Pack } from '../../../engine/model/pack/pack.ts';
import { type PackFiles, PackFileUnavailable } from '../../../engine/model/pack/pack-files.ts';

type ManifestJson = z.input<typeof manifestSchema>;

/**
 * Returns the manifest of a pack of 40 × 30 cells, with two rasters and both coordinates, for
 * `test/fixtures/onnx/forest.onnx`.
 */
export function aManifest(changes: Partial<ManifestJson> = {}): ManifestJson {
  return {
    schema: 'soil-model-pack/1',
    id: 'plain',
    version: '1.0.0',
    title: 'A plain for tests',
    property: { name: 'carbon density', unit: 'kg/m3', depth_cm: [0, 20] },
    sample_support: 'a point',
    grid: {
      crs: { epsg: 32631, name: 'UTM 31N', proj4: '+proj=utm +zone=31 +datum=WGS84' },
      origin: [500000, 5600000],
      cell_size: 10,
      width: 40,
      height: 30,
      tile_size: 64,
      block_tiles: 1,
    },
    coverage: {
      type: 'Polygon',
      coordinates: [
        [
          [3, 50.549],
          [3.006, 50.549],
          [3.006, 50.552],
          [3, 50.549],
        ],
      ],
    },
    temporal: { kind: 'static', data_period: [2000, 2001] },
    covariates: [
      { kind: 'raster', name: 'slope', description: 'slope', unit: 'degree', href: 'slope.tif' },
      { kind: 'raster', name: 'clay', description: 'clay', unit: '%', href: 'clay.tif' },
      { kind: 'coordinate', name: 'x', description: 'easting', axis: 'x' },
      { kind: 'coordinate', name: 'y', description: 'northing', axis: 'y' },
    ],
    graph: { href: 'forest.onnx', format: 'onnx', targets: 2 },
    bands: [
      { name: 'mean', description: 'mean', from: { kind: 'target', index: 1 } },
      { name: 'other', description: 'other', from: { kind: 'target', index: 0 } },
    ],
    nodata: -9999,
    points_per_second: 10000,
    accuracy: [],
    licenses: [{ part: 'all', license: 'CC0-1.0', citation: 'made for tests' }],
    ...changes,
  };
}

export const TWO_PERIODS = {
  kind: 'period',
  periods: [
    [2010, 2014],
    [2015, 2019],
  ],
};

/** Counts the bytes that are read. */
export function createPackFiles(
  contents: Readonly<Record<string, Uint8Array>>,
): PackFiles & { bytesRead(): number } {
  let bytes = 0;
  const find = (href: string): Uint8Array => {
    const content = contents[href];
    if (!content) {
      throw new PackFileUnavailable(href, 'not found in the pack');
    }
    return content;
  };
  const count = (content: Uint8Array): Uint8Array => {
    bytes += content.length;
    return content;
  };
  return {
    readFile: async (href) => count(find(href)),
    readRange: async (href, offset, length) => count(find(href).subarray(offset, offset + length)),
    readSize: async (href) => find(href).length,
    bytesRead: () => bytes,
  };
}

export function asJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

export function aPack(
  manifest: ManifestJson,
  contents: Readonly<Record<string, Uint8Array>>,
): Promise<Pack> {
  return loadPack(createPackFiles({ ...contents, 'manifest.json': asJson(manifest) }));
}
