"""Fits the spatial correlation of errors: rho(h) = (1 − nugget) exp(−h ÷ range), rho(0) = 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .commands import PackError
from .resampling import draw_bootstrap

RANGES = 300
#: The number of candidate ranges in the bootstrap. Its distance classes are half as wide as the shortest range.
BOOTSTRAPPED_RANGES = 100
DISTANCE_CLASSES = 100
#: Longest ÷ shortest candidate range: pairs carry no information about ranges longer, or much shorter, than their distances.
RANGES_SPAN = 50
#: The nugget's bound varies between seeds by 0.03 with 2,000 replicates, and by 0.01 with this number.
REPLICATES = 20_000
#: The level of the one-sided bounds: upper bounds of the standard deviation and the correlation's integral over the
#: plane, and a lower bound of the nugget.
CONFIDENCE = 0.8
#: The map's bounds count as right if the standard deviation of the standardised errors has an upper bound below this.
LEAST_SPREAD = 1.1
#: The largest declared nugget: without any correlation, the declared range would be undefined.
MOST_NUGGET = 0.99

LAGS = 10
#: The fewest pairs per lag of a variogram (Journel & Huijbregts 1978, Mining Geostatistics, III.B.5).
LEAST_PAIRS = 30
#: Pairs within this share of the largest distance count as near: they determine the fit for small areas.
NEAR = 1 / 5


@dataclass(frozen=True)
class Errors:
    """Errors, and the variances that the map's bounds imply. The bootstrap draws units: samples, or groups of samples."""

    max_metres: float
    squares: np.ndarray
    variances: np.ndarray
    units: np.ndarray
    #: For each pair: the units of both errors, their distance in metres, the product of the errors, and the product of
    #: their expected standard deviations.
    first: np.ndarray
    second: np.ndarray
    metres: np.ndarray
    products: np.ndarray
    weights: np.ndarray
    #: An ID for each pair, equal for the same two places in each repeat of a cross-validation.
    places: np.ndarray


def fit_errors(errors: Errors, replicates: int = REPLICATES) -> dict[str, Any]:
    """Fits the correlation, and chooses conservative parameters to declare.

    Variances are compared as sums, Σe² ÷ Σσ², and pairs have the weight σᵢ σⱼ: with a ratio per error, cells with very
    narrow bounds would dominate. The standard deviation is declared at its upper bound, or as 1 below `LEAST_SPREAD`, and
    the nugget, which matters for small areas, at its lower bound. The range is declared such that the correlation's
    integral, which matters for large areas, is at its upper bound.

    :raises PackError: if too few pairs are close together
    """
    _require_near_pairs(errors, errors.max_metres * NEAR)
    variance = errors.squares.sum() / errors.variances.sum()
    ranges = _candidate_ranges(errors.max_metres, RANGES)
    share, range_m = _fit(
        ranges, errors.metres, errors.weights[None], errors.products[None] / variance
    )
    fit = {"nugget": float(1 - share[0]), "range_m": float(range_m[0])}
    nuggets, integrals, variances = _bootstrap(errors, replicates)
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
        # Correct bounds can show a spread up to LEAST_SPREAD by chance, and bounds that are too wide are safe.
        "standardised_sd": round(spread, 2) if spread >= LEAST_SPREAD else 1.0,
        "lags": list(_lags(errors, variance)),
        "fit": {**fit, "integral_ha": float(integral_of(share, range_m)[0]) / 1e4},
        "declared": {**declared, "integral_ha": integral / 1e4},
    }


def integral_of(share: Any, range_m: Any) -> Any:
    """Computes the correlation's integral over the plane (m²), to which the variance of a large area's mean is proportional."""
    return 2 * np.pi * share * range_m**2


def _candidate_ranges(max_metres: float, count: int) -> np.ndarray:
    return np.geomspace(max_metres / RANGES_SPAN, max_metres, count)


def _fit(
    ranges: np.ndarray, metres: np.ndarray, weights: np.ndarray, products: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Fits s exp(−h ÷ range) to products by least squares. For each range, the best s from 0 to 1 has a closed form.

    :param weights: the weights of the distances, a row for each fit
    :param products: the weighted sum of products at each distance, ÷ variance
    """
    best = np.zeros(len(weights)), np.full(len(weights), ranges[0])
    least = np.full(len(weights), np.inf)
    for range_m in ranges:
        decay = np.exp(-metres / range_m)
        along, squares = products @ decay, weights @ decay**2
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.clip(along / squares, 0, 1)
            # Σ w (p − s d)² without Σ w p², which is the same for all ranges.
            residual = share * (share * squares - 2 * along)
            better = residual < least
        for found, value in ((least, residual), (best[0], share)):
            found[better] = value[better]
        best[1][better] = range_m
    return best


def _bootstrap(errors: Errors, replicates: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bootstraps the nugget, the integral, and the variance ÷ expected variance.

    Units are drawn instead of pairs, because each sample is in many pairs. The map's model is not trained again.
    """
    units = 1 + int(errors.units.max())
    width = errors.max_metres / DISTANCE_CLASSES
    classes = (errors.metres / width).astype(int)
    is_own = errors.first == errors.second
    weights = np.zeros((replicates, DISTANCE_CLASSES))
    products = np.zeros((replicates, DISTANCE_CLASSES))
    variances = np.zeros(replicates)
    for i, sample in enumerate(draw_bootstrap(replicates, units)):
        times = np.bincount(sample, minlength=units).astype(float)
        unit_weight = times[errors.units]
        # Copies of a unit that was drawn several times do not form pairs with each other.
        weight = times[errors.first] * np.where(is_own, 1, times[errors.second])
        weights[i] = np.bincount(classes, weight * errors.weights, DISTANCE_CLASSES)
        sums = np.bincount(classes, weight * errors.products, DISTANCE_CLASSES)
        variances[i] = (unit_weight @ errors.squares) / (unit_weight @ errors.variances)
        products[i] = sums / variances[i]
    middles = (np.arange(DISTANCE_CLASSES) + 0.5) * width
    ranges = _candidate_ranges(errors.max_metres, BOOTSTRAPPED_RANGES)
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
            f"too few pairs closer than {metres:.0f} m were withheld together: {near}; at least"
            f" {LEAST_PAIRS} are needed to estimate the correlation of errors. Withhold neighbours together"
            " (one fold for the samples of a block), or take more samples close together"
        )
