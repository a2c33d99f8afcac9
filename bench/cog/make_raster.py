"""Creates the raster that both writers read: an uncompressed GeoTIFF, pixel-interleaved and contiguous.

Usage: make_raster.py FILE SIZE BANDS
The values resemble a soil map: hills of several sizes, 0.3 % noise and a corner of nodata. The program prints
the offset of the cells.
"""

import json
import sys

import numpy as np
import rasterio
from rasterio.transform import from_origin

NODATA = -9999
ROWS = 500


def make_hills(size, rows, top, band):
    """Returns bilinear noise of three wavelengths. A row does not depend on the requested range."""
    total = np.zeros((rows, size), "f4")
    for octave, (cells, height) in enumerate(((size // 8, 40), (size // 60, 12), (size // 500, 4))):
        step = max(cells, 1)
        grid = np.random.default_rng([band, octave]).random((size // step + 3, size // step + 3))
        grid = (grid * height).astype("f4")
        y = (np.arange(top, top + rows, dtype="f4") / step)[:, None]
        x = (np.arange(size, dtype="f4") / step)[None, :]
        y0, x0 = y.astype(int), x.astype(int)
        fy, fx = y - y0, x - x0
        north = grid[y0, x0] * (1 - fx) + grid[y0, x0 + 1] * fx
        south = grid[y0 + 1, x0] * (1 - fx) + grid[y0 + 1, x0 + 1] * fx
        total += north * (1 - fy) + south * fy
    return total


def main():
    path, size, bands = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    profile = {
        "driver": "GTiff",
        "width": size,
        "height": size,
        "count": bands,
        "dtype": "float32",
        "nodata": NODATA,
        "crs": "EPSG:28992",
        "transform": from_origin(178_440, 333_760, 10, 10),
        "interleave": "pixel",
        "blockysize": 1,
        "BIGTIFF": "IF_SAFER",
    }
    with rasterio.open(path, "w", **profile) as raster:
        for top in range(0, size, ROWS):
            rows = min(ROWS, size - top)
            window = rasterio.windows.Window(0, top, size, rows)
            outside = np.add.outer(np.arange(top, top + rows), np.arange(size)) < size // 2
            for band in range(1, bands + 1):
                noise = np.random.default_rng([band, top]).normal(1, 0.003, (rows, size))
                values = (make_hills(size, rows, top, band) * noise).astype("f4")
                values[outside] = NODATA
                raster.write(values, band, window=window)
    with rasterio.open(path) as raster:
        offset = int(raster.get_tag_item("BLOCK_OFFSET_0_0", "TIFF", bidx=1))
        last = int(raster.get_tag_item(f"BLOCK_OFFSET_0_{size - 1}", "TIFF", bidx=1))
    assert last - offset == (size - 1) * size * bands * 4, "rows are not contiguous"
    print(json.dumps({"offset": offset}))


main()
