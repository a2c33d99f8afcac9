"""The correlation of the map's errors between places, for the interval of an area's mean."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import area
import covariates
import forest
import target
from intervals import interval

sys.path.append(str(area.PACK.parent / "tools"))
from soil_packs.correlation import Errors, fitted_errors
from soil_packs.group_means import Bounded, ErrorModel, own_sd

# Both samples of a pair are out of bag in 0.135 of the trees: some 500 trees for each pair.
TREES = 4_000
MAX_METRES = 500.0
NORMAL_95 = 1.6448536269514722


@dataclass(frozen=True)
class Correlation:
    """ρ(0) = 1, ρ(h) = (1 − nugget) e^(−h / range_m)."""

    nugget: float
    range_m: float

    def between(self, metres: np.ndarray) -> np.ndarray:
        return np.where(metres == 0, 1, (1 - self.nugget) * np.exp(-metres / self.range_m))


@dataclass(frozen=True)
class Pairs:
    """All pairs of different samples nearer than MAX_METRES, i < j."""

    first: np.ndarray
    second: np.ndarray
    metres: np.ndarray


def pairs() -> Pairs:
    x, y, _ = area.samples()
    first, second = np.triu_indices(len(x), k=1)
    metres = np.hypot(x[first] - x[second], y[first] - y[second])
    near = (metres > 0) & (metres < MAX_METRES)
    return Pairs(first[near], second[near], metres[near])


def bounded(mean: np.ndarray, bounds: tuple[np.ndarray, np.ndarray]) -> Bounded:
    """Only the predictions: neither places nor measurements."""
    return Bounded(np.zeros((len(mean), 2)), mean, mean, *bounds)


def error_model(systematic: float) -> ErrorModel:
    """Of one cell: neither nugget nor range plays a part."""
    return ErrorModel(NORMAL_95, systematic, nugget=0, range_m=1)


def leave_pair_out(probability: float, near: Pairs, shared: float) -> tuple[np.ndarray, np.ndarray]:
    """(products, own): the product of a pair's standardised errors with both samples withheld, and
    the variance of one standardised error, with the bulk density's own part.

    A bootstrap sample without i and j is one of the other samples, so the trees in which both are out
    of bag are a forest trained without both. An ordinary cross-validation keeps the one while it
    predicts the other, which pulls the second towards the first and hides their correlation.
    """
    _, _, organic_matter = area.samples()
    y, sd = target.carbon_density(organic_matter), target.carbon_density_sd(organic_matter)
    systematic = target.systematic_relative_sd(organic_matter, shared)
    density_sd = sd * np.sqrt(1 - shared)
    features = covariates.at_samples()
    model = forest.forest().set_params(n_estimators=TREES).fit(features, y)
    values = np.column_stack([y, forest.blurred(y, sd)])
    unseen = np.zeros((TREES, len(y)), dtype=bool)
    leaves = np.zeros((TREES, len(y), values.shape[1]), dtype=np.float32)
    for i, (tree, counts) in enumerate(forest.bags(model, len(y))):
        at = tree.apply(features)
        unseen[i] = counts == 0
        leaves[i] = forest.leaf_means(tree, at, counts, values)[at]

    def standardised(sample: int, trees: np.ndarray) -> tuple[float, float]:
        predicted = leaves[trees, sample].mean(axis=0, dtype=float)
        mean = predicted[:1]
        cell = bounded(mean, interval(predicted[None, 1:], probability))
        width = own_sd(cell, error_model(systematic))[0]
        return (y[sample] - mean[0]) / width, density_sd[sample] / width

    products = np.zeros(len(near.metres))
    for k, (i, j) in enumerate(zip(near.first, near.second)):
        trees = unseen[:, i] & unseen[:, j]
        products[k] = standardised(i, trees)[0] * standardised(j, trees)[0]
    single = np.array([standardised(i, unseen[:, i]) for i in range(len(y))])
    return products, np.sum(single**2, axis=1)


def estimate(probability: float, shared: float = target.SHARED_VARIANCE) -> dict:
    """The fit, and the published model at its conservative bounds. `shared` is the part of the bulk density's variance that all cells share."""
    near = pairs()
    products, variance = leave_pair_out(probability, near, shared)
    found = fitted(products, near, variance)
    fit, declared = found["fit"], found["declared"]
    return {
        "pairs": found["pairs"],
        "variance": found["variance"],
        "fit_nugget": fit["nugget"],
        "fit_range_m": fit["range_m"],
        "fit_integral_ha": fit["integral_ha"],
        "upper_integral_ha": declared["integral_ha"],
        "nugget": declared["nugget"],
        "range_m": float(declared["range_m"]),
    }


def fitted(products: np.ndarray, near: Pairs, variance: np.ndarray) -> dict:
    """Fit and bounds as for any pack."""
    errors = Errors(
        max_metres=MAX_METRES,
        variances=variance,
        units=np.arange(len(variance)),
        first=near.first,
        second=near.second,
        metres=near.metres,
        products=products,
        places=near.first * len(variance) + near.second,
    )
    return fitted_errors(errors)
