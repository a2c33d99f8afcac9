"""Whether places look as if they had been drawn at random, which the interval of a correction assumes.

A test by simulation (Besag & Diggle 1977, Applied Statistics 26, 327–333): what is measured of the samples is
compared with the same of 999 random draws of as many places in the same strata.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..extras import numpy
from ..schemas.totals import Reason
from .maps import Places, RunMaps, metres_of

_DRAWS = 999
#: Of samples that were drawn at random, one of the three tests rejects one in a hundred.
_LEVEL = 0.01 / 3
_SEED = 58
# These differences of places take 80 MB.
_MOST_DISTANCES = 5_000_000

#: A caveat in the report of each correction, because no test of places can show it.
UNSEEN = "No test of the places can show whether they were preferred or avoided for soil that the map does not show."
_MESSAGES = {
    "clustered_places": "the samples lie closer together than random places do, as on a transect or at a few spots",
    "off_centre": "the samples lie to one side of the strata",
    "preferred_values": "the map is {} at the samples than at random places",
}
_REGULAR = (
    "The samples lie farther apart than random places do, as on a grid: the interval holds, but is"
    " probably too wide."
)


@dataclass(frozen=True)
class _Draws:
    """A statistic of the samples, and the same of random draws."""

    observed: float
    random: Any

    @property
    def p_high(self) -> float:
        """The share of draws that are at least as high, the samples among them."""
        slack = 1e-9 * abs(self.observed)
        return float(1 + (self.random >= self.observed - slack).sum()) / (1 + len(self.random))

    @property
    def p_low(self) -> float:
        slack = 1e-9 * abs(self.observed)
        return float(1 + (self.random <= self.observed + slack).sum()) / (1 + len(self.random))


#: Draws random places in a stratum: its index, and how many.
Drawer = Callable[[int, int], Places]


def randomness_warnings(maps: RunMaps, strata: Any, samples: Places) -> list[Reason]:
    """:param strata: the stratum of each map, by number"""
    np = numpy()
    random = np.random.default_rng(_SEED)

    def draw(stratum: int, count: int) -> Places:
        return maps.draw(random, np.flatnonzero(strata == stratum), count)

    return find_patterns(samples, strata[samples.map], draw)


def find_patterns(samples: Places, stratum: Any, draw: Drawer) -> list[Reason]:
    """:param stratum: that of each sample"""
    np = numpy()
    around = (float(samples.lon[0]), float(samples.lat.mean()))
    # The samples come first, and then each draw.
    nearest, values = np.zeros((2, 1 + _DRAWS))
    sums = np.zeros((1 + _DRAWS, 2))
    for one in np.unique(stratum).tolist():
        own = samples.at(stratum == one)
        count = len(own.lon)
        drawn = draw(one, _DRAWS * count)
        xy = metres_of(
            np.concatenate([own.lon, drawn.lon]), np.concatenate([own.lat, drawn.lat]), around
        ).reshape(1 + _DRAWS, count, 2)
        sums += xy.sum(axis=1)
        values += np.concatenate([own.mean, drawn.mean]).reshape(1 + _DRAWS, count).sum(axis=1)
        if count > 1:
            nearest += _nearest_sums(xy)
    distance = _Draws(nearest[0], nearest[1:])
    shift = sums - sums[1:].mean(axis=0)
    inverse = np.linalg.pinv(np.cov(sums[1:].T))
    aside = np.einsum("ij,jk,ik->i", shift, inverse, shift)
    preferred = values - values[1:].mean()
    found = []
    if distance.p_low <= _LEVEL:
        found.append(("clustered_places", ""))
    if _Draws(aside[0], aside[1:]).p_high <= _LEVEL:
        found.append(("off_centre", ""))
    if _Draws(abs(preferred[0]), abs(preferred[1:])).p_high <= _LEVEL:
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


def _nearest_sums(xy: Any) -> Any:
    """The sum over the places of each draw of the distance to its nearest neighbour."""
    np = numpy()
    draws, count, _ = xy.shape
    sums = np.zeros(draws)
    step = max(_MOST_DISTANCES // count**2, 1)
    for start in range(0, draws, step):
        some = xy[start : start + step]
        squares = ((some[:, :, None] - some[:, None]) ** 2).sum(axis=3)
        squares[:, np.arange(count), np.arange(count)] = np.inf
        sums[start : start + step] = np.sqrt(squares.min(axis=2)).sum(axis=1)
    return sums
