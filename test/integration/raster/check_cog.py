"""Checks a COG with GDAL and rio-cogeo, and prints what they read as JSON.

Usage: check_cog.py FILE [--pixels] [--gdal-overviews [RESAMPLING]]
Pixels are base64 of little-endian float32, band after band, level after level.
With --gdal-overviews, GDAL itself makes the same overviews (average, or as given) from the full resolution, and the cells that differ are counted, level by level.
"""

import base64
import json
import sys
import warnings

import rasterio
from rasterio.enums import Interleaving, Resampling
from rio_cogeo.cogeo import cog_validate

warnings.simplefilter("error")


def pixels(path, level):
    options = {} if level == 0 else {"overview_level": level - 1}
    with rasterio.open(path, **options) as raster:
        values = raster.read().astype("<f4")
        return {
            "width": raster.width,
            "height": raster.height,
            "values": base64.b64encode(values.tobytes()).decode(),
        }


def overview_differences(path, resampling):
    with rasterio.open(path) as raster:
        factors = raster.overviews(1)
        profile = {key: raster.profile[key] for key in ("width", "height", "count", "dtype", "nodata")}
        profile["transform"] = raster.transform
        cells = raster.read()
    with rasterio.MemoryFile() as memory:
        with memory.open(driver="GTiff", **profile) as plain:
            plain.write(cells)
            plain.build_overviews(factors, resampling)
        differences = []
        for level in range(len(factors)):
            with (
                rasterio.open(path, overview_level=level) as ours,
                memory.open(overview_level=level) as theirs,
            ):
                differences.append(int((ours.read() != theirs.read()).sum()))
    return differences


def main():
    path = sys.argv[1]
    valid, errors, notes = cog_validate(path, strict=True, quiet=True)
    with rasterio.open(path) as raster:
        report = {
            "valid": valid,
            "errors": errors,
            "warnings": notes,
            "width": raster.width,
            "height": raster.height,
            "bands": raster.count,
            "dtypes": raster.dtypes,
            "nodata": raster.nodata,
            "epsg": raster.crs.to_epsg(),
            "crs_name": raster.crs.to_wkt().split('"')[1],
            "transform": list(raster.transform)[:6],
            "block_shapes": raster.block_shapes,
            "overviews": raster.overviews(1),
            "pixel_interleaved": raster.interleaving == Interleaving.pixel,
            "descriptions": raster.descriptions,
            "units": raster.units,
            "scales": raster.scales,
            "offsets": raster.offsets,
            "tags": raster.tags(),
            "structure": raster.tags(ns="IMAGE_STRUCTURE"),
            "tiff": raster.tags(ns="TIFF"),
            "band_tags": [raster.tags(band) for band in raster.indexes],
        }
    if "--pixels" in sys.argv:
        report["levels"] = [pixels(path, level) for level in range(len(report["overviews"]) + 1)]
    if "--gdal-overviews" in sys.argv:
        given = sys.argv[sys.argv.index("--gdal-overviews") + 1 :]
        resampling = Resampling[given[0] if given else "average"]
        report["overview_differences"] = overview_differences(path, resampling)
    print(json.dumps(report))


main()
