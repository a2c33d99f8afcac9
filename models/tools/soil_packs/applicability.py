"""Where cells are like the training data: the area of applicability of Meyer & Pebesma (2021).

Distances and threshold are those of CAST 1.1 (`R/trainDI.R`), except that random folds stand in for
folds that are not given. The service computes only whether a cell lies inside.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from .commands import PackError
from .graphs import evaluator_of

# The service compares cells with all of them.
MOST_POINTS = 10_000
RANDOM_FOLDS = 10
SEED = 1
# Each covariate is permuted this often.
REPEATS = 5
# The matrix of distances has this many rows in memory at a time.
ROWS = 500

BAND = {
    "name": "applicability",
    "description": "1 inside the area of applicability, 0 outside",
    "overviews": "mode",
    "from": {"kind": "applicability"},
}


def area_of(
    graph: Any,
    x: np.ndarray,
    y: np.ndarray,
    classes: Collection[int],
    folds: Sequence[Any] | None,
) -> tuple[np.ndarray, dict[str, Any]]:
    """The points to store, and the manifest's `applicability` without their file."""
    random = np.random.default_rng(SEED)
    # Few digits, so that another processor's rounding gives the same.
    weights = [float(f"{weight:.4g}") for weight in importances(graph, x, y, random)]
    given = None if folds is None else np.asarray(folds)
    if given is not None and (given.shape != (len(x),) or len(np.unique(given)) < 2):
        raise PackError(
            f"folds must have at least two values, one for each of the {len(x)} samples"
        )
    kept = np.arange(len(x))
    if len(x) > MOST_POINTS:
        kept = np.sort(random.choice(len(x), MOST_POINTS, replace=False))
    of_points = (
        random.permutation(np.arange(len(kept)) % RANDOM_FOLDS) if given is None else given[kept]
    )
    mean, threshold = distances(scaled(x[kept], weights, classes), of_points)
    which = f"{RANDOM_FOLDS} random folds, as none were given" if given is None else "given folds"
    some = f"{len(kept)} of {len(x)}" if len(kept) < len(x) else f"{len(x)}"
    return x[kept], {
        "points": len(kept),
        "weights": weights,
        "mean_distance": float(f"{mean:.9g}"),
        "threshold": float(f"{threshold:.9g}"),
        "how": f"dissimilarity of {some} samples to those of other folds ({which}); covariates"
        " weighted by permutation importance",
    }


def importances(
    graph: Any, x: np.ndarray, y: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """The rise of the mean squared error when a covariate is permuted, at least 0, ÷ the largest."""
    evaluate = evaluator_of(graph)

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
        raise PackError("no covariate matters to the model: it has no area of applicability")
    return found / found.max()


def scaled(x: np.ndarray, weights: Sequence[float], classes: Collection[int]) -> np.ndarray:
    """Each covariate ÷ its standard deviation × its weight; of classes a column of 0 and 1 for each."""
    columns = []
    for at, weight in enumerate(weights):
        values = x[:, at].astype(float)
        if weight > 0 and at in classes:
            columns += [weight * standardised(values == one) for one in np.unique(values)]
        elif weight > 0:
            columns.append(weight * standardised(values))
    return np.column_stack(columns)


def standardised(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.std(ddof=1)


def distances(points: np.ndarray, folds: np.ndarray) -> tuple[float, float]:
    """The mean distance of all pairs, and the threshold of the dissimilarity index."""
    nearest = np.empty(len(points))
    total = 0.0
    for start in range(0, len(points), ROWS):
        rows = slice(start, start + ROWS)
        apart = cdist(points[rows], points)
        total += apart.sum()
        nearest[rows] = np.where(folds[rows, None] == folds, np.inf, apart).min(axis=1)
    mean = total / (len(points) * (len(points) - 1))
    index = nearest / mean
    # NumPy's default quantiles are type 7 of Hyndman & Fan (1996), R's default.
    lower, upper = np.quantile(index, (0.25, 0.75))
    return mean, float(min(upper + 1.5 * (upper - lower), index.max()))
