"""Makes the synthetic pack for load tests: a continent at 10 m, 8 covariates, 500 trees.

    .local/venv/bin/python models/synthetic/make.py [--out .local/packs/synthetic] [--trees 500] [--land 0.1]

The grid has 400,000 x 400,000 cells (4,000 km; LAEA Europe). What the disk holds is small all the
same: seven covariates are coarse and resampled, the eighth is a sparse raster on the grid itself.
Everywhere is land, except in the archipelago, a square of 30,720 cells, where only the share `--land`
of the tiles of 512 cells is: a job there has 20,000 x 20,000 cells and few points to predict.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import rasterio
from rasterio.enums import Resampling
from rasterio.transform import from_origin
from rasterio.warp import transform

import graph

EPSG = 3035
PROJ4 = "+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +towgs84=0,0,0"
CELL, TILE, EDGE = 10, 512, 400_000
WEST, NORTH = 2_300_000, 5_200_000
EXTENT = CELL * EDGE
# In tiles of the grid.
ARCHIPELAGO = {"col": 390, "row": 410, "edge": 60}
THRESHOLDS = [4.0, 8.0, 12.0, 16.0, 20.0]
# points/s of 500 trees on one core (npm run pack-speed); time is proportional to the number of trees.
POINTS_PER_SECOND_OF_ONE_TREE = 500 * 180_000

# name: (cell size in m, resampling, stored type, scale, minimum, maximum, waves over the continent)
FIELDS = {
    "elevation": (5_000, "bilinear", "int16", 0.1, 0, 2500, 31),
    "slope": (5_000, "bilinear", "uint8", 0.25, 0, 40, 57),
    "temperature": (10_000, "bilinear", "int16", 0.01, -5, 20, 3),
    "precipitation": (10_000, "bilinear", "uint16", 0.1, 300, 2000, 5),
    "clay": (4_000, "bilinear", "uint8", 0.5, 2, 60, 83),
    "greenness": (2_000, "nearest", "uint8", 0.01, 0, 1, 131),
}


def write(path: Path, cells: np.ndarray, cell: float, nodata=None, scale=1.0) -> None:
    options = {"compress": "deflate", "predictor": 2, "tiled": True, "blockxsize": 256, "blockysize": 256}
    height, width = cells.shape
    with rasterio.open(
        path, "w", driver="GTiff", width=width, height=height, count=1, dtype=cells.dtype, nodata=nodata,
        crs=f"EPSG:{EPSG}", transform=from_origin(WEST, NORTH, cell, cell), **options,
    ) as raster:
        raster.write(cells, 1)
        raster.scales = (scale,)
        raster.build_overviews([2, 4, 8], Resampling.nearest)


def field(edge: int, dtype: str, scale: float, low: float, high: float, waves: int) -> np.ndarray:
    """Smooth in both directions, so that a predictor and DEFLATE compress it well."""
    at = (np.arange(EXTENT // edge) + 0.5) * edge / EXTENT * 2 * np.pi * waves
    unit = (2 + np.sin(at)[None, :] * np.cos(at * 0.7)[:, None] + np.sin(at * 0.31)[:, None]) / 4
    return np.round((low + (high - low) * unit) / scale).astype(dtype)


def land(share: float) -> np.ndarray:
    """Classes 1 to 5, one per tile of the grid; 255 is sea."""
    tiles = -(-EDGE // TILE)
    row, col = np.mgrid[0:tiles, 0:tiles].astype(np.uint64)
    mixed = (row * np.uint64(2654435761) + col * np.uint64(40503) + np.uint64(12345)) * np.uint64(2246822519)
    dice = (mixed >> np.uint64(16)) % np.uint64(10_000)
    classes = (1 + dice % np.uint64(5)).astype(np.uint8)
    sea = np.zeros_like(classes, bool)
    first, last = ARCHIPELAGO["col"], ARCHIPELAGO["col"] + ARCHIPELAGO["edge"]
    top, bottom = ARCHIPELAGO["row"], ARCHIPELAGO["row"] + ARCHIPELAGO["edge"]
    sea[top:bottom, first:last] = dice[top:bottom, first:last] >= round(share * 10_000)
    return np.where(sea, np.uint8(255), classes)


def terraces(path: Path) -> None:
    """On the grid itself, sparse: 0 where tiles are omitted, steps in a few tiles."""
    steps = np.kron(np.arange(64, dtype=np.uint8).reshape(8, 8), np.ones((128, 128), np.uint8))
    with rasterio.open(
        path, "w", driver="GTiff", width=EDGE, height=EDGE, count=1, dtype="uint8",
        crs=f"EPSG:{EPSG}", transform=from_origin(WEST, NORTH, CELL, CELL), tiled=True,
        blockxsize=1024, blockysize=1024, compress="deflate", bigtiff="yes", sparse_ok=True,
    ) as raster:
        first = {side: ARCHIPELAGO[side] * TILE // 1024 for side in ("col", "row")}
        for step in range(0, ARCHIPELAGO["edge"] // 2, 2):
            for across in range(0, ARCHIPELAGO["edge"] // 2, 3):
                window = rasterio.windows.Window(
                    (first["col"] + across) * 1024, (first["row"] + step) * 1024, 1024, 1024
                )
                raster.write(steps, 1, window=window)


def coverage() -> list[list[float]]:
    """The extent in WGS84, with densified edges so that straight lines stay close to them."""
    along = np.linspace(0, EXTENT, 21)[:-1]
    xs = np.concatenate([along, np.full(20, EXTENT), EXTENT - along, np.zeros(20)]) + WEST
    ys = NORTH - EXTENT + np.concatenate([np.zeros(20), along, np.full(20, EXTENT), EXTENT - along])
    lon, lat = transform(f"EPSG:{EPSG}", "EPSG:4326", xs, ys)
    ring = [[round(x, 5), round(y, 5)] for x, y in zip(lon, lat)]
    return [*ring, ring[0]]


def raster(name: str, **members) -> dict:
    return {"kind": "raster", "name": name, "description": f"made-up {name}", "unit": None,
            "href": f"{name}.tif", **members}


def manifest(trees: int) -> dict:
    quantile = lambda level: {"kind": "quantile", "level": level, "probability": level}
    return {
        "schema": "soil-model-pack/1",
        "id": "synthetic",
        "version": "1.0.0",
        "title": f"Synthetic continent, {trees} trees (for load tests)",
        "property": {"name": "made-up soil organic carbon density", "unit": "kg/m3", "depth_cm": [0, 30]},
        "sample_support": "none: nothing was sampled",
        "grid": {
            "crs": {"epsg": EPSG, "name": "ETRS89-extended / LAEA Europe", "proj4": PROJ4},
            "origin": [WEST, NORTH], "cell_size": CELL, "width": EDGE, "height": EDGE,
            "tile_size": TILE, "block_tiles": 8,
        },
        "coverage": {"type": "Polygon", "coordinates": [coverage()]},
        "temporal": {"kind": "static", "data_period": [2000, 2020]},
        "covariates": [
            raster("land", resampling="nearest"),
            *(raster(name, resampling=spec[1], native_cell_size=spec[0]) for name, spec in FIELDS.items()),
            raster("terraces"),
        ],
        "graph": {"href": "model.onnx", "format": "onnx", "targets": 1 + len(THRESHOLDS)},
        "distribution": {"first_target": 1, "thresholds": THRESHOLDS, "lower": 0, "upper": 40},
        "bands": [
            {"name": "mean", "description": "mean", "from": {"kind": "target", "index": 0}},
            {"name": "q05", "description": "5 % quantile", "from": quantile(0.05)},
            {"name": "q95", "description": "95 % quantile", "from": quantile(0.95)},
        ],
        "nodata": -9999,
        "points_per_second": round(POINTS_PER_SECOND_OF_ONE_TREE / trees),
        "accuracy": [],
        "licenses": [{"part": "all", "license": "CC0-1.0", "citation": "made by models/synthetic/make.py"}],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path(".local/packs/synthetic"))
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--land", type=float, default=0.1, help="share of the archipelago's tiles")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    write(options.out / "land.tif", land(options.land), CELL * TILE, nodata=255)
    for name, (edge, _, dtype, scale, low, high, waves) in FIELDS.items():
        write(options.out / f"{name}.tif", field(edge, dtype, scale, low, high, waves), edge, scale=scale)
    terraces(options.out / "terraces.tif")
    ranges = [(1, 5), *((low, high) for *_, low, high, _ in FIELDS.values()), (0, 63)]
    low, high = (np.array(side, float) for side in zip(*ranges))
    (options.out / "model.onnx").write_bytes(graph.forest(options.trees, low, high, THRESHOLDS))
    (options.out / "manifest.json").write_text(json.dumps(manifest(options.trees), indent=2) + "\n")


main()
