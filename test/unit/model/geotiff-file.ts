import { writeArrayBuffer } from 'geotiff';

export interface RasterFile {
  readonly values: ArrayLike<number>;
  readonly width?: number;
  readonly height?: number;
  readonly origin?: readonly [number, number];
  readonly cellSize?: number;
  readonly epsg?: number;
  readonly nodata?: string;
  readonly pixelIsPoint?: boolean;
}

/** An uncompressed one-band float32 GeoTIFF on the grid of `aManifest`, unless told otherwise. */
export function aGeoTiff({
  values,
  width = 40,
  height = 30,
  origin = [500000, 5600000],
  cellSize = 10,
  epsg = 32631,
  nodata,
  pixelIsPoint = false,
}: RasterFile): Uint8Array {
  const bytes = writeArrayBuffer(Float32Array.from(values), {
    width,
    height,
    ModelPixelScale: [cellSize, cellSize, 0],
    ModelTiepoint: [0, 0, 0, origin[0], origin[1], 0],
    GTModelTypeGeoKey: epsg === 4326 ? 2 : 1,
    GTRasterTypeGeoKey: pixelIsPoint ? 2 : 1,
    ...(epsg === 4326 ? { GeographicTypeGeoKey: epsg } : { ProjectedCSTypeGeoKey: epsg }),
    ...(nodata === undefined ? {} : { GDAL_NODATA: `${nodata}\0` }),
  });
  return new Uint8Array(bytes);
}

/** One value a cell of the grid of `aManifest`. */
export function cellsOf(value: (col: number, row: number) => number): number[] {
  return Array.from({ length: 40 * 30 }, (_, i) => value(i % 40, Math.floor(i / 40)));
}
