"""How far chance moves a figure: bootstrap and exact binomial intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.stats import binomtest

REPLICATES = 1_000
SEED = 1

Estimate = dict[str, float]


def drawn(replicates: int, units: int) -> Iterator[np.ndarray]:
    """The indexes of each bootstrap sample, the same in each run."""
    for replicate in range(replicates):
        random = uniform(units, after=replicate * units)
        yield (random * units).astype(int)


def uniform(count: int, after: int = 0, seed: int = SEED) -> np.ndarray:
    """Numbers from 0 to 1: mulberry32 (T. Ettinger, 2017, public domain), which made all published figures."""
    state = np.arange(after + 1, after + count + 1, dtype=np.uint32) * np.uint32(0x6D2B79F5) + seed
    mixed = (state ^ (state >> 15)) * (state | 1)
    mixed ^= mixed + (mixed ^ (mixed >> 7)) * (mixed | 61)
    return (mixed ^ (mixed >> 14)) / 2**32


def bootstrapped(
    statistic: Callable[[np.ndarray], float],
    count: int,
    groups: np.ndarray | None,
    level: float,
) -> Estimate:
    """The percentile interval of a statistic (Efron & Tibshirani 1993, chapter 13).

    Samples are drawn, or whole groups where there are groups, because the errors of a group are alike.

    :param statistic: the statistic of the samples with these indexes; a replicate for which it is NaN does not count
    """
    units = list(np.arange(count)[:, None]) if groups is None else list(members(groups).values())
    replicates = [
        statistic(np.concatenate([units[unit] for unit in sample]))
        for sample in drawn(REPLICATES, len(units))
    ]
    tail = (1 - level) / 2
    lower, upper = np.nanquantile(replicates, [tail, 1 - tail])
    return {"value": statistic(np.arange(count)), "lower": float(lower), "upper": float(upper)}


def members(groups: np.ndarray) -> dict[str, np.ndarray]:
    """The indexes of each group, in the order in which groups occur."""
    return {str(name): np.flatnonzero(groups == name) for name in dict.fromkeys(groups)}


def share(hits: Any, level: float = 0.95) -> dict[str, Any]:
    """The share of hits with its exact interval (Clopper & Pearson 1934), samples taken as independent."""
    hits = np.asarray(hits)
    interval = binomtest(int(hits.sum()), len(hits)).proportion_ci(level, "exact")
    value, lower, upper = map(float, (hits.mean(), interval.low, interval.high))
    return {"n": len(hits), "value": value, "lower": lower, "upper": upper}


def figure(value: float, digits: int = 3) -> str:
    """A number for a person."""
    return np.format_float_positional(value, digits, unique=False, fractional=False, trim="-")


def estimate_text(estimate: dict[str, Any]) -> str:
    return f"{estimate['value']:.3f} ({estimate['lower']:.3f} to {estimate['upper']:.3f})"


def share_text(of: dict[str, Any]) -> str:
    return f"{estimate_text(of)} of {of['n']}"
