"""Computes the area of applicability of Meyer & Pebesma (2021): where cells are similar to the training data.

Distances and threshold are computed as in CAST 1.1 (`R/trainDI.R`), except that random folds are used if no folds
are given.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from .commands import PackError
from .graphs import create_evaluator

# The maximum number of stored points: the service compares each cell with all of them.
MOST_POINTS = 10_000
RANDOM_FOLDS = 10
SEED = 1
REPEATS = 5
# The number of rows of the distance matrix that are in memory at a time.
ROWS = 500

BAND = {
    "name": "applicability",
    "description": "1 inside the area of applicability, 0 outside",
    "overviews": "mode",
    "from": {"kind": "applicability"},
}


def compute_area(
    graph: Any,
    x: np.ndarray,
    y: np.ndarray,
    classes: Collection[int],
    folds: Sequence[Any] | None,
) -> tuple[np.ndarray, dict[str, Any]]:
    """Returns the points to store, and the manifest's `applicability` without the file name."""
    random = np.random.default_rng(SEED)
    # Few digits, so that processors with different rounding give the same weights.
    weights = [float(f"{weight:.4g}") for weight in measure_importances(graph, x, y, random)]
    given = None if folds is None else np.asarray(folds)
    if given is not None and (given.shape != (len(x),) or len(np.unique(given)) < 2):
        raise PackError(
            f"folds must have a value for each of the {len(x)} samples, and at least two different values"
        )
    kept = np.arange(len(x))
    if len(x) > MOST_POINTS:
        kept = np.sort(random.choice(len(x), MOST_POINTS, replace=False))
    of_points = (
        random.permutation(np.arange(len(kept)) % RANDOM_FOLDS) if given is None else given[kept]
    )
    mean, threshold = measure_distances(scale_covariates(x[kept], weights, classes), of_points)
    which = f"{RANDOM_FOLDS} random folds, as none were given" if given is None else "given folds"
    count_text = f"{len(kept)} of {len(x)}" if len(kept) < len(x) else f"{len(x)}"
    return x[kept], {
        "points": len(kept),
        "weights": weights,
        "mean_distance": float(f"{mean:.9g}"),
        "threshold": float(f"{threshold:.9g}"),
        "how": f"dissimilarity of {count_text} samples to those of other folds ({which}); covariates"
        " weighted by permutation importance",
    }


def measure_importances(
    graph: Any, x: np.ndarray, y: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Computes each covariate's importance: the increase in the MSE when it is permuted (≥ 0), ÷ the largest increase."""
    evaluate = create_evaluator(graph)

    def squared_error(features: np.ndarray) -> float:
        return float(np.mean((evaluate(features)[:, 0] - y) ** 2))

    found = np.zeros(x.shape[1])
    for at in range(len(found)):
        for _ in range(REPEATS):
            permuted = x.copy()
            permuted[:, at] = random.permutation(permuted[:, at])
            found[at] += squared_error(permuted)
    found = np.maximum(found / REPEATS - squared_error(x), 0)
    if not found.any():
        raise PackError("no covariate influences the model, so it has no area of applicability")
    return found / found.max()


def scale_covariates(
    x: np.ndarray, weights: Sequence[float], classes: Collection[int]
) -> np.ndarray:
    """Centres covariates and scales them by weight ÷ standard deviation. A covariate of classes is first replaced by a column
    of 0 and 1 for each class. Covariates with the weight 0 are left out."""
    columns = []
    for at, weight in enumerate(weights):
        values = x[:, at].astype(float)
        if weight > 0 and at in classes:
            columns += [weight * standardise(values == one) for one in np.unique(values)]
        elif weight > 0:
            columns.append(weight * standardise(values))
    return np.column_stack(columns)


def standardise(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.std(ddof=1)


def measure_distances(points: np.ndarray, folds: np.ndarray) -> tuple[float, float]:
    """Computes the mean distance of all pairs of points, and the threshold of the dissimilarity index."""
    nearest = np.empty(len(points))
    total = 0.0
    for start in range(0, len(points), ROWS):
        rows = slice(start, start + ROWS)
        apart = cdist(points[rows], points)
        total += apart.sum()
        nearest[rows] = np.where(folds[rows, None] == folds, np.inf, apart).min(axis=1)
    mean = total / (len(points) * (len(points) - 1))
    index = nearest / mean
    # NumPy's default quantiles are type 7 of Hyndman & Fan (1996), the default of R as well.
    lower, upper = np.quantile(index, (0.25, 0.75))
    return mean, float(min(upper + 1.5 * (upper - lower), index.max()))
