import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boundsOf } from '../../../console/map/bounds.ts';
import { SAMPLE_TYPES, type SampleType } from '../../../engine/raster/cog/sample-type.ts';
import { aBox } from '../../support/box.ts';
import { aManifest, asJson } from '../../support/model/builders.ts';
import { aGeoTiff } from '../../support/model/geotiff-file.ts';
import { toLonLat } from '../../support/raster/builders.ts';

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

const outline = toLonLat(grid, [
  [66, 0],
  [66, 66],
  [0, 66],
  [0, 129],
  [149, 129],
  [149, 0],
  [66, 0],
]).map(([lon, lat]): [number, number] => [lon, lat]);

/** A field that leaves the first of its 3 × 3 tiles empty. The middle of its bounds is the middle of a cell. */
export const CORNERED = { type: 'Polygon' as const, coordinates: [outline] };

const [west, south, east, north] = boundsOf([CORNERED]) ?? [0, 0, 0, 0];
const cellOfDegrees = 0.00014;
/** The grid in degrees, on which the middle of the field's bounds is also the middle of a cell. */
const degrees: typeof grid = {
  ...grid,
  crs: { epsg: 4326, name: 'WGS 84', proj4: '+proj=longlat +datum=WGS84' },
  cell_size: cellOfDegrees,
  origin: [(west + east) / 2 - 74.5 * cellOfDegrees, (south + north) / 2 + 64.5 * cellOfDegrees],
};

/** Writes a model pack for each storage format of results, and returns their names. */
export function writeFormatPacks(folder: string): readonly string[] {
  for (const type of SAMPLE_TYPES) writePack(folder, type, { sample_type: type });
  writePack(folder, 'sparse', { sample_type: 'float32', sparse: true });
  writePack(folder, 'degrees', { sample_type: 'float32' }, degrees);
  return [...SAMPLE_TYPES, 'sparse', 'degrees'];
}

interface Raster {
  readonly sample_type: SampleType;
  readonly sparse?: boolean;
}

function writePack(folder: string, id: string, raster: Raster, on = grid): void {
  const { nodata, ...step } = STORED[raster.sample_type];
  const pack = join(folder, id);
  const values = (value: (col: number, row: number) => number) =>
    Array.from({ length: width * height }, (_, i) => value(i % width, Math.floor(i / width)));
  const manifest = aManifest({
    id,
    grid: on,
    coverage: aBox(west, south - 0.05, east, north),
    bands: bands.map((band) => ({ ...band, ...step })),
    raster,
    nodata,
  });
  mkdirSync(pack);
  cpSync('test/fixtures/onnx/forest.onnx', join(pack, 'forest.onnx'));
  const slope = values((col, row) => 2 * Math.sin(col / 5 + row / 30));
  const clay = values((_, row) => 2 * Math.cos(row / 7));
  const place = { width, height, origin: on.origin, cellSize: on.cell_size, epsg: on.crs.epsg };
  writeFileSync(join(pack, 'slope.tif'), aGeoTiff({ values: slope, ...place }));
  writeFileSync(join(pack, 'clay.tif'), aGeoTiff({ values: clay, ...place }));
  writeFileSync(join(pack, 'manifest.json'), asJson(manifest));
}
