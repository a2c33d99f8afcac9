"""Makes the files of the pack that checks a deployment: a raster of noise, and a graph of trees with random splits.

    .local/venv/bin/python models/deployment-check/make.py [--out models/deployment-check/build]

Noise does not compress, and the trees' predictions from it hardly compress either: even a map of few
cells is large enough for S3 to copy ranges of its blocks.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import rasterio
from rasterio.transform import from_origin

import graph

FOLDER = Path(__file__).parent
TREES, LEAVES = 8, 128
# Each cell of noise is interpolated to 4 × 4 cells of the grid.
CELLS_PER_NOISE = 4


def write_noise(path: Path, grid: dict) -> None:
    shape = (grid["height"] // CELLS_PER_NOISE, grid["width"] // CELLS_PER_NOISE)
    cells = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    cell = grid["cell_size"] * CELLS_PER_NOISE
    with rasterio.open(
        path, "w", driver="GTiff", width=shape[1], height=shape[0], count=1, dtype="uint8",
        crs=f"EPSG:{grid['crs']['epsg']}", transform=from_origin(*grid["origin"], cell, cell),
        tiled=True, blockxsize=256, blockysize=256,
    ) as raster:
        raster.write(cells, 1)


def make_model(manifest: dict) -> bytes:
    grid = manifest["grid"]
    west = grid["origin"][0]
    east = west + grid["width"] * grid["cell_size"]
    # The covariates in the manifest's order: noise, x.
    low, high = np.array([0, west], float), np.array([255, east], float)
    return graph.make_forest(TREES, low, high, manifest["distribution"]["thresholds"], LEAVES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=FOLDER / "build")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    write_noise(out / "noise.tif", manifest["grid"])
    (out / "model.onnx").write_bytes(make_model(manifest))


main()
