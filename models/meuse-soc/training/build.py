"""Builds the pack: covariates, graph, manifest and the reference values for the tests.

    python models/meuse-soc/training/build.py

Deterministic. `evaluate.py` measures what this builds and writes the manifest's figures; run it
after this whenever the data, the covariates or the forest changed.
"""

from __future__ import annotations

import json

import numpy as np
import onnxruntime

import area
import covariates
import coverage
import forest
import graph
import layout
import manifest
import target
from intervals import full_probability, interval

MODEL = area.BUILD / "model.onnx"
REFERENCE = area.BUILD / "reference.json"


def train(features: np.ndarray) -> tuple[object, np.ndarray, float]:
    """(forest, values, probability): values are each sample's target and its P(y + error ≤ t_k);
    the probability is the one at which the distribution gives q05 (and 1 − it gives q95)."""
    _, _, organic_matter = area.samples()
    y, sd = target.carbon_density(organic_matter), target.carbon_density_sd(organic_matter)
    model = forest.forest().fit(features, y)
    values = np.column_stack([y, forest.blurred(y, sd)])
    unseen = forest.out_of_bag(model, features, values[:, 1:])
    return model, values, round(full_probability(unseen, y, sd), 6)


def predict(features: np.ndarray) -> np.ndarray:
    """The graph's output in ONNX Runtime: points × (1 + K), float32."""
    session = onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"])
    return session.run(None, {"features": features.astype(np.float32)})[0]


def bands(prediction: np.ndarray, probability: float) -> np.ndarray:
    """mean, q05, q95: points × 3."""
    cdf = prediction[:, 1:].astype(np.float64)
    return np.column_stack([prediction[:, 0].astype(np.float64), *interval(cdf, probability)])


def verify(model, features: np.ndarray, values: np.ndarray, probability: float) -> None:
    """Compares the graph with the trainer, and checks the distribution and bounds of every cell."""
    stack = covariates.read_stack()
    inside = ~np.isnan(stack).any(axis=-1)
    if (inside != area.mask()).any():
        raise ValueError("the covariates' nodata differs from the mask")
    points = stack[inside]
    graph_says = predict(points)
    trainer_says = np.column_stack(
        [model.predict(points), forest.averaged(model, features, values, points)]
    )
    np.testing.assert_allclose(trainer_says[:, 0], trainer_says[:, 1], rtol=1e-9)
    np.testing.assert_allclose(graph_says, trainer_says[:, 1:], rtol=1e-5, atol=1e-7)
    mean, q05, q95 = bands(graph_says, probability).T
    if not (np.all(mean >= 0) and np.all(q05 >= 0) and np.all(q05 <= q95)):
        raise ValueError("a cell's bounds are negative or crossed")
    if np.diff(graph_says[:, 1:], axis=1).min() < -1e-6:
        raise ValueError("a cell's distribution function decreases")
    outside = np.mean((mean < q05) | (mean > q95))
    print(f"{len(points)} cells agree with the trainer; mean {mean.mean():.2f} kg/m3,")
    print(
        f"width {np.mean(q95 - q05):.2f} kg/m3, mean outside the bounds in {outside:.4f} of cells"
    )


def reference(probability: float) -> dict:
    """Cells with their features and bands, and points with PROJ's coordinates."""
    stack = covariates.read_stack()
    inside = np.argwhere(~np.isnan(stack).any(axis=-1))
    outside = np.argwhere(np.isnan(stack).any(axis=-1))
    random = np.random.default_rng(forest.SEED)
    cells = np.vstack([random.permutation(inside)[:36], random.permutation(outside)[:6]])
    cells = cells[np.lexsort((cells[:, 1], cells[:, 0]))]
    predictions = bands(predict(np.nan_to_num(stack[cells[:, 0], cells[:, 1]])), probability)
    corners = [(area.WEST, area.NORTH), (area.WEST + 3120, area.NORTH - 4160), (180000.0, 331600.0)]
    return {
        "how": "ONNX Runtime on the pack's own rasters, inverted by training/intervals.py;"
        " longitude and latitude by PROJ from EPSG:28992",
        "features": list(covariates.NAMES),
        "cells": [
            {
                "column": int(column),
                "row": int(row),
                "features": [float(v) for v in features],
                "mean": round(float(mean), 5),
                "q05": round(float(q05), 5),
                "q95": round(float(q95), 5),
            }
            if not np.isnan(features).any()
            else {"column": int(column), "row": int(row), "nodata": True}
            for (row, column), features, (mean, q05, q95) in zip(
                cells, stack[cells[:, 0], cells[:, 1]], predictions
            )
        ],
        "positions": [
            dict(
                zip(
                    ("x", "y", "longitude", "latitude"),
                    (x, y, *coverage.to_wgs84().transform(x, y)),
                )
            )
            for x, y in corners
        ],
    }


def main() -> None:
    layout.require_formatter()
    area.BUILD.mkdir(exist_ok=True)
    covariates.write_all()
    features = covariates.at_samples()
    model, values, probability = train(features)
    MODEL.write_bytes(graph.graph_of(model, features, values).SerializeToString())
    verify(model, features, values, probability)
    manifest.write(probability)
    REFERENCE.write_text(json.dumps(reference(probability), indent=1) + "\n")
    print(f"calibrated probability {probability}, model {MODEL.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
