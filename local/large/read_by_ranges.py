"""Reads a raster as GDAL does through /vsicurl/, by its signed URL alone.

    read_by_ranges.py URL header|window|overview [COL ROW]

Prints what was seen as JSON; the proxy in GDAL_HTTP_PROXY counts what it took.
"""

import json
import sys

import numpy as np
import rasterio
from rasterio.windows import Window

url, what, *place = sys.argv[1:]
# The URL is signed for GET alone; of AWS's own hosts GDAL knows that by itself.
options = {"GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR", "CPL_VSIL_CURL_USE_HEAD": "NO"}
with rasterio.Env(**options), rasterio.open(f"/vsicurl/{url}") as raster:
    seen = {
        "width": raster.width, "height": raster.height, "bands": raster.count,
        "descriptions": raster.descriptions, "nodata": raster.nodata,
        "overviews": raster.overviews(1), "block": raster.block_shapes[0],
        "model": raster.tags().get("MODEL"),
        "valid_percent": raster.tags(1).get("STATISTICS_VALID_PERCENT"),
    }
    cells = None
    if what == "window":
        col, row = map(int, place)
        cells = raster.read(window=Window(col, row, 256, 256), masked=True)
    if what == "overview":
        cells = raster.read(1, out_shape=(raster.height // 64, raster.width // 64), masked=True)
    if cells is not None:
        seen["cells"] = int(np.prod(cells.shape))
        seen["valid"] = int(cells.count())
        seen["mean"] = float(cells.mean()) if cells.count() else None
print(json.dumps(seen))
