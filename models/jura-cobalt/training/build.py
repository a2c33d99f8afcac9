"""Builds the pack from data/: covariates, graph, manifest, predictions of withheld blocks, and the card.

    python models/jura-cobalt/training/build.py

In the environment of models/meuse-soc/training/requirements.txt. Deterministic.
"""

from __future__ import annotations

import csv
import json
import sys

import numpy as np
import onnxruntime
import rasterio
from rasterio.transform import from_origin
from samples import PACK, columns_of, places_of, to_map
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestRegressor

import card
from card import MANIFEST

BUILD = PACK / "build"
sys.path.append(str(PACK.parent / "tools"))
from soil_packs import trained_values
from soil_packs.sklearn_forest_to_onnx import calibrated_probability, model_of

CELL = 50.0
# Of the local grid, in km.
SOURCE_CELL = 0.05
CLASSES = ("land_use", "rock")
# Oblique coordinates, as in meuse-soc (Møller et al. 2020, SOIL 6, 269–289).
OBLIQUE = ("oblique_ne", "oblique_nw")
BLOCKS, REPEATS = 16, 2


def centres(grid: dict) -> tuple[np.ndarray, np.ndarray]:
    """x and y of every cell centre, each height × width."""
    (west, north), cell = grid["origin"], grid["cell_size"]
    x = west + cell * (np.arange(grid["width"]) + 0.5)
    y = north - cell * (np.arange(grid["height"]) + 0.5)
    return tuple(np.meshgrid(x, y))


def resampled(grid: dict) -> dict[str, np.ndarray]:
    """The classes in the nearest cell of the local grid, 0 outside it: height × width each.

    The local grid is sheared and 0.5 % narrower than its kilometres: on the map it is affine.
    """
    source = columns_of("data/grid.csv")
    places = places_of(source)
    local = np.column_stack([np.ones(len(places)), source["east"], source["north"]])
    affine, *_ = np.linalg.lstsq(local, places)
    if np.abs(local @ affine - places).max() > 1:
        raise ValueError("the local grid is not affine on the map")
    x, y = centres(grid)
    at = (np.column_stack([x.ravel(), y.ravel()]) - affine[0]) @ np.linalg.inv(affine[1:])
    cell = np.rint(at / SOURCE_CELL).astype(int)
    source_cell = np.rint(local[:, 1:] / SOURCE_CELL).astype(int)
    result = {}
    for name in CLASSES:
        classes = {tuple(key): value for key, value in zip(source_cell, source[name])}
        values = [classes.get(tuple(key), 0) for key in cell]
        result[name] = np.array(values).reshape(x.shape)
    return result


def layers(grid: dict) -> dict[str, np.ndarray]:
    classes = resampled(grid)
    x, y = centres(grid)
    east, north = x - x.min(), y - y.min()
    outside = classes["rock"] == 0
    oblique = zip(OBLIQUE, ((north + east) / np.sqrt(2), (north - east) / np.sqrt(2)))
    return classes | {name: np.where(outside, -9999, values) for name, values in oblique}


def write_raster(name: str, values: np.ndarray, grid: dict) -> None:
    is_class = name in CLASSES
    with rasterio.open(
        BUILD / f"{name}.tif",
        "w",
        driver="GTiff",
        width=grid["width"],
        height=grid["height"],
        count=1,
        dtype="uint8" if is_class else "float32",
        crs=f"EPSG:{grid['crs']['epsg']}",
        transform=from_origin(*grid["origin"], CELL, CELL),
        nodata=0 if is_class else -9999,
        compress="deflate",
        predictor=1 if is_class else 3,
    ) as raster:
        raster.write(values.astype(raster.dtypes[0]), 1)
        raster.set_band_description(1, name)


def features_at(lon: np.ndarray, lat: np.ndarray, stack: np.ndarray, grid: dict) -> np.ndarray:
    x, y = to_map.transform(lon, lat)
    (west, north), cell = grid["origin"], grid["cell_size"]
    features = stack[np.floor((north - y) / cell).astype(int), np.floor((x - west) / cell).astype(int)]
    if (features[:, 0] == 0).any():
        raise ValueError("a sample lies outside the grid")
    return features


def forest() -> RandomForestRegressor:
    """Settings as meuse-soc has them, with half its trees: none was chosen on these samples."""
    return RandomForestRegressor(200, min_samples_leaf=3, max_features=0.5, random_state=20260101)


def withheld(x: np.ndarray, y: np.ndarray, places: np.ndarray, declared: dict) -> list[list]:
    """fold, mean, q05 and q95 of each sample, predicted without its block of neighbours."""
    rows = []
    for repeat in range(REPEATS):
        blocks = KMeans(BLOCKS, n_init=10, random_state=repeat).fit_predict(places)
        predicted = np.zeros((len(y), 3))
        for block in range(BLOCKS):
            test = blocks == block
            model = forest().fit(x[~test], y[~test])
            p = calibrated_probability(model, x[~test], y[~test], declared)
            graph = model_of(model, x[~test], y[~test], declared["thresholds"])
            predicted[test] = bands(graph.SerializeToString(), x[test], declared, p)
        rows += [[f"{repeat}-{block}", *values] for block, values in zip(blocks, predicted)]
    return rows


def bands(graph: bytes, x: np.ndarray, declared: dict, p: float) -> np.ndarray:
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    (name,) = [node.name for node in session.get_inputs()]
    mean, cdf = np.split(session.run(None, {name: x.astype("float32")})[0].astype(float), [1], axis=1)
    knots = [declared["lower"], *declared["thresholds"], declared["upper"]]
    steps = [[0, *np.maximum.accumulate(row), 1] for row in cdf]
    return np.array([[m, *np.interp([p, 1 - p], row, knots)] for (m,), row in zip(mean, steps)])


def main() -> None:
    manifest = json.loads(MANIFEST.read_text())
    grid, declared = manifest["grid"], manifest["distribution"]
    BUILD.mkdir(exist_ok=True)
    rasters = layers(grid)
    for name, values in rasters.items():
        write_raster(name, values, grid)
    names = [covariate["name"] for covariate in manifest["covariates"]]
    x, y = centres(grid)
    stack = np.stack([(rasters | {"x": x, "y": y})[name] for name in names], axis=-1)
    samples = columns_of("data/training.csv")
    features = features_at(samples["lon"], samples["lat"], stack.astype("float32"), grid)
    cobalt = samples["cobalt"]
    model = forest().fit(features, cobalt)
    graph = model_of(model, features, cobalt, declared["thresholds"])
    (BUILD / "model.onnx").write_bytes(graph.SerializeToString())
    p = round(calibrated_probability(model, features, cobalt, declared), 6)
    for band in manifest["bands"][1:]:
        lower = band["from"]["level"] < 0.5
        band["from"]["probability"] = p if lower else round(1 - p, 6)
    places = places_of(samples)
    with (BUILD / "withheld.csv").open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["lon", "lat", "cobalt", "fold", "mean", "q05", "q95"])
        for i, (fold, *values) in enumerate(withheld(features, cobalt, places, declared)):
            at = i % len(cobalt)
            place = [samples["lon"][at], samples["lat"][at], cobalt[at]]
            writer.writerow([*place, fold, *(round(value, 3) for value in values)])
    manifest["error"] = card.error_block()
    columns = dict(zip(names, features.astype(float).T))
    manifest = trained_values.with_values(manifest, columns, cobalt, classes=CLASSES)
    MANIFEST.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    card.write()


if __name__ == "__main__":
    main()
