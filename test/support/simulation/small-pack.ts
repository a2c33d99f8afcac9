import { readFileSync } from 'node:fs';
import { createPackCatalogue, type PackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import { aBox } from '../box.ts';
import { aManifest, aPack } from '../model/builders.ts';
import { aGeoTiff } from '../model/geotiff-file.ts';

const forest = readFileSync(new URL('../../fixtures/onnx/forest.onnx', import.meta.url));

/** Three blocks side by side, in degrees, because a projection would take time and has separate tests. */
const WIDTH = 160;
const HEIGHT = 64;
const ORIGIN = [3, 50.5518] as const;
const CELL_SIZE = 0.00014;

const manifest = aManifest({
  // A field's first two blocks take a second in total, so they are one share; the third block is another share.
  points_per_second: 250,
  grid: {
    crs: { epsg: 4326, name: 'WGS 84', proj4: '+proj=longlat +datum=WGS84' },
    origin: [...ORIGIN],
    cell_size: CELL_SIZE,
    width: WIDTH,
    height: HEIGHT,
    tile_size: 64,
    block_tiles: 1,
  },
  coverage: aBox(3.0001, 50.5467, 3.022, 50.5518),
  // This type is deflated directly, whereas float32 is first split into byte planes.
  raster: { sample_type: 'int16' },
});

const raster = (value: (col: number) => number) =>
  aGeoTiff({
    width: WIDTH,
    height: HEIGHT,
    origin: ORIGIN,
    cellSize: CELL_SIZE,
    epsg: 4326,
    values: Array.from({ length: WIDTH * HEIGHT }, (_, i) => value(i % WIDTH)),
  });
const slope = raster((col) => col);
const clay = raster((col) => WIDTH - col);

export const catalogue: PackCatalogue = createPackCatalogue([
  await aPack(manifest, { 'forest.onnx': forest, 'slope.tif': slope, 'clay.tif': clay }),
  // The second covariate of this pack is missing.
  await aPack({ ...manifest, id: 'gone' }, { 'forest.onnx': forest, 'slope.tif': slope }),
]);

/** A strip over all three blocks that is only a few cells high, so that a job is fast. */
export const FIELD = aBox(3.0005, 50.5512, 3.0215, 50.5515);

export const BOW_TIE = {
  type: 'Polygon',
  coordinates: [
    [
      [3.001, 50.55],
      [3.004, 50.551],
      [3.004, 50.55],
      [3.001, 50.551],
      [3.001, 50.55],
    ],
  ],
};
