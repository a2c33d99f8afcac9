"""Measures the pack: the source of all figures in the model card and the manifest.

    python models/meuse-soc/training/evaluate.py

Needs what `build.py` writes; takes about fifteen minutes on one core, and says how far it is. Writes
`build/accuracy.json`, the tables of `README.md` and the manifest's figures. Deterministic.
"""

from __future__ import annotations

import json

import numpy as np
import shapely
from scipy.spatial import cKDTree
from sklearn.cluster import KMeans
from sklearn.model_selection import KFold

import area
import card
import covariates
import errors
import forest
import layout
import manifest
import target
from intervals import (
    TAIL,
    covered,
    covered_with_error,
    forest_probability,
    full_probability,
    interval,
    missed_with_error,
)
from learners import CHOSEN, LEARNERS
from progress import progress

REPEATS = 10
FOLDS = 10
# Coverage of the interval as published where the prediction is in this third. Thirds of the observed
# values would show regression to the mean for any model.
THIRDS = ("full_low", "full_middle", "full_high")


def random_folds(n: int, repeat: int) -> np.ndarray:
    """The fold of each sample."""
    result = np.zeros(n, dtype=int)
    splits = KFold(FOLDS, shuffle=True, random_state=repeat).split(np.zeros(n))
    for fold, (_, held_out) in enumerate(splits):
        result[held_out] = fold
    return result


def spatial_folds(n: int, repeat: int) -> np.ndarray:
    """Ten compact blocks by k-means on the coordinates: neighbours are held out together."""
    x, y, _ = area.samples()
    return KMeans(FOLDS, n_init=10, random_state=repeat).fit_predict(np.column_stack([x, y]))


FIGURES = ("r2", "r2_map", "rmse", "bias")
# Only of the chosen learner.
BIAS_OF_THIRDS = ("bias_low", "bias_high")
DESIGNS = {"cv": random_folds, "spatial_cv": spatial_folds}


def voronoi_areas() -> np.ndarray:
    """The number of cells that are nearest to each sample: what it stands for on the map."""
    x, y, _ = area.samples()
    east, north = (values[area.mask()] for values in area.centres())
    nearest = cKDTree(np.column_stack([x, y])).query(np.column_stack([east, north]))[1]
    return np.bincount(nearest, minlength=len(x)).astype(float)


def accuracy_of(predicted: np.ndarray, y: np.ndarray, areas: np.ndarray) -> dict[str, float]:
    error = predicted - y
    around = y - np.average(y, weights=areas)
    low, high = np.quantile(predicted, (1 / 3, 2 / 3))
    return {
        "r2": 1 - np.sum(error**2) / np.sum((y - y.mean()) ** 2),
        "r2_map": 1 - np.sum(areas * error**2) / np.sum(areas * around**2),
        "rmse": np.sqrt(np.mean(error**2)),
        "bias": np.mean(error),
        "bias_low": np.mean(error[predicted <= low]),
        "bias_high": np.mean(error[predicted >= high]),
    }


def held_out(learner: str, features: np.ndarray, y: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """The prediction of each sample by the model trained without its fold."""
    predicted = np.zeros(len(y))
    for fold in np.unique(folds):
        test = folds == fold
        model = LEARNERS[learner]().fit(features[~test], y[~test])
        predicted[test] = model.predict(features[test])
    return predicted


def compare(features: np.ndarray, y: np.ndarray) -> list[dict]:
    """One row per learner, with the same folds: means over the repeats, and the sd of R²."""
    rows = []
    areas = voronoi_areas()
    for learner in progress("learners", list(LEARNERS)):
        row: dict[str, object] = {"learner": learner}
        for design, folds_of in DESIGNS.items():
            runs = [
                accuracy_of(held_out(learner, features, y, folds_of(len(y), repeat)), y, areas)
                for repeat in range(REPEATS)
            ]
            names = (*FIGURES, *BIAS_OF_THIRDS) if learner == CHOSEN else FIGURES
            for name in names:
                row[f"{design}_{name}"] = float(np.mean([run[name] for run in runs]))
            row[f"{design}_r2_sd"] = float(np.std([run["r2"] for run in runs], ddof=1))
        rows.append(row)
        print(f"{learner}: R² {row['cv_r2']:.3f}, spatial {row['spatial_cv_r2']:.3f}", flush=True)
    return rows


def intervals_of(
    features: np.ndarray, y: np.ndarray, sd: np.ndarray, folds: np.ndarray
) -> dict[str, float]:
    """Coverage and width of the held-out samples' intervals, calibrated inside each fold's
    training samples (out of bag), which never include the tested samples."""
    names = (
        "forest_uncalibrated",
        "forest",
        "full_uncalibrated",
        "full",
        "full_on_derived",
        "below_q05",
        "above_q95",
        "width",
        *THIRDS,
    )
    result = {name: np.zeros(len(y)) for name in names}
    predicted = np.zeros(len(y))
    for fold in np.unique(folds):
        test, train = folds == fold, folds != fold
        model = forest.forest().fit(features[train], y[train])
        values = np.hstack([forest.steps(y[train]), forest.blurred(y[train], sd[train])])
        own_unseen, full_unseen = np.hsplit(forest.out_of_bag(model, features[train], values), 2)
        own_cdf, full_cdf = np.hsplit(
            forest.averaged(model, features[train], values, features[test]), 2
        )
        own = interval(own_cdf, forest_probability(own_unseen, y[train]))
        full = interval(full_cdf, full_probability(full_unseen, y[train], sd[train]))
        result["forest_uncalibrated"][test] = covered(interval(own_cdf, TAIL), y[test])
        result["forest"][test] = covered(own, y[test])
        result["full_uncalibrated"][test] = covered_with_error(
            interval(full_cdf, TAIL), y[test], sd[test]
        )
        result["full"][test] = covered_with_error(full, y[test], sd[test])
        result["full_on_derived"][test] = covered(full, y[test])
        result["below_q05"][test], result["above_q95"][test] = missed_with_error(
            full, y[test], sd[test]
        )
        result["width"][test] = full[1] - full[0]
        predicted[test] = model.predict(features[test])
    by_third = np.searchsorted(np.quantile(predicted, (1 / 3, 2 / 3)), predicted)
    for third, name in enumerate(THIRDS):
        result[name] = result["full"][by_third == third]
    return {name: float(np.mean(values)) for name, values in result.items()}


def measure_intervals(features: np.ndarray, y: np.ndarray, sd: np.ndarray) -> dict:
    result = {}
    for design, folds_of in DESIGNS.items():
        runs = [
            intervals_of(features, y, sd, folds_of(len(y), repeat))
            for repeat in progress(f"intervals, {design}", range(REPEATS))
        ]
        result[design] = {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}
        print(design, {name: round(value, 3) for name, value in result[design].items()}, flush=True)
    return result


def describe(features: np.ndarray) -> dict[str, float]:
    """The card's figures about the data, by the names in the card's table."""
    table = [row for row in area.rows_of("meuse.csv") if row["om"]]
    cells = area.cell_of(*area.samples()[:2])
    _, _, organic_matter = area.samples()
    y = target.carbon_density(organic_matter)

    def agreement(column: str) -> float:
        surveyed = np.array([int(row[column]) for row in table])
        return float(np.mean(area.source_class(column)[cells] == surveyed))

    surveyed_distance = [float(row["dist.m"]) for row in table]
    x, y_north = area.centres()
    mask = area.mask()
    in_river = shapely.contains_xy(area.river(), x[mask], y_north[mask])
    river_distance = features[:, covariates.NAMES.index("river_distance")]
    return {
        "samples": len(y),
        "cells": int(area.mask().sum()),
        "target_min": float(y.min()),
        "target_mean": float(y.mean()),
        "target_max": float(y.max()),
        "river_distance_correlation": float(np.corrcoef(river_distance, surveyed_distance)[0, 1]),
        "flooding_agreement": agreement("ffreq"),
        "soil_agreement": agreement("soil"),
        "cells_in_river": int(in_river.sum()),
        "samples_in_river": int(shapely.contains_xy(area.river(), *area.samples()[:2]).sum()),
    }


def main() -> None:
    layout.require_formatter()
    _, _, organic_matter = area.samples()
    y, sd = target.carbon_density(organic_matter), target.carbon_density_sd(organic_matter)
    features = covariates.at_samples()
    intervals = measure_intervals(features, y, sd)
    learners = compare(features, y)
    chosen = next(row for row in learners if row["learner"] == CHOSEN)
    report = {
        "data": card.rounded(describe(features)),
        "figures": card.figures(chosen, intervals, len(y)),
        "learners": card.rounded(learners),
        "intervals": card.rounded(intervals),
    }
    errors.write()
    manifest.ACCURACY.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    card.write_tables(report)
    manifest.write(manifest.probability())


if __name__ == "__main__":
    main()
