import { fromUrl, type GeoTIFFImage } from 'geotiff';
import type { Model } from 'soil-batch-client';
import { RasterUnreadable } from './raster-unreadable.ts';
import './zstd.ts';

export interface Overview {
  /** The values of each band; NaN where the model has none. */
  readonly bands: readonly Float64Array[];
  /** The width of an overview cell, in cells of the raster; 1 if the raster has no overview. */
  readonly reduction: number;
}

/**
 * Reads the last image of a Cloud Optimized GeoTIFF, which is at most 512 cells wide and high.
 * @throws RasterUnreadable if the file is not in the reference system of its model
 */
export async function readOverview(
  url: string,
  { bands, nodata, grid }: Model,
  signal: AbortSignal,
): Promise<Overview> {
  const file = await fromUrl(url, {}, signal);
  const full = await file.getImage();
  if (readReferenceSystem(full) !== grid.crs) throw new RasterUnreadable('misplaced');
  const smallest = await file.getImage((await file.getImageCount()) - 1);
  const rasters = await smallest.readRasters({ signal });
  return {
    reduction: Math.round(full.getWidth() / smallest.getWidth()),
    bands: bands.map(({ scale, offset }, at) =>
      Float64Array.from(rasters[at] ?? [], (cell) =>
        cell === nodata ? Number.NaN : cell * scale + offset,
      ),
    ),
  };
}

/** The reference system's name, such as `EPSG:28992`; results state its code. */
function readReferenceSystem(image: GeoTIFFImage): string {
  const keys = image.getGeoKeys();
  return `EPSG:${keys?.ProjectedCSTypeGeoKey ?? keys?.GeographicTypeGeoKey}`;
}
