import { fromUrl } from 'geotiff';
import type { Model } from 'soil-batch-client';
import './zstd.ts';

/** The smallest version of a raster, for its distribution. */
export interface Overview {
  /** Of each band, with NaN where the model has no value. */
  readonly bands: readonly Float64Array[];
  /** How many cells of the raster one cell of the overview is wide: 1 if a raster has no overview. */
  readonly reduction: number;
}

/** Reads the last image of a cloud-optimized GeoTIFF: at most 512 cells wide and high. */
export async function readOverview(
  url: string,
  { bands, nodata }: Model,
  signal: AbortSignal,
): Promise<Overview> {
  const file = await fromUrl(url, {}, signal);
  const full = await file.getImage();
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
