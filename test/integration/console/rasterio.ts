import { execFileSync } from 'node:child_process';

function python(script: string, ...args: readonly string[]): string {
  return execFileSync('.local/venv/bin/python', ['-c', script, ...args], { encoding: 'utf8' });
}

export interface Cell {
  /** The values in the property's unit. */
  readonly values: readonly number[];
  /** How many cells have a value in the raster's smallest version. */
  readonly valid: number;
}

/** What rasterio reads of a file, in the cell at a place. */
export function cellAt(file: string, lon: number, lat: number): Cell {
  const script = `
import json, sys
import rasterio
from rasterio.warp import transform
with rasterio.open(sys.argv[1]) as raster:
    xs, ys = transform("EPSG:4326", raster.crs, [float(sys.argv[2])], [float(sys.argv[3])])
    stored = next(raster.sample([(xs[0], ys[0])]))
    values = [float(v) * s + o for v, s, o in zip(stored, raster.scales, raster.offsets)]
    overviews = len(raster.overviews(1))
level = {"overview_level": overviews - 1} if overviews > 0 else {}
with rasterio.open(sys.argv[1], **level) as raster:
    valid = int((raster.read(1) != raster.nodata).sum())
print(json.dumps({"values": values, "valid": valid}))`;
  return JSON.parse(python(script, file, String(lon), String(lat)));
}

/** A raster of the same cells in another reference system. */
export function reproject(from: string, to: string, crs: string): void {
  const script = `
import sys
import rasterio, rasterio.shutil, rasterio.vrt
with rasterio.open(sys.argv[1]) as raster, rasterio.vrt.WarpedVRT(raster, crs=sys.argv[3]) as warped:
    rasterio.shutil.copy(warped, sys.argv[2], driver="GTiff", tiled=True)`;
  python(script, from, to, crs);
}

/** The same raster with its cells compressed by ZSTD, as Node only does it since 22.15. */
export function compressByZstd(from: string, to: string): void {
  const script = `
import sys
import rasterio, rasterio.shutil
with rasterio.open(sys.argv[1]) as raster:
    structure = raster.tags(ns="IMAGE_STRUCTURE")
    size = raster.block_shapes[0][0]
    rasterio.shutil.copy(
        raster, sys.argv[2], driver="GTiff", compress="zstd", predictor=structure["PREDICTOR"],
        tiled=True, blockxsize=size, blockysize=size, interleave="pixel", copy_src_overviews=True,
    )
with rasterio.open(sys.argv[2]) as raster:
    assert raster.compression.name == "zstd"`;
  python(script, from, to);
}
