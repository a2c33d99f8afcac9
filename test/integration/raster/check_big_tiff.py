"""Reads a large COG with rio-cogeo and GDAL: check_big_tiff.py FILE.

Prints whether the file is valid, its kind of TIFF, and the first and last cell of three bands in its first and last tile; it reads no other tiles.
"""

import json
import sys
import warnings

import rasterio
from rasterio.windows import Window
from rio_cogeo.cogeo import cog_validate

warnings.simplefilter("error")
path = sys.argv[1]
valid, errors, notes = cog_validate(path, strict=True, quiet=True)
with open(path, "rb") as file:
    magic = int.from_bytes(file.read(4)[2:], "little")
with rasterio.open(path) as raster:
    corners = [(0, 0), (raster.width - 512, raster.height - 512)]
    tiles = [raster.read([1, 18, 32], window=Window(col, row, 512, 512)) for col, row in corners]
print(json.dumps({
    "valid": valid,
    "errors": errors,
    "warnings": notes,
    "tiff": {42: "classic", 43: "BigTIFF"}[magic],
    "cells": [[[int(band[0, 0]), int(band[-1, -1])] for band in tile] for tile in tiles],
}))
