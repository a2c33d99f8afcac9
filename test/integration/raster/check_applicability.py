"""Computes the area of applicability after Meyer & Pebesma (2021) and CAST's `trainDI.R` and `aoa.R`, in plain loops.

Prints for each of three data sets the declaration of `soil_packs`, the stored points, and whether cells lie inside. Fails if `soil_packs` has another mean distance or threshold.
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[3] / "models/tools"))
from soil_packs import applicability

random = np.random.default_rng(7)


def soils(count, factors=()):
    """Makes values that are skewed, correlated and far from zero; `factors` are columns of classes, some of them rare."""
    x = np.column_stack(
        [
            5_600_000 + random.normal(0, 900, count),
            random.lognormal(1, 0.8, count),
            random.normal(0, 1, count),
            random.choice([1, 2, 3, 7], count, p=[0.5, 0.3, 0.17, 0.03]),
            random.choice([10, 20], count),
        ]
    )
    x[:, 2] += x[:, 1] / 3
    return x[:, [0, 1, 2, *factors]].astype(np.float32)


def dummies(x, factors, known):
    """Returns a 0/1 column for each known class, other covariates as they are, and the covariate index of each column."""
    columns, of = [], []
    for at in range(x.shape[1]):
        made = [x[:, at] == one for one in known[at]] if at in factors else [x[:, at]]
        columns += [np.asarray(column, float) for column in made]
        of += [at] * len(made)
    return np.array(columns).T, of


def quantile7(values, p):
    ordered = sorted(values)
    h = (len(ordered) - 1) * p
    low = int(h)
    return ordered[low] + (h - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def expected(train, cells, weights, factors, folds):
    known = {at: sorted(set(train[:, at])) for at in factors}
    columns, of = dummies(train, factors, known)
    centre, scale = columns.mean(axis=0), columns.std(axis=0, ddof=1)
    weight = np.array([weights[at] for at in of])
    points = (columns - centre) / scale * weight
    means, nearest = [], []
    for i, point in enumerate(points):
        apart = np.sqrt(((points - point) ** 2).sum(axis=1))
        means.append(np.delete(apart, i).mean())
        nearest.append(apart[folds != folds[i]].min())
    mean = np.mean(means)
    index = np.array(nearest) / mean
    q1, q3 = quantile7(index, 0.25), quantile7(index, 0.75)
    threshold = min(q3 + 1.5 * (q3 - q1), index.max())
    inside = []
    for cell in cells:
        if any(cell[at] not in known[at] for at in factors):
            inside.append(False)
            continue
        place = (dummies(cell[None], factors, known)[0][0] - centre) / scale * weight
        inside.append(
            bool(np.sqrt(((points - place) ** 2).sum(axis=1)).min() / mean <= threshold)
        )
    return mean, threshold, inside


def data_set(count, columns, weights, fold_count):
    train = soils(count, columns)
    factors = list(range(3, train.shape[1]))
    folds = random.integers(0, fold_count, count)
    cells = soils(1500, columns)
    # Add places beyond the training data, and classes that the training data lack.
    cells[::2, :3] += random.normal(0, 2, (750, 3)) * train[:, :3].std(axis=0)
    if factors:
        cells[::50, 3] = 4
    # Add neighbours in a row, as in a raster.
    cells[1000:] = cells[1000] + (np.arange(500) / 500)[:, None] * (cells[0] - cells[1000])
    if factors:
        cells[1000:, factors] = train[0, factors]
    mean, threshold, inside = expected(train, cells, weights, factors, folds)
    scaled = applicability.scale_covariates(train, weights, factors)
    np.testing.assert_allclose(
        applicability.measure_distances(scaled, folds), (mean, threshold), rtol=1e-12
    )
    return {
        "applicability": {
            "points": count,
            "weights": weights,
            "mean_distance": mean,
            "threshold": threshold,
        },
        "factors": factors,
        "file": base64.b64encode(train.astype("<f4").tobytes()).decode(),
        "cells": cells.tolist(),
        "inside": inside,
    }


print(
    json.dumps(
        [
            data_set(300, [], [0.3, 1.0, 0.6], 10),
            data_set(900, [3], [0.05, 0.4, 1.0, 0.7], 5),
            data_set(2000, [3, 4], [1.0, 0.2, 0.0, 0.5, 0.0], 10),
        ]
    )
)
