"""Writes a pack that predicts a carbon stock (t/ha) with 90 % bounds from clay and elevation. It is correct unless a test
spoils it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pyproj
import rasterio
from rasterio.transform import from_origin
from scipy.stats import norm
from sklearn.tree import DecisionTreeRegressor

from soil_packs import tree_ensemble

WIDTH, HEIGHT, CELL, WEST, NORTH = 200, 100, 10, 500_000, 5_600_000
#: The number of columns of sea, which has no clay.
SEA = 12
NODATA = -9999
#: Standard deviation of the errors that the bounds declare.
SD = 8
UTM = "+proj=utm +zone=31 +datum=WGS84"

ROWS, COLUMNS = np.mgrid[:HEIGHT, :WIDTH]
CLAY = np.where(COLUMNS < SEA, NODATA, 30 + 30 * np.sin(COLUMNS / 17) * np.cos(ROWS / 13))
ELEVATION = 250 + 250 * np.sin(COLUMNS / 29 + ROWS / 23)
TENFOLD = np.where(COLUMNS < SEA, NODATA, 10 * CLAY)
STOCK = 20 + 1.2 * CLAY + 0.05 * ELEVATION


def layer(name: str, **more: Any) -> dict[str, Any]:
    described = {"name": name, "description": name, "unit": "1", "href": f"{name}.tif"}
    return {"kind": "raster", **described, **more}


def target(name: str, index: int, level: float | None = None) -> dict[str, Any]:
    source = {"kind": "target", "index": index, **({} if level is None else {"level": level})}
    return {"name": name, "description": name, "from": source}


MANIFEST: dict[str, Any] = {
    "schema": "soil-model-pack/1",
    "id": "stock",
    "version": "1.0.0",
    "title": "A plain for tests",
    "property": {"name": "carbon stock", "unit": "t/ha", "depth_cm": [0, 30]},
    "sample_support": "a point",
    "grid": {
        "crs": {"epsg": 32631, "name": "UTM 31N", "proj4": UTM},
        "origin": [WEST, NORTH],
        "cell_size": CELL,
        "width": WIDTH,
        "height": HEIGHT,
        "tile_size": 64,
        "block_tiles": 1,
    },
    "coverage": {
        "type": "Polygon",
        "coordinates": [[[3, 50.549], [3.006, 50.549], [3, 50.553], [3, 50.549]]],
    },
    "temporal": {"kind": "static", "data_period": [2000, 2001]},
    "trained_range": [10, 130],
    "covariates": [
        layer("clay", resampling="bilinear", trained_range=[0, 60]),
        layer("elevation", resampling="bilinear", trained_range=[0, 500]),
    ],
    "graph": {"href": "tree.onnx", "format": "onnx", "targets": 3},
    "bands": [target("mean", 0), target("q05", 1, 0.05), target("q95", 2, 0.95)],
    "error": {
        "lower": "q05",
        "upper": "q95",
        "correlation": {"model": "exponential", "nugget": 0.5, "range_m": 1000},
        "how": "pairs of samples",
        "command": "none",
    },
    "nodata": NODATA,
    "points_per_second": 10_000,
    "accuracy": [],
    "licenses": [{"part": "all", "license": "CC0-1.0", "citation": "made for tests"}],
}


def write_pack(
    folder: Path,
    *,
    told: Callable[[np.ndarray], Any] = lambda values: values,
    trained_on: Callable[[np.ndarray], np.ndarray] = lambda covariates: covariates,
    manifest: Callable[[dict[str, Any]], Any] = lambda right: None,
    clay: np.ndarray = CLAY,
    elevation: np.ndarray = ELEVATION,
    **clay_file: Any,
) -> Path:
    """Writes a pack whose model has a leaf for each of 16 × 16 bins of the two covariates.

    :param told: converts mean and bounds (three rows) to the model's predictions
    :param trained_on: converts clay and elevation (two columns) to the training values
    :param manifest: changes the correct manifest, whose ranges are those of `trained_on`
    :param clay_file: nodata, scale and shift (in metres) of the clay file
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_raster(folder / "clay.tif", clay, **{"nodata": NODATA, **clay_file})
    write_raster(folder / "elevation.tif", elevation)
    bins = (np.arange(16) + 0.5) / 16
    places = np.stack(np.meshgrid(60 * bins, 500 * bins), axis=-1).reshape(-1, 2)
    mean = 20 + places @ [1.2, 0.05]
    half = norm.ppf(0.95) * SD
    targets = np.array(told(np.array([mean, np.maximum(mean - half, 0), mean + half])))
    fitted = DecisionTreeRegressor().fit(trained_on(places), targets.T).tree_
    leaf = fitted.children_left == -1
    tree = {
        "leaf": leaf,
        "value": fitted.threshold,
        "feature": fitted.feature,
        "left": fitted.children_left,
        "right": fitted.children_right,
        "missing_left": np.zeros(len(leaf)),
        "targets": fitted.value[:, :, 0],
    }
    onnx.save(tree_ensemble.model_of([tree], 2, "SUM", "tree"), folder / "tree.onnx")
    made = copy.deepcopy(MANIFEST)
    ends = trained_on(np.array([[0, 0], [60, 500]], float))
    for covariate, values in zip(made["covariates"], ends.T):
        covariate["trained_range"] = values.tolist()
    manifest(made)
    height, width = clay.shape
    made["grid"] |= {"width": width, "height": height}
    (folder / "manifest.json").write_text(json.dumps(made))
    return folder


def write_raster(
    path: Path,
    values: np.ndarray,
    *,
    nodata: float | None = None,
    scale: float | None = None,
    shift: float = 0,
    corner: tuple[float, float] = (WEST, NORTH),
    cell: float = CELL,
    crs: str = "EPSG:32631",
    dtype: str = "float32",
) -> Path:
    height, width = values.shape
    profile = {"driver": "GTiff", "width": width, "height": height, "count": 1, "dtype": dtype}
    west, north = corner
    transform = from_origin(west + shift, north, cell, cell)
    with rasterio.open(path, "w", **profile, crs=crs, transform=transform, nodata=nodata) as raster:
        raster.write(values.astype(dtype), 1)
        if scale is not None:
            raster.scales = [scale]
    return path


def measure_stock(count: int, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Returns measured stocks of cells on land, with their positions (lon and lat)."""
    rng = np.random.default_rng(seed)
    col, row = rng.integers(SEA, WIDTH, count), rng.integers(0, HEIGHT, count)
    to_degrees = pyproj.Transformer.from_crs(UTM, 4326, always_xy=True)
    lon_lat = to_degrees.transform(WEST + CELL * (col + 0.5), NORTH - CELL * (row + 0.5))
    return STOCK[row, col], np.column_stack(lon_lat)
