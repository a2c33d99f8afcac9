"""How many samples each stratum gets, and how wide the interval of their mean will be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..extras import numpy
from .maps import ErrorOfCells, Places, metres_of
from .mean_error import combined_error

#: A variance needs two.
LEAST_OF_STRATUM = 2
_MOST_PAIRED = 500


def allocate(samples: int, sizes: Sequence[float]) -> list[int]:
    """Two for each stratum at least, the others ∝ size (Neyman 1934: area × standard deviation; Cochran 1977, 5.5).

    :param samples: twice the strata, or more
    """
    sizes = sizes if sum(sizes) > 0 else [1.0] * len(sizes)
    free, rest = list(range(len(sizes))), samples
    shares = {at: float(LEAST_OF_STRATUM) for at in free}
    while free:
        total = math.fsum(sizes[at] for at in free)
        wanted = {at: rest * sizes[at] / total if total > 0 else rest / len(free) for at in free}
        small = [at for at in free if wanted[at] < LEAST_OF_STRATUM]
        if not small:
            shares |= wanted
            break
        free = [at for at in free if at not in small]
        rest -= LEAST_OF_STRATUM * len(small)
    counts = [math.floor(shares[at]) for at in range(len(sizes))]
    # The largest remainders get what rounding left.
    by_remainder = sorted(range(len(sizes)), key=lambda at: counts[at] - shares[at])
    for at in by_remainder[: samples - sum(counts)]:
        counts[at] += 1
    return counts


def error_sd(places: Places, error: ErrorOfCells) -> float:
    """The standard deviation that errors will have within a stratum, by random places in it.

    Errors of neighbouring cells are correlated, so that they vary less than σ within a stratum: S² = k²σ²(1 − (1 − c₀) ρ̄),
    with the mean correlation ρ̄ of two places (the dispersion variance: Journel & Huijbregts 1978, II.C; de Gruijter
    et al. 2006, section 7.2.4). Where σ differs between cells, the product of two is averaged with the correlation. An error that
    all cells share ∝ value differs as the values do.
    """
    np = numpy()
    some = places.at(slice(0, _MOST_PAIRED))
    variance = float((places.sd**2).mean())
    own = variance
    if error.nugget is not None and error.range_m is not None and len(some.lon) > 1:
        xy = metres_of(some.lon, some.lat, (float(some.lon[0]), float(some.lat.mean())))
        metres = np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1))
        products = some.sd[:, None] * some.sd * np.exp(-metres / error.range_m)
        pairs = len(xy) * (len(xy) - 1)
        alike = (products.sum() - np.trace(products)) / pairs
        own = max(variance - (1 - error.nugget) * float(alike), error.nugget * variance)
    return math.sqrt(own + error.systematic**2 * float(places.mean.var()))


@dataclass(frozen=True)
class Expected:
    samples: int
    #: Of the interval of the mean, in the unit of the maps.
    half_width: float


def half_width(
    counts: Sequence[int], weights: Sequence[float], sds: Sequence[float], level: float
) -> float:
    """Of the interval that `mean_error` computes, if errors in the strata have these standard deviations."""
    parts = [((w * s) ** 2 / n, n - 1) for w, s, n in zip(weights, sds, counts)]
    return combined_error(0.0, parts).half_width(level)
