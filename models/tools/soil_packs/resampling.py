from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.stats import binomtest

REPLICATES = 1_000
SEED = 1

Estimate = dict[str, float]


def draw_bootstrap(replicates: int, units: int) -> Iterator[np.ndarray]:
    """Yields the indexes of each bootstrap sample, which are the same in each run."""
    for replicate in range(replicates):
        random = draw_uniform(units, after=replicate * units)
        yield (random * units).astype(int)


def draw_uniform(count: int, after: int = 0, seed: int = SEED) -> np.ndarray:
    """Generates numbers from 0 to 1 with mulberry32 (T. Ettinger, 2017, public domain); published figures depend on it."""
    state = np.arange(after + 1, after + count + 1, dtype=np.uint32) * np.uint32(0x6D2B79F5) + seed
    mixed = (state ^ (state >> 15)) * (state | 1)
    mixed ^= mixed + (mixed ^ (mixed >> 7)) * (mixed | 61)
    return (mixed ^ (mixed >> 14)) / 2**32


def bootstrap_interval(
    statistic: Callable[[np.ndarray], float],
    count: int,
    groups: np.ndarray | None,
    level: float,
) -> Estimate:
    """Computes the percentile interval of a statistic (Efron & Tibshirani 1993, chapter 13).

    If there are groups, whole groups are drawn instead of samples, because the errors in a group are correlated.

    :param statistic: computes the statistic of the samples with the given indexes; replicates with NaN are ignored
    """
    units = (
        list(np.arange(count)[:, None]) if groups is None else list(index_groups(groups).values())
    )
    replicates = [
        statistic(np.concatenate([units[unit] for unit in sample]))
        for sample in draw_bootstrap(REPLICATES, len(units))
    ]
    tail = (1 - level) / 2
    lower, upper = np.nanquantile(replicates, [tail, 1 - tail])
    return {"value": statistic(np.arange(count)), "lower": float(lower), "upper": float(upper)}


def index_groups(groups: np.ndarray) -> dict[str, np.ndarray]:
    """Returns the indexes of each group's members, in order of the groups' first occurrence."""
    return {str(name): np.flatnonzero(groups == name) for name in dict.fromkeys(groups)}


def estimate_share(hits: Any, level: float = 0.95) -> dict[str, Any]:
    """Computes the share of hits with its exact interval (Clopper & Pearson 1934), assuming independent samples."""
    hits = np.asarray(hits)
    interval = binomtest(int(hits.sum()), len(hits)).proportion_ci(level, "exact")
    value, lower, upper = map(float, (hits.mean(), interval.low, interval.high))
    return {"n": len(hits), "value": value, "lower": lower, "upper": upper}


def format_figure(value: float, digits: int = 3) -> str:
    return np.format_float_positional(value, digits, unique=False, fractional=False, trim="-")


def estimate_text(estimate: dict[str, Any]) -> str:
    return f"{estimate['value']:.3f} ({estimate['lower']:.3f} to {estimate['upper']:.3f})"


def share_text(share: dict[str, Any]) -> str:
    return f"{estimate_text(share)} of {share['n']}"
