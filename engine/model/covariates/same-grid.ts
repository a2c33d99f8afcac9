import type { RasterFile } from '../geotiff/raster-file.ts';
import type { Manifest } from '../pack/manifest.ts';

/** Tolerance, in cells, for rounding of origins and cell sizes in text. */
const TOLERANCE = 1e-3;

/** Describes how a raster's grid differs from the pack's; undefined if it does not. */
export function gridDifference(
  { georeference, levels }: RasterFile,
  { crs, origin, cell_size, width, height }: Manifest['grid'],
): string | undefined {
  const { epsg, west, north, cellWidth, cellHeight } = georeference;
  const [full] = levels;
  if (full?.width !== width || full.height !== height) {
    return `${full?.width} × ${full?.height} cells, not ${width} × ${height}`;
  }
  if (epsg !== null && epsg !== crs.epsg) return `EPSG:${epsg}, not EPSG:${crs.epsg}`;
  // The tolerance applies at the far corner.
  const stretch = Math.max(
    Math.abs(cellWidth - cell_size) * width,
    Math.abs(cellHeight - cell_size) * height,
  );
  if (!(stretch <= TOLERANCE * cell_size)) {
    return `cells of ${cellWidth} × ${cellHeight}, not ${cell_size}`;
  }
  const shift = Math.max(Math.abs(west - origin[0]), Math.abs(north - origin[1]));
  if (!(shift <= TOLERANCE * cell_size)) {
    return `origin ${west}, ${north}, not ${origin.join(', ')}`;
  }
  return undefined;
}
