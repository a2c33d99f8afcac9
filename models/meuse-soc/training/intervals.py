"""Quantiles of the conditional distribution; coverage and calibration of intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import beta, norm

from forest import LOWER, THRESHOLDS, UPPER

# The nominal coverage of [q05, q95].
COVERAGE = 0.90
TAIL = 0.05

Interval = tuple[np.ndarray, np.ndarray]


def knots(cdf: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values (K + 2) and non-decreasing probabilities (points × (K + 2)) of the distribution."""
    ends = np.zeros((len(cdf), 1)), np.ones((len(cdf), 1))
    inner = np.maximum.accumulate(np.clip(cdf, 0, 1), axis=1)
    return np.array([LOWER, *THRESHOLDS, UPPER]), np.hstack([ends[0], inner, ends[1]])


def quantile(cdf: np.ndarray, probability: float) -> np.ndarray:
    """Inverts the piecewise-linear distribution by the card's formula, like the service."""
    value, p = knots(cdf)
    k = np.argmax(p >= probability, axis=1)
    row = np.arange(len(p))
    # The first k with p[k] ≥ probability > 0 = p[0], so k ≥ 1 and the segment is never flat.
    below, above = p[row, k - 1], p[row, k]
    return value[k - 1] + (probability - below) / (above - below) * (value[k] - value[k - 1])


def interval(cdf: np.ndarray, probability: float) -> Interval:
    return quantile(cdf, probability), quantile(cdf, 1 - probability)


def covered(bounds: Interval, target: np.ndarray) -> np.ndarray:
    """1 where the target is inside, else 0."""
    low, high = bounds
    return ((low <= target) & (target <= high)).astype(float)


def covered_with_error(bounds: Interval, target: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """The probability that target + error is inside: exact instead of by simulation."""
    low, high = bounds
    return norm.cdf((high - target) / sd) - norm.cdf((low - target) / sd)


def missed_with_error(bounds: Interval, target: np.ndarray, sd: np.ndarray) -> Interval:
    """The probabilities that target + error is below and above; each is nominally TAIL."""
    low, high = bounds
    return norm.cdf((low - target) / sd), norm.sf((high - target) / sd)


def calibrated_probability(cdf: np.ndarray, covers: Callable[[Interval], np.ndarray]) -> float:
    """The largest p at which [quantile(p), quantile(1 − p)] covers COVERAGE of new targets.

    Out-of-bag conformal on the probability scale (Chernozhukov, Wüthrich, Zhu 2021, PNAS 118,
    e2107794118; out of bag as Johansson et al. 2014, Machine Learning 97, 155-176): n targets of
    which Σ covers ≥ COVERAGE (n + 1); a target with an error counts by the probability that it is
    covered. `cdf` must not have seen its targets; that each comes from other trees of one forest
    is why the guarantee of a split is not claimed.
    """
    low, high = 1e-4, 0.25
    while high - low > 1e-6:
        p = (low + high) / 2
        enough = covers(interval(cdf, p)).sum() >= COVERAGE * (len(cdf) + 1)
        low, high = (p, high) if enough else (low, p)
    return low


def forest_probability(unseen_steps: np.ndarray, target: np.ndarray) -> float:
    """Calibrates the forest's own interval on targets without the bulk density's error."""
    return calibrated_probability(unseen_steps, lambda bounds: covered(bounds, target))


def full_probability(unseen_blurred: np.ndarray, target: np.ndarray, sd: np.ndarray) -> float:
    """Calibrates the published interval on targets with the bulk density's error."""
    return calibrated_probability(
        unseen_blurred, lambda bounds: covered_with_error(bounds, target, sd)
    )


def exact_bounds(share: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """The interval of Clopper & Pearson (1934) of a share of n independent values. A value counts by
    its probability, so that `share * n` need not be whole."""
    inside, tail = share * n, (1 - level) / 2
    low = beta.ppf(tail, inside, n - inside + 1) if inside > 0 else 0.0
    high = beta.ppf(1 - tail, inside + 1, n - inside) if inside < n else 1.0
    return float(low), float(high)
