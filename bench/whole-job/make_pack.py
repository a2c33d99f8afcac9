"""Creates a model pack for a benchmark. Usage: make_pack.py FOLDER EDGE RASTERS TREES

The pack has EDGE x EDGE cells at 10 m (UTM 31N), with RASTERS rasters, x and y as covariates. The
rasters are waves with some noise, so that they compress like real ones. The folder also gets the
scikit-learn forest as a pickle, its samples, a star-shaped polygon over the grid, and those squares
of 10^3 to 10^8 cells that fit into the grid.
"""

import json
import pickle
import sys
from pathlib import Path

import numpy as np
import rasterio
from rasterio.transform import from_origin
from rasterio.warp import transform, transform_geom
from rasterio.windows import Window
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestRegressor

folder = Path(sys.argv[1])
edge, rasters, trees = (int(argument) for argument in sys.argv[2:5])
CELL, WEST, NORTH, CRS, SAMPLES = 10, 500_000, 5_600_000, "EPSG:32631", 1060
rng = np.random.default_rng(3)
waves = rng.uniform(0.002, 0.02, size=(rasters, 3))


def make_values(raster, cols, rows):
    a, b, c = waves[raster]
    noise = np.sin(cols * 12.9898 + rows * 78.233 + raster) * 43758.5453 % 1
    return (np.sin(a * cols + b * rows) + np.sin(c * (cols - rows)) + noise / 20).astype(np.float32)


def write_raster(raster):
    options = {"compress": "deflate", "predictor": 3, "tiled": True, "blockxsize": 512, "blockysize": 512}
    with rasterio.open(
        folder / f"f{raster}.tif", "w", driver="GTiff", width=edge, height=edge, count=1, dtype="float32",
        crs=CRS, transform=from_origin(WEST, NORTH, CELL, CELL), **options,
    ) as file:
        for top in range(0, edge, 512):
            rows = np.arange(top, min(top + 512, edge))[:, None]
            window = Window(0, top, edge, len(rows))
            file.write(make_values(raster, np.arange(edge)[None, :], rows), 1, window=window)


for raster in range(rasters):
    write_raster(raster)

cols, rows = rng.integers(0, edge, size=(2, SAMPLES))
columns = [make_values(raster, cols, rows) for raster in range(rasters)]
x = np.column_stack([*columns, WEST + (cols + 0.5) * CELL, NORTH - (rows + 0.5) * CELL])
x = x.astype(np.float32)
y = x[:, :rasters].sum(axis=1) ** 2 + np.sin(cols / edge * 9) + rng.normal(size=SAMPLES) / 2 + 30
forest = RandomForestRegressor(trees, random_state=1).fit(x, y)
graph = to_onnx(forest, x[:1], target_opset={"": 17, "ai.onnx.ml": 3})
(folder / "forest.onnx").write_bytes(graph.SerializeToString())
(folder / "forest.pickle").write_bytes(pickle.dumps(forest))
names = [f"f{i}" for i in range(rasters)] + ["x", "y"]
header = ",".join([*names, "target"])
np.savetxt(folder / "samples.csv", np.column_stack([x, y]), "%.9g", ",", header=header, comments="")

angles = np.linspace(0, 2 * np.pi, 401)[:-1]
reach = edge * CELL * (0.36 + 0.08 * np.sin(5 * angles) + 0.03 * np.sin(37 * angles))
middle = np.array([WEST + edge * CELL / 2 + 1.3, NORTH - edge * CELL / 2 + 1.7])
star = (middle + reach[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])).tolist()


def write_polygon(name, ring):
    lon_lat = transform_geom(CRS, "EPSG:4326", {"type": "Polygon", "coordinates": [ring]}, precision=9)
    (folder / f"{name}.json").write_text(json.dumps(lon_lat))


write_polygon("polygon", [*star, star[0]])
for size in (32, 100, 316, 1_000, 3_162, 7_071, 10_000):
    # The polygon starts in the grid's first cell, and its edges are not on cell boundaries.
    ends = [(1, 1), (size * CELL - 1, 1), (size * CELL - 1, size * CELL - 1), (1, size * CELL - 1), (1, 1)]
    if size <= edge:
        write_polygon(f"square-{size}", [(WEST + x, NORTH - y) for x, y in ends])
corners = [(0, 0), (edge, 0), (edge, edge), (0, edge), (0, 0)]
box = [(WEST + CELL * col, NORTH - CELL * row) for col, row in corners]
west_to_east, south_to_north = transform(CRS, "EPSG:4326", *zip(*box))


def describe_raster(name):
    return {"kind": "raster", "name": name, "description": name, "unit": None, "href": f"{name}.tif"}


def describe_coordinate(axis):
    return {"kind": "coordinate", "name": axis, "description": axis, "axis": axis}


manifest = {
    "schema": "soil-model-pack/1",
    "id": "bench",
    "version": "1.0.0",
    "title": "Synthetic pack for benchmarks",
    "property": {"name": "carbon density", "unit": "kg/m3", "depth_cm": [0, 20]},
    "sample_support": "a point",
    "grid": {
        "crs": {"epsg": 32631, "name": "UTM 31N", "proj4": "+proj=utm +zone=31 +datum=WGS84"},
        "origin": [WEST, NORTH], "cell_size": CELL, "width": edge, "height": edge,
        "tile_size": 512, "block_tiles": 4,
    },
    "coverage": {"type": "Polygon", "coordinates": [list(zip(west_to_east, south_to_north))]},
    "temporal": {"kind": "static", "data_period": [2000, 2001]},
    "covariates": [*(describe_raster(f"f{i}") for i in range(rasters)), describe_coordinate("x"), describe_coordinate("y")],
    "graph": {"href": "forest.onnx", "format": "onnx", "targets": 1},
    "bands": [{"name": "mean", "description": "mean", "from": {"kind": "target", "index": 0}}],
    "nodata": -9999,
    "points_per_second": 100_000,
    "accuracy": [],
    "licenses": [{"part": "all", "license": "CC0-1.0", "citation": "made for benchmarks"}],
}
(folder / "manifest.json").write_text(json.dumps(manifest))
print(json.dumps({"nodes": sum(e.tree_.node_count for e in forest.estimators_)}))
