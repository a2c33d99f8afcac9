"""How alike the errors of near places are: rho(h) = (1 − nugget) exp(−h ÷ range), rho(0) = 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .commands import PackError
from .resampling import drawn

RANGES = 300
#: Coarser, in the bootstrap: ranges 4 % apart, and distances in classes of half the shortest range.
BOOTSTRAPPED_RANGES = 100
DISTANCE_CLASSES = 100
#: Pairs say nothing of a range beyond their distances, nor of one far below them.
RANGES_SPAN = 50
#: The nugget's bound varies by 0.03 between seeds with 2,000, and by 0.01 with these.
REPLICATES = 20_000
#: One-sided, of the standard deviation and the correlation's integral over the plane from above, and of the nugget
#: from below.
CONFIDENCE = 0.8
#: Below it, bounds are taken as right.
LEAST_SPREAD = 1.1
#: Without any correlation the declared range would not be defined.
MOST_NUGGET = 0.99

LAGS = 10
#: Per lag of a variogram (Journel & Huijbregts 1978, Mining Geostatistics, III.B.5).
LEAST_PAIRS = 30
#: The share of the distances that is near: pairs within it show what the fit says of small areas.
NEAR = 1 / 5


@dataclass(frozen=True)
class Errors:
    """Errors with the variances that their bounds show. A unit is what the bootstrap draws: a sample, or a group of
    samples."""

    max_metres: float
    #: Squared errors, and the variance that is expected of each.
    squares: np.ndarray
    variances: np.ndarray
    units: np.ndarray
    #: For each pair: the units of both errors, the metres between them, the product of both, and that of the
    #: standard deviations that are expected.
    first: np.ndarray
    second: np.ndarray
    metres: np.ndarray
    products: np.ndarray
    weights: np.ndarray
    #: An id for each pair: equal for the same two places in each repeat of a cross-validation.
    places: np.ndarray


def fitted_errors(errors: Errors, replicates: int = REPLICATES) -> dict[str, Any]:
    """The fit, and the conservative errors to declare.

    Variances are compared as sums, Σe² ÷ Σσ², and pairs weigh σᵢ σⱼ: a ratio of each error would let cells of nearly
    no width decide. The standard deviation is at its upper bound. The nugget is at its lower bound, which matters for small areas, with the range at which the
    integral, which matters for large ones, is at its upper bound.

    :raises PackError: if too few pairs are near each other
    """
    _require_near_pairs(errors, errors.max_metres * NEAR)
    variance = errors.squares.sum() / errors.variances.sum()
    ranges = _ranges(errors.max_metres, RANGES)
    share, range_m = _fit(
        ranges, errors.metres, errors.weights[None], errors.products[None] / variance
    )
    fit = {"nugget": float(1 - share[0]), "range_m": float(range_m[0])}
    nuggets, integrals, variances = _bootstrapped(errors, replicates)
    spread = float(np.sqrt(np.quantile(variances, CONFIDENCE)))
    integral = float(np.quantile(integrals, CONFIDENCE))
    nugget = min(round(float(np.quantile(nuggets, 1 - CONFIDENCE)), 2), MOST_NUGGET)
    declared_m = max(np.sqrt(integral / (2 * np.pi * (1 - nugget))), ranges[0])
    declared = {"nugget": nugget, "range_m": float(f"{declared_m:.3g}")}
    _require_near_pairs(errors, declared["range_m"])
    return {
        "pairs": len(errors.metres),
        "max_m": errors.max_metres,
        "variance": float(variance),
        "spread_bound": spread,
        # Right bounds show up to LEAST_SPREAD by chance, and wide ones are safe.
        "standardised_sd": round(spread, 2) if spread >= LEAST_SPREAD else 1.0,
        "lags": list(_lags(errors, variance)),
        "fit": {**fit, "integral_ha": float(integral_of(share, range_m)[0]) / 1e4},
        "declared": {**declared, "integral_ha": integral / 1e4},
    }


def integral_of(share: Any, range_m: Any) -> Any:
    """The integral over the plane, in m²: the variance of a large area's mean is proportional to it."""
    return 2 * np.pi * share * range_m**2


def _ranges(max_metres: float, count: int) -> np.ndarray:
    return np.geomspace(max_metres / RANGES_SPAN, max_metres, count)


def _fit(
    ranges: np.ndarray, metres: np.ndarray, weights: np.ndarray, products: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Least squares of s exp(−h ÷ range) to products: for each range the best s from 0 to 1 has a closed form.

    :param weights: weights of each distance, in a row for each fit
    :param products: weighted sum at each distance, ÷ variance
    """
    best = np.zeros(len(weights)), np.full(len(weights), ranges[0])
    least = np.full(len(weights), np.inf)
    for range_m in ranges:
        decay = np.exp(-metres / range_m)
        along, squares = products @ decay, weights @ decay**2
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.clip(along / squares, 0, 1)
            # This is Σ w (p − s d)² without the Σ w p² that all ranges share.
            residual = share * (share * squares - 2 * along)
            better = residual < least
        for found, value in ((least, residual), (best[0], share)):
            found[better] = value[better]
        best[1][better] = range_m
    return best


def _bootstrapped(errors: Errors, replicates: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nuggets, integrals and variances ÷ expected. Units are drawn, and not pairs, because a sample is in many pairs. The model stays."""
    units = 1 + int(errors.units.max())
    width = errors.max_metres / DISTANCE_CLASSES
    classes = (errors.metres / width).astype(int)
    is_own = errors.first == errors.second
    weights = np.zeros((replicates, DISTANCE_CLASSES))
    products = np.zeros((replicates, DISTANCE_CLASSES))
    variances = np.zeros(replicates)
    for i, sample in enumerate(drawn(replicates, units)):
        times = np.bincount(sample, minlength=units).astype(float)
        own = times[errors.units]
        # Copies of one unit are not near each other.
        weight = times[errors.first] * np.where(is_own, 1, times[errors.second])
        weights[i] = np.bincount(classes, weight * errors.weights, DISTANCE_CLASSES)
        sums = np.bincount(classes, weight * errors.products, DISTANCE_CLASSES)
        variances[i] = (own @ errors.squares) / (own @ errors.variances)
        products[i] = sums / variances[i]
    middles = (np.arange(DISTANCE_CLASSES) + 0.5) * width
    ranges = _ranges(errors.max_metres, BOOTSTRAPPED_RANGES)
    share, range_m = _fit(ranges, middles, weights, products)
    return 1 - share, integral_of(share, range_m), variances


def _lags(errors: Errors, variance: float) -> Any:
    width = errors.max_metres / LAGS
    lag = (errors.metres / width).astype(int)
    for i in range(LAGS):
        products, weights = errors.products[lag == i], errors.weights[lag == i]
        correlation = float(products.sum() / weights.sum() / variance) if len(products) else None
        ends = {"from_m": i * width, "to_m": (i + 1) * width}
        yield {**ends, "pairs": len(products), "correlation": correlation}


def _require_near_pairs(errors: Errors, metres: float) -> None:
    near = len(np.unique(errors.places[errors.metres < metres]))
    if near < LEAST_PAIRS:
        raise PackError(
            f"{near} pairs that were withheld together are nearer than {metres:.0f} m; at least"
            f" {LEAST_PAIRS} are needed to know how errors are alike. Withhold neighbours together"
            " (one fold for the samples of a block), or take more samples near each other"
        )
