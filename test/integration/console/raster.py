"""Reads a cell of a raster, or converts a raster: cell FILE LON LAT, reproject FROM TO CRS, or zstd FROM TO."""

import json
import sys

import rasterio
import rasterio.shutil
import rasterio.vrt
from rasterio.warp import transform


def cell(file, lon, lat):
    with rasterio.open(file) as raster:
        xs, ys = transform("EPSG:4326", raster.crs, [float(lon)], [float(lat)])
        stored = next(raster.sample([(xs[0], ys[0])]))
        values = [float(v) * s + o for v, s, o in zip(stored, raster.scales, raster.offsets)]
        overviews = len(raster.overviews(1))
    level = {"overview_level": overviews - 1} if overviews > 0 else {}
    with rasterio.open(file, **level) as raster:
        return {"values": values, "valid": int((raster.read(1) != raster.nodata).sum())}


def reproject(source, to, crs):
    with rasterio.open(source) as raster, rasterio.vrt.WarpedVRT(raster, crs=crs) as warped:
        rasterio.shutil.copy(warped, to, driver="GTiff", tiled=True)


def zstd(source, to):
    with rasterio.open(source) as raster:
        structure = raster.tags(ns="IMAGE_STRUCTURE")
        size = raster.block_shapes[0][0]
        rasterio.shutil.copy(
            raster,
            to,
            driver="GTiff",
            compress="zstd",
            predictor=structure["PREDICTOR"],
            tiled=True,
            blockxsize=size,
            blockysize=size,
            interleave="pixel",
            copy_src_overviews=True,
        )
    with rasterio.open(to) as raster:
        assert raster.compression.name == "zstd"


what, *args = sys.argv[1:]
print(json.dumps({"cell": cell, "reproject": reproject, "zstd": zstd}[what](*args)))
