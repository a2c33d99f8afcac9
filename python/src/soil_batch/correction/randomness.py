"""Tests whether places look as if they were drawn at random, as the interval of a correction assumes.

This is a Monte Carlo test (Besag & Diggle 1977, Applied Statistics 26, 327–333): statistics of the samples are
compared with those of 999 random draws of the same number of places in the same strata.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..extras import numpy
from ..schemas.totals import Reason
from .maps import Places, RunMaps, to_local_metres

_DRAWS = 999
#: At this level, about one in a hundred random samples fails at least one of the three tests in `_MESSAGES`.
_LEVEL = 0.01 / 3
_SEED = 58
# The differences between this many pairs of places take 80 MB.
_MOST_DISTANCES = 5_000_000

UNSEEN = "No test can show whether places were preferred or avoided because of soil properties that the map does not show."
_MESSAGES = {
    "clustered_places": "the samples lie closer together than random places do, as on a transect or at a few spots",
    "off_centre": "the samples lie to one side of the strata",
    "preferred_values": "the map values are {} at the samples than at random places",
}
_REGULAR = (
    "The samples lie farther apart than random places do, as on a grid: the interval holds but is"
    " probably too wide."
)


@dataclass(frozen=True)
class _StatisticOfDraws:
    """A statistic of the samples, and the same statistic of each random draw."""

    observed: float
    random: Any

    @property
    def p_high(self) -> float:
        """The share of draws, counting the samples as one draw, whose statistic is at least that of the samples."""
        slack = 1e-9 * abs(self.observed)
        return float(1 + (self.random >= self.observed - slack).sum()) / (1 + len(self.random))

    @property
    def p_low(self) -> float:
        slack = 1e-9 * abs(self.observed)
        return float(1 + (self.random <= self.observed + slack).sum()) / (1 + len(self.random))


#: Draws random places; the arguments are the index of a stratum and the number of places.
Drawer = Callable[[int, int], Places]


def warn_of_nonrandom_places(maps: RunMaps, strata: Any, samples: Places) -> list[Reason]:
    """:param strata: the index of each map's stratum, as an array"""
    np = numpy()
    random = np.random.default_rng(_SEED)

    def draw(stratum: int, count: int) -> Places:
        return maps.draw_places(random, np.flatnonzero(strata == stratum), count)

    return find_patterns(samples, strata[samples.map], draw)


def find_patterns(samples: Places, stratum: Any, draw: Drawer) -> list[Reason]:
    """:param stratum: the index of each sample's stratum"""
    np = numpy()
    origin = (float(samples.lon[0]), float(samples.lat.mean()))
    # Element 0 belongs to the samples, the others to the draws.
    nearest, values = np.zeros((2, 1 + _DRAWS))
    sums = np.zeros((1 + _DRAWS, 2))
    for index in np.unique(stratum).tolist():
        sampled = samples.select(stratum == index)
        count = len(sampled.lon)
        drawn = draw(index, _DRAWS * count)
        xy = to_local_metres(
            np.concatenate([sampled.lon, drawn.lon]),
            np.concatenate([sampled.lat, drawn.lat]),
            origin,
        ).reshape(1 + _DRAWS, count, 2)
        sums += xy.sum(axis=1)
        values += np.concatenate([sampled.mean, drawn.mean]).reshape(1 + _DRAWS, count).sum(axis=1)
        if count > 1:
            nearest += _sum_nearest_distances(xy)
    distance = _StatisticOfDraws(nearest[0], nearest[1:])
    shift = sums - sums[1:].mean(axis=0)
    inverse = np.linalg.pinv(np.cov(sums[1:].T))
    aside = np.einsum("ij,jk,ik->i", shift, inverse, shift)
    preferred = values - values[1:].mean()
    found = []
    if distance.p_low <= _LEVEL:
        found.append(("clustered_places", ""))
    if _StatisticOfDraws(aside[0], aside[1:]).p_high <= _LEVEL:
        found.append(("off_centre", ""))
    if _StatisticOfDraws(abs(preferred[0]), abs(preferred[1:])).p_high <= _LEVEL:
        found.append(("preferred_values", "higher" if preferred[0] > 0 else "lower"))
    warnings = [
        Reason(
            code,
            f"The places do not look random: {_MESSAGES[code].format(word)}. The interval does not hold.",
        )
        for code, word in found
    ]
    if distance.p_high <= _LEVEL:
        warnings.append(Reason("regular_places", _REGULAR))
    return warnings


def _sum_nearest_distances(xy: Any) -> Any:
    """Sums, for each draw, the distance of every place to its nearest neighbour."""
    np = numpy()
    draws, count, _ = xy.shape
    sums = np.zeros(draws)
    step = max(_MOST_DISTANCES // count**2, 1)
    for start in range(0, draws, step):
        some_draws = xy[start : start + step]
        squares = ((some_draws[:, :, None] - some_draws[:, None]) ** 2).sum(axis=3)
        squares[:, np.arange(count), np.arange(count)] = np.inf
        sums[start : start + step] = np.sqrt(squares.min(axis=2)).sum(axis=1)
    return sums
