"""Reads a raster with GDAL through /vsicurl/ and its signed URL.

    read_by_ranges.py URL header|window|overview [COL ROW]

Prints JSON; the proxy in GDAL_HTTP_PROXY counts requests and bytes. For an overview the JSON also has
the position of a window of 256 x 256 valid cells, or null.
"""

import json
import sys

import numpy as np
import rasterio
from rasterio.windows import Window

FACTOR, EDGE = 64, 256


def valid_window(valid):
    """Position of the first window of valid cells, as [column, row] in the full resolution."""
    edge = EDGE // FACTOR
    squares = np.lib.stride_tricks.sliding_window_view(valid, (edge, edge)).all(axis=(2, 3))
    rows, cols = np.nonzero(squares)
    return [int(cols[0]) * FACTOR, int(rows[0]) * FACTOR] if len(rows) else None


url, what, *position = sys.argv[1:]
# The URL is signed for GET only. For AWS's hosts GDAL uses only GET by itself (docs/rasters.md).
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
        col, row = map(int, position)
        cells = raster.read(window=Window(col, row, EDGE, EDGE), masked=True)
    if what == "overview":
        cells = raster.read(1, out_shape=(raster.height // FACTOR, raster.width // FACTOR), masked=True)
        seen["position"] = valid_window(~np.ma.getmaskarray(cells))
    if cells is not None:
        seen["cells"] = int(np.prod(cells.shape))
        seen["valid"] = int(cells.count())
        seen["mean"] = float(cells.mean()) if cells.count() else None
print(json.dumps(seen))
