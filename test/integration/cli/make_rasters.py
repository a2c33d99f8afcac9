"""Two rasters of one grid in EPSG:28992 with a gap between them, in a folder."""

import sys
from pathlib import Path

import numpy as np
import rasterio
from rasterio.transform import from_origin

for index in (1, 2):
    cells = np.full((3, 4, 5), 100 * index, dtype="int16")
    cells[:, 0, 0] = -32768
    with rasterio.open(
        Path(sys.argv[1]) / f"veld-{index}_2021.tif",
        "w",
        driver="GTiff",
        width=5,
        height=4,
        count=3,
        dtype="int16",
        nodata=-32768,
        crs="EPSG:28992",
        transform=from_origin(181000 + 100 * index, 332500, 10, 10),
    ) as raster:
        raster.write(cells)
        raster.descriptions = ("mean", "q05", "q95")
        raster.scales = (0.1, 0.1, 0.1)
