"""The correlation of the map's errors between places, for the interval of an area's mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import area
import covariates
import forest
import target
from intervals import interval

# Both samples of a pair are out of bag in 0.135 of the trees: some 500 trees for each pair.
TREES = 4_000
MAX_METRES = 500.0
REPLICATES = 2_000
# One-sided, of the correlation's integral over the plane from above, and of the nugget from below.
CONFIDENCE = 0.80
NORMAL_95 = 1.6448536269514722


@dataclass(frozen=True)
class Correlation:
    """ρ(0) = 1, ρ(h) = (1 − nugget) e^(−h / range_m)."""

    nugget: float
    range_m: float

    def integral(self) -> float:
        """∫ρ over the plane, in m²: what the variance of a large area's mean is proportional to."""
        return 2 * np.pi * (1 - self.nugget) * self.range_m**2

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


def own_half_widths(
    mean: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], systematic: float
) -> tuple[np.ndarray, np.ndarray]:
    """A cell's half-widths below and above, without the error that all cells share."""
    shared = NORMAL_95 * systematic * mean
    low, high = (np.maximum(width, 0) for width in (mean - bounds[0], bounds[1] - mean))
    return tuple(np.sqrt(np.maximum(width**2 - shared**2, 0)) for width in (low, high))


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
    own_sd = sd * np.sqrt(1 - shared)
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
        low, high = own_half_widths(mean, interval(predicted[None, 1:], probability), systematic)
        error = y[sample] - mean
        width = np.where(error < 0, low, high)[0]
        return error[0] / width, own_sd[sample] / width

    products = np.zeros(len(near.metres))
    for k, (i, j) in enumerate(zip(near.first, near.second)):
        trees = unseen[:, i] & unseen[:, j]
        products[k] = standardised(i, trees)[0] * standardised(j, trees)[0]
    single = np.array([standardised(i, unseen[:, i]) for i in range(len(y))])
    return products, np.sum(single**2, axis=1)


def fitted(products: np.ndarray, metres: np.ndarray, weights: np.ndarray) -> Correlation:
    """Least squares over all pairs; for each range the best nugget has a closed form."""
    # Pairs say nothing of a range beyond their distances.
    ranges = np.geomspace(10, MAX_METRES, 300)
    best = (np.inf, Correlation(1.0, ranges[0]))
    for range_m in ranges:
        decay = np.exp(-metres / range_m)
        share = np.sum(weights * products * decay) / np.sum(weights * decay**2)
        share = float(np.clip(share, 0, 1))
        squares = np.sum(weights * (products - share * decay) ** 2)
        best = min(best, (squares, Correlation(1 - share, float(range_m))), key=lambda fit: fit[0])
    return best[1]


def estimate(probability: float, shared: float = target.SHARED_VARIANCE) -> dict:
    """The fit, and the published model: the nugget at its lower bound, which matters for small areas,
    with the range at which the integral, which matters for large ones, is at its upper bound. `shared` is the part of the bulk density's
    variance that all cells share."""
    near = pairs()
    products, variance = leave_pair_out(probability, near, shared)
    n = len(variance)
    fit = fitted(products / variance.mean(), near.metres, np.ones(len(products)))
    random = np.random.default_rng(forest.SEED)
    replicates = []
    for _ in range(REPLICATES):
        # Samples are drawn, and not pairs, because a sample is in many pairs. The forest stays.
        drawn = np.bincount(random.integers(0, n, n), minlength=n)
        weights = drawn[near.first] * drawn[near.second]
        scale = np.average(variance, weights=drawn)
        used = weights > 0
        replicates.append(fitted(products[used] / scale, near.metres[used], weights[used]))
    bound = float(np.quantile([model.integral() for model in replicates], CONFIDENCE))
    nugget = round(float(np.quantile([model.nugget for model in replicates], 1 - CONFIDENCE)), 2)
    range_m = float(np.sqrt(bound / (2 * np.pi * (1 - nugget))))
    return {
        "pairs": len(products),
        "variance": float(variance.mean() * NORMAL_95**2),
        "fit_nugget": fit.nugget,
        "fit_range_m": fit.range_m,
        "fit_integral_ha": fit.integral() / 1e4,
        "upper_integral_ha": bound / 1e4,
        "nugget": nugget,
        "range_m": float(round(range_m)),
    }
