import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE_TYPES, type SampleType } from '../../../lambdas/raster/cog/sample-type.ts';
import { aManifest, asJson } from '../../unit/model/builders.ts';
import { aGeoTiff } from '../../unit/model/geotiff-file.ts';
import { lonLat } from '../../unit/raster/builders.ts';

const [width, height] = [150, 130];
const { grid: small, bands } = aManifest();
const grid = { ...small, width, height };

interface Stored {
  readonly nodata: number;
  readonly scale?: number;
  readonly offset?: number;
}

const STORED: Readonly<Record<SampleType, Stored>> = {
  float32: { nodata: -9999 },
  int16: { nodata: -32_768, scale: 0.01, offset: 5 },
  uint16: { nodata: 65_535, scale: 0.001 },
  uint8: { nodata: 255, scale: 0.5 },
};

const outline = lonLat(grid, [
  [66, 0],
  [66, 66],
  [0, 66],
  [0, 129],
  [149, 129],
  [149, 0],
  [66, 0],
]).map(([lon, lat]): [number, number] => [lon, lat]);

/** A field around the middle of a cell, without any cell of the first of its 3 × 3 tiles. */
export const CORNERED = { type: 'Polygon' as const, coordinates: [outline] };

/** Writes a model pack for each way to store results, and names them. */
export function writeFormatPacks(folder: string): readonly string[] {
  for (const type of SAMPLE_TYPES) writePack(folder, type, type, false);
  writePack(folder, 'sparse', 'float32', true);
  return [...SAMPLE_TYPES, 'sparse'];
}

function writePack(folder: string, id: string, sample_type: SampleType, sparse: boolean): void {
  const { nodata, ...step } = STORED[sample_type];
  const pack = join(folder, id);
  const values = (value: (col: number, row: number) => number) =>
    Array.from({ length: width * height }, (_, i) => value(i % width, Math.floor(i / width)));
  const manifest = aManifest({
    id,
    grid,
    coverage: CORNERED,
    bands: bands.map((band) => ({ ...band, ...step })),
    raster: { sample_type, sparse },
    nodata,
  });
  mkdirSync(pack);
  cpSync('test/fixtures/onnx/forest.onnx', join(pack, 'forest.onnx'));
  const slope = values((col, row) => 2 * Math.sin(col / 5 + row / 30));
  const clay = values((_, row) => 2 * Math.cos(row / 7));
  writeFileSync(join(pack, 'slope.tif'), aGeoTiff({ values: slope, width, height }));
  writeFileSync(join(pack, 'clay.tif'), aGeoTiff({ values: clay, width, height }));
  writeFileSync(join(pack, 'manifest.json'), asJson(manifest));
}
