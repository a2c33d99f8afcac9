import type { GeoTIFFImage } from 'geotiff';
import type { Manifest } from '../pack/manifest.ts';

/** Origins and cell sizes pass through float64 text and back: a thousandth of a cell is no shift. */
const TOLERANCE = 1e-3;

/** GeoTIFF 1.1 (OGC 19-008): a user-defined CRS has this code and says nothing to compare. */
const USER_DEFINED = 32767;
const PIXEL_IS_POINT = 2;

/** In what a raster's grid differs from the pack's, in words; undefined where it doesn't. */
export function gridDifference(
  image: GeoTIFFImage,
  { crs, origin, cell_size, width, height }: Manifest['grid'],
): string | undefined {
  if (image.getWidth() !== width || image.getHeight() !== height) {
    return `${image.getWidth()} × ${image.getHeight()} cells, not ${width} × ${height}`;
  }
  const keys = image.getGeoKeys();
  const code: unknown = keys?.ProjectedCSTypeGeoKey ?? keys?.GeographicTypeGeoKey;
  if (typeof code === 'number' && code !== USER_DEFINED && code !== crs.epsg) {
    return `EPSG:${code}, not EPSG:${crs.epsg}`;
  }
  const [cellWidth = 0, cellHeight = 0] = image.getResolution();
  // Rows run south, so the cell's height is negative. The tolerance is for the far corner.
  const stretch = Math.max(
    Math.abs(cellWidth - cell_size) * width,
    Math.abs(-cellHeight - cell_size) * height,
  );
  if (!(stretch <= TOLERANCE * cell_size)) {
    return `cells of ${cellWidth} × ${-cellHeight}, not ${cell_size}`;
  }
  const [west, north] = outerCorner(image, cell_size, keys?.GTRasterTypeGeoKey);
  const shift = Math.max(Math.abs(west - origin[0]), Math.abs(north - origin[1]));
  if (!(shift <= TOLERANCE * cell_size)) {
    return `origin ${west}, ${north}, not ${origin.join(', ')}`;
  }
  return undefined;
}

/** `geotiff` gives a PixelIsPoint raster's tie point as it stands: the first cell's centre. */
function outerCorner(image: GeoTIFFImage, cellSize: number, rasterType: unknown): [number, number] {
  const [x = Number.NaN, y = Number.NaN] = image.getOrigin();
  const half = rasterType === PIXEL_IS_POINT ? cellSize / 2 : 0;
  return [x - half, y + half];
}
