"""Writes `build/reference.json` for the service's tests: some cells with covariates read by rasterio and bands
computed by ONNX Runtime, and positions converted by PROJ. This is not a step of the recipe."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pyproj
import rasterio

import forest
from covariates import CELL, EPSG, HEIGHT, NORTH, PACK, WEST, WIDTH, cell_centres, resample_classes
from soil_packs.graphs import create_evaluator


def main() -> None:
    manifest = json.loads((PACK / "manifest.json").read_text("utf-8"))
    layers = dict(zip("xy", cell_centres()))
    for covariate in manifest["covariates"]:
        if covariate["kind"] == "raster":
            with rasterio.open(PACK / covariate["href"]) as raster:
                layers[covariate["name"]] = raster.read(1)
    names = [covariate["name"] for covariate in manifest["covariates"]]
    stack = np.stack([layers[name] for name in names], axis=-1).astype(np.float32)
    evaluate = create_evaluator(onnx.load(PACK / manifest["graph"]["href"]))
    probability = manifest["bands"][1]["from"]["probability"]

    soil = resample_classes("soil")
    random = np.random.default_rng(forest.SEED)
    inside, outside = np.argwhere(soil > 0), np.argwhere(soil == 0)
    chosen = [*random.permutation(inside)[:36].tolist(), *random.permutation(outside)[:6].tolist()]
    rows, columns = np.array(sorted(chosen)).T
    features = stack[rows, columns]
    predicted = evaluate(features)
    bounds = forest.interpolate_bounds(predicted[:, 1:], probability)
    bands = np.column_stack([predicted[:, 0], *bounds]).round(5)
    cells = []
    for row, column, values, found in zip(rows, columns, features, bands):
        known = dict(zip(("mean", "q05", "q95"), found.tolist()))
        known = {"features": values.tolist(), **known} if soil[row, column] else {"nodata": True}
        cells.append({"column": int(column), "row": int(row), **known})
    to_wgs84 = pyproj.Transformer.from_crs(EPSG, 4326, always_xy=True)
    corners = [(WEST, NORTH), (WEST + WIDTH * CELL, NORTH - HEIGHT * CELL), (180000.0, 331600.0)]
    reference = {
        "how": "ONNX Runtime on the pack's own rasters, inverted by training/forest.py; longitude and latitude"
        " by PROJ from EPSG:28992",
        "features": names,
        "cells": cells,
        "positions": [
            dict(zip(("x", "y", "longitude", "latitude"), (*at, *to_wgs84.transform(*at))))
            for at in corners
        ],
    }
    (PACK / "build" / "reference.json").write_text(json.dumps(reference, indent=1) + "\n")


if __name__ == "__main__":
    main()
