"""Writes the input files of the examples in docs/model-packs.md to the current folder."""

import geopandas
import numpy as np
import rasterio
from rasterio.transform import from_origin
from shapely.geometry import box

WEST, NORTH, CELL, SIZE, SAMPLES = 560_000, 5_836_000, 20, 128, 1_000


def write_raster(name, values):
    profile = {"driver": "GTiff", "count": 1, "dtype": "float32", "crs": "EPSG:25832", "nodata": -1}
    transform = from_origin(WEST, NORTH, CELL, CELL)
    with rasterio.open(
        name, "w", width=SIZE, height=SIZE, transform=transform, **profile
    ) as raster:
        raster.write(values.astype("float32"), 1)


rng = np.random.default_rng(1)
rows, columns = np.mgrid[:SIZE, :SIZE]
elevation = 40 + rows / 4 + rng.normal(0, 1, (SIZE, SIZE))
land_use = 1 + columns // 24 % 3
write_raster("elevation.tif", elevation)
write_raster("land_use.tif", land_use)

edge = box(WEST, NORTH - SIZE * CELL, WEST + SIZE * CELL, NORTH)
geopandas.GeoDataFrame(geometry=[edge], crs="EPSG:25832").to_file("heath.gpkg")

down, right = rng.integers(0, SIZE, (2, SAMPLES))
x, y = WEST + CELL * (right + 0.5), NORTH - CELL * (down + 0.5)
stock = 2 * elevation[down, right] + 8 * land_use[down, right] + rng.normal(0, 4, SAMPLES)
points = geopandas.points_from_xy(x, y, crs="EPSG:25832")
table = {"stock": stock, "block": right // 10}
geopandas.GeoDataFrame(table, geometry=points).to_file("samples.gpkg")
