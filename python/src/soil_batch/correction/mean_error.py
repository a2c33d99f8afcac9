"""The mean error of a map over an area, from a stratified random sample of places.

The difference estimator: the mean over the area is that of the map + Σ W_h ē_h, where e is the measured value −
the map's value at the place, ē_h its mean in stratum h, and W_h the stratum's share of the area. Its variance is
Σ W_h² s_h² ÷ n_h (Särndal, Swensson & Wretman 1992, Model Assisted Survey Sampling, section 6.3; de Gruijter, Brus,
Bierkens & Knotters 2006, Sampling for Natural Resource Monitoring, section 7.2). Whatever the map is, right or
wrong, this has no bias, because places were drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from ..errors import invalid_input
from ..extras import student_t

#: Of every interval of a correction, a change and a design.
LEVEL = 0.9


@dataclass(frozen=True)
class Stratum:
    name: str
    area_ha: float
    #: Measured − mapped, at each of its places.
    errors: tuple[float, ...]


@dataclass(frozen=True)
class MeanError:
    value: float
    standard_error: float
    degrees_of_freedom: float
    #: Strata with one sample each, whose variance is that between similar strata.
    collapsed_strata: int

    def half_width(self, level: float) -> float:
        quantile = student_t().ppf((1 + level) / 2, self.degrees_of_freedom)
        return float(quantile) * self.standard_error


def mean_error(strata: Sequence[Stratum]) -> MeanError:
    """
    Strata with one sample each are collapsed with others of similar area, which overstates their variance
    (Cochran 1977, Sampling Techniques, section 5A.12; with the areas, Wolter 2007, Introduction to Variance
    Estimation, section 2.5).

    :raises InvalidRequest: if the variance of a stratum cannot be known from its samples
    """
    _require_samples(strata)
    area = math.fsum(one.area_ha for one in strata)
    weights = [one.area_ha / area for one in strata]
    means = [weight * fmean(one.errors) for weight, one in zip(weights, strata)]
    parts = [
        (weight**2 * variance(one.errors) / len(one.errors), len(one.errors) - 1)
        for weight, one in zip(weights, strata)
        if len(one.errors) > 1
    ]
    alone = sorted(
        (at for at, one in enumerate(strata) if len(one.errors) == 1), key=weights.__getitem__
    )
    for group in _groups(alone):
        weight = math.fsum(weights[at] for at in group)
        mean = math.fsum(means[at] for at in group)
        squares = math.fsum((means[at] - weights[at] / weight * mean) ** 2 for at in group)
        parts.append((len(group) / (len(group) - 1) * squares, len(group) - 1))
    return combined_error(math.fsum(means), parts, len(alone))


def combined_error(
    value: float, parts: Sequence[tuple[float, int]], collapsed_strata: int = 0
) -> MeanError:
    """
    Degrees of freedom are those of Satterthwaite (1946, Biometrics Bulletin 2, 110–114).

    :param parts: independent parts of the variance, each with its degrees of freedom
    """
    total = math.fsum(part for part, _ in parts)
    spread = math.fsum(part**2 / freedom for part, freedom in parts)
    freedom = total**2 / spread if spread > 0 else float(sum(one for _, one in parts))
    return MeanError(value, math.sqrt(total), freedom, collapsed_strata)


def _groups(ones: Sequence[int]) -> list[Sequence[int]]:
    """Pairs of neighbours; the last three of an odd number stay together."""
    starts = range(0, len(ones) - 1, 2)
    return [ones[at:] if at + 3 >= len(ones) else ones[at : at + 2] for at in starts]


def _require_samples(strata: Sequence[Stratum]) -> None:
    empty = [one.name for one in strata if not one.errors]
    if empty:
        raise invalid_input(
            f"{len(empty)} of {len(strata)} strata have no sample ({first_names(empty)}): a mean of the others"
            " would not be that of all; sample them, or join fields to fewer strata by a column of theirs"
        )
    alone = [one.name for one in strata if len(one.errors) == 1]
    if len(alone) == 1:
        raise invalid_input(
            f"stratum {alone[0]!r} has one sample, which cannot show how much its errors differ: at least 2"
            " are needed"
        )


def first_names(names: Sequence[str], most: int = 3, separator: str = ", ") -> str:
    return separator.join(names[:most]) + (" …" if len(names) > most else "")
