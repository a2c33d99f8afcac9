import { writeArrayBuffer } from 'geotiff';

export interface RasterFile {
  readonly values: ArrayLike<number>;
  readonly width?: number;
  readonly height?: number;
  readonly origin?: readonly [number, number];
  readonly cellSize?: number;
  readonly epsg?: number;
  readonly nodata?: string;
  /** GDAL's metadata as XML. */
  readonly metadata?: string;
  readonly pixelIsPoint?: boolean;
  /** The georeference: a tie point at the first cell, at another cell, or a matrix. */
  readonly position?: 'first' | 'other' | 'matrix';
}

/** Writes a raster, by default on the grid of `aManifest`. */
export function aGeoTiff({
  values,
  width = 40,
  height = 30,
  origin = [500000, 5600000],
  cellSize = 10,
  epsg = 32631,
  nodata,
  metadata,
  pixelIsPoint = false,
  position = 'first',
}: RasterFile): Uint8Array {
  const [x, y] = origin;
  const bytes = writeArrayBuffer(Float32Array.from(values), {
    width,
    height,
    ...{
      first: { ModelPixelScale: [cellSize, cellSize, 0], ModelTiepoint: [0, 0, 0, x, y, 0] },
      other: {
        ModelPixelScale: [cellSize, cellSize, 0],
        ModelTiepoint: [7, 4, 0, x + 7 * cellSize, y - 4 * cellSize, 0],
      },
      matrix: {
        ModelTransformation: [cellSize, 0, 0, x, 0, -cellSize, 0, y, 0, 0, 0, 0, 0, 0, 0, 1],
      },
    }[position],
    GTModelTypeGeoKey: epsg === 4326 ? 2 : 1,
    GTRasterTypeGeoKey: pixelIsPoint ? 2 : 1,
    ...(epsg === 4326 ? { GeographicTypeGeoKey: epsg } : { ProjectedCSTypeGeoKey: epsg }),
    ...(nodata === undefined ? {} : { GDAL_NODATA: `${nodata}\0` }),
    ...(metadata === undefined ? {} : { ImageDescription: `${metadata}\0` }),
  });
  // The writer does not know the tag of GDAL's metadata.
  return renumberTag(new Uint8Array(bytes), IMAGE_DESCRIPTION, GDAL_METADATA);
}

const IMAGE_DESCRIPTION = 270;
const GDAL_METADATA = 42112;

function renumberTag(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const view = new DataView(bytes.buffer);
  const little = view.getUint16(0) === 0x4949;
  const directory = view.getUint32(4, little);
  for (let i = 0; i < view.getUint16(directory, little); i += 1) {
    const entry = directory + 2 + 12 * i;
    if (view.getUint16(entry, little) === from) view.setUint16(entry, to, little);
  }
  return bytes;
}

/** Returns a value for each cell of the grid of `aManifest`. */
export function cellsOf(value: (col: number, row: number) => number): number[] {
  return Array.from({ length: 40 * 30 }, (_, i) => value(i % 40, Math.floor(i / 40)));
}
