import type { MultiPolygonRings, Position } from '../../../engine/geometry/polygon.ts';
import type { Manifest } from '../../../engine/model/pack/manifest.ts';
import { transformOfGrid } from '../../../engine/projection/transform.ts';
import { assembleCog } from '../../../engine/raster/cog/assemble.ts';
import { parseBlockIndex } from '../../../engine/raster/cog/block-index.ts';
import type { TileOrder } from '../../../engine/raster/cog/layout.ts';
import type { CogBlock } from '../../../engine/raster/cog/placed-block.ts';
import type { BlockSource, CogTarget } from '../../../engine/raster/cog/ports.ts';
import { halvingOf, type RasterDescription } from '../../../engine/raster/cog/raster.ts';
import { createSamples } from '../../../engine/raster/cog/sample-type.ts';
import type { Grid } from '../../../engine/raster/grid/grid.ts';
import { encodeBlock } from './encode-block.ts';

/** Rijksdriehoek with its datum shift as EPSG registers it (transformation 15934). */
export const RD_PROJ4 =
  '+proj=sterea +lat_0=52.1561605555556 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000 +ellps=bessel +towgs84=565.4171,50.3319,465.5524,-0.398957388243134,0.343987817378283,-1.87740163998045,4.0725 +units=m +no_defs';

export function rdGrid(changes: Partial<Manifest['grid']> = {}): Grid {
  const grid: Manifest['grid'] = {
    crs: { epsg: 28992, name: 'Amersfoort / RD New', proj4: RD_PROJ4 },
    origin: [178_440, 333_760],
    cell_size: 10,
    width: 312,
    height: 416,
    tile_size: 64,
    block_tiles: 2,
    ...changes,
  };
  return grid;
}

/** Converts positions in cells of the grid (columns, rows) to WGS84 degrees. */
export function toLonLat(grid: Grid, positions: readonly Position[]): Position[] {
  const { inverse } = transformOfGrid(grid);
  return positions.map(([col, row]) =>
    inverse([grid.origin[0] + col * grid.cell_size, grid.origin[1] - row * grid.cell_size]),
  );
}

export function rectangle(
  grid: Grid,
  [west, north, east, south]: readonly [number, number, number, number],
): Position[] {
  return toLonLat(grid, [
    [west, north],
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ]);
}

export function toPolygon(...rings: readonly Position[][]): MultiPolygonRings {
  return [rings];
}

export type CellFunction = (col: number, row: number, band: number) => number;

export function raster(changes: Partial<RasterDescription> = {}): RasterDescription {
  return {
    width: 150,
    height: 200,
    crs: { epsg: 28992, name: 'Amersfoort / RD New', geographic: false },
    origin: [178_440, 333_760],
    cellSize: 10,
    tileSize: 64,
    blockTiles: 1,
    bands: [
      { name: 'mean', description: 'Soil organic carbon', unit: 'kg/m3' },
      { name: 'q05', description: 'Lower bound', unit: 'kg/m3', quantile: 0.05 },
    ],
    nodata: -9999,
    tags: { MODEL: 'meuse-soc@1.0.0' },
    ...changes,
  };
}

export const NODATA = -9999;

export const waves: CellFunction = (col, row, band) =>
  (col * 7 + row * 3) % 11 === 0 ? NODATA : Math.fround(Math.sin(col / 9) * 10 + row / 7 + band);

/** `skip` omits blocks by their first cell. */
export function encodeRaster(
  of: RasterDescription,
  value: CellFunction,
  skip: (col: number, row: number) => boolean = () => false,
): { readonly blocks: CogBlock[]; readonly store: Map<string, Uint8Array> } {
  const edge = of.tileSize * of.blockTiles;
  const bands = of.bands.length;
  const blocks: CogBlock[] = [];
  const store = new Map<string, Uint8Array>();
  for (let row = 0; row < of.height; row += edge) {
    for (let col = 0; col < of.width; col += edge) {
      if (skip(col, row)) continue;
      const width = Math.min(edge, of.width - col);
      const height = Math.min(edge, of.height - row);
      const cells = createSamples(of.sampleType ?? 'float32', width * height * bands);
      for (let i = 0; i < cells.length; i += 1) {
        const cell = Math.floor(i / bands);
        cells[i] = value(col + (cell % width), row + Math.floor(cell / width), i % bands);
      }
      const { nodata, tileSize, blockTiles, compression = 'deflate' } = of;
      const { resampling } = halvingOf(of);
      const shape = { width, height, bands, nodata, tileSize, blockTiles };
      const block = encodeBlock({ cells, ...shape, resampling, compression });
      const ref = `block ${col},${row}`;
      store.set(ref, block.bytes);
      // The store returns the index in this form.
      const index = parseBlockIndex(JSON.parse(JSON.stringify(block.index)));
      blocks.push({ ref, col, row, index });
    }
  }
  return { blocks, store };
}

/** Rejects ranges outside an object, like the S3 adapter. */
export function memorySource(store: ReadonlyMap<string, Uint8Array>): BlockSource {
  return {
    readInto: async (ref, offset, into) => into.set(readRange(store, ref, offset, into.length)),
  };
}

function readRange(
  store: ReadonlyMap<string, Uint8Array>,
  ref: string,
  offset: number,
  length: number,
): Uint8Array {
  const bytes = store.get(ref);
  if (bytes === undefined || offset < 0 || offset + length > bytes.length) {
    throw new Error(`no bytes ${offset}+${length} in ${ref}`);
  }
  return bytes.subarray(offset, offset + length);
}

/** A target like S3's multipart uploads: parts come in any order, and all but the last have at least 5 MiB. */
export class MemoryTarget implements CogTarget {
  readonly calls: string[] = [];
  bytes: Uint8Array | null = null;
  openUploads = 0;
  private readonly store: ReadonlyMap<string, Uint8Array>;
  private readonly failAtPart: number | null;

  constructor(store: ReadonlyMap<string, Uint8Array>, failAtPart: number | null = null) {
    this.store = store;
    this.failAtPart = failAtPart;
  }

  async putWhole(bytes: Uint8Array): Promise<string> {
    this.calls.push('putWhole');
    this.bytes = bytes;
    return '"whole"';
  }

  async begin() {
    const parts = new Map<number, Uint8Array>();
    this.openUploads += 1;
    const keep = async (part: number, bytes: Uint8Array): Promise<void> => {
      if (part === this.failAtPart) throw new Error('SlowDown');
      if (this.openUploads === 0) throw new Error('NoSuchUpload');
      parts.set(part, bytes.slice());
    };
    return {
      uploadPart: (part: number, bytes: Uint8Array) => {
        this.calls.push('uploadPart');
        return keep(part, bytes);
      },
      copyPart: (part: number, ref: string, offset: number, length: number) => {
        this.calls.push('copyPart');
        return keep(part, readRange(this.store, ref, offset, length));
      },
      complete: async () => {
        const ordered = [...parts.keys()].sort((a, b) => a - b).map((n) => parts.get(n));
        const small = ordered.slice(0, -1).some((part) => (part?.length ?? 0) < 5 * 1024 ** 2);
        if (small) throw new Error('EntityTooSmall');
        this.bytes = Buffer.concat(ordered.filter((part) => part !== undefined));
        this.openUploads -= 1;
        return '"in parts"';
      },
      abort: async () => {
        this.calls.push('abort');
        this.openUploads -= 1;
      },
    };
  }
}

export async function writeCog(
  of: RasterDescription,
  value: CellFunction,
  options: {
    readonly skip?: (col: number, row: number) => boolean;
    readonly order?: TileOrder;
  } = {},
): Promise<Uint8Array> {
  const { blocks, store } = encodeRaster(of, value, options.skip);
  const target = new MemoryTarget(store);
  await assembleCog({
    raster: of,
    blocks,
    source: memorySource(store),
    target,
    ...(options.order === undefined ? {} : { order: options.order }),
  });
  if (target.bytes === null) throw new Error('nothing was written');
  return target.bytes;
}
