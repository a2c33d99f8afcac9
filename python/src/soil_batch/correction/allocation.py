from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..extras import numpy
from .maps import CellErrorModel, Places, to_local_metres
from .mean_error import combine_variances

#: A variance needs at least two values.
LEAST_OF_STRATUM = 2
_MOST_PAIRED = 500


def allocate_samples(samples: int, sizes: Sequence[float]) -> list[int]:
    """Divides the samples among strata in proportion to size, but gives each stratum at least two.

    With area × standard deviation as size, this is Neyman's allocation (1934; Cochran 1977, 5.5) with a minimum.

    :param samples: at least two for each stratum
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
    # Rounding down leaves some samples, which go to the strata with the largest remainders.
    by_remainder = sorted(range(len(sizes)), key=lambda at: counts[at] - shares[at])
    for at in by_remainder[: samples - sum(counts)]:
        counts[at] += 1
    return counts


def expected_error_sd(places: Places, error: CellErrorModel) -> float:
    """Predicts, from random places in a stratum, the standard deviation of the errors within it.

    Errors of neighbouring cells are correlated, so that they vary less within a stratum than σ says: S² = k²σ²(1 − (1 − c₀) ρ̄),
    where k is `standardised_sd`, c₀ the nugget, and ρ̄ the mean of exp(−distance ÷ range) over pairs of places (the
    dispersion variance: Journel & Huijbregts 1978, II.C; de Gruijter et al. 2006, section 7.2.4). Where σ differs between
    cells, the product of both σ and the correlation is averaged over pairs of places. An error that all cells share in
    proportion to their values varies as the values do.
    """
    np = numpy()
    sample = places.select(slice(0, _MOST_PAIRED))
    variance = float((places.sd**2).mean())
    own_variance = variance
    if error.nugget is not None and error.range_m is not None and len(sample.lon) > 1:
        xy = to_local_metres(
            sample.lon, sample.lat, (float(sample.lon[0]), float(sample.lat.mean()))
        )
        metres = np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1))
        products = sample.sd[:, None] * sample.sd * np.exp(-metres / error.range_m)
        pairs = len(xy) * (len(xy) - 1)
        shared = (products.sum() - np.trace(products)) / pairs
        own_variance = max(variance - (1 - error.nugget) * float(shared), error.nugget * variance)
    return math.sqrt(own_variance + error.systematic**2 * float(places.mean.var()))


@dataclass(frozen=True)
class ExpectedInterval:
    samples: int
    #: Half the width of the mean's interval, in the unit of the maps.
    half_width: float


def expected_half_width(
    counts: Sequence[int], weights: Sequence[float], sds: Sequence[float], level: float
) -> float:
    """Predicts, from the standard deviation of each stratum, the half-width of the interval of `estimate_mean_error`."""
    parts = [((w * s) ** 2 / n, n - 1) for w, s, n in zip(weights, sds, counts)]
    return combine_variances(0.0, parts).half_width(level)
