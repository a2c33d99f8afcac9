"""Estimates the mean error of a map over an area from a stratified random sample.

The difference estimator of the area's mean is the map's mean + Σ W_h ē_h, where e = measured value − map value at
a place, ē_h is the mean of e in stratum h, and W_h is the stratum's share of the area. Its variance is
Σ W_h² s_h² ÷ n_h, where s_h² is the variance of the n_h values of e in stratum h (Särndal, Swensson & Wretman 1992,
Model Assisted Survey Sampling, section 6.3; de Gruijter, Brus, Bierkens & Knotters 2006, Sampling for Natural Resource
Monitoring, section 7.2). The estimator is unbiased even if the map is wrong, because places are drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from ..errors import invalid_input
from ..extras import student_t

#: The level of every interval of a correction, change or design.
LEVEL = 0.9


@dataclass(frozen=True)
class Stratum:
    name: str
    area_ha: float
    #: Measured − mapped value, at each sampled place.
    errors: tuple[float, ...]


@dataclass(frozen=True)
class MeanError:
    value: float
    standard_error: float
    degrees_of_freedom: float
    #: The number of strata with a single sample: their variance is computed from the differences between strata of similar area.
    collapsed_strata: int

    def half_width(self, level: float) -> float:
        quantile = student_t().ppf((1 + level) / 2, self.degrees_of_freedom)
        return float(quantile) * self.standard_error


def estimate_mean_error(strata: Sequence[Stratum]) -> MeanError:
    """Estimates the mean error over all strata.

    Strata with a single sample are collapsed in pairs of similar area, which overstates their variance
    (Cochran 1977, Sampling Techniques, section 5A.12; with areas as weights: Wolter 2007, Introduction to Variance
    Estimation, section 2.5).

    :raises InvalidRequest: if a stratum has no sample, or if just one stratum has a single sample
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
    for group in _group_neighbours(alone):
        weight = math.fsum(weights[at] for at in group)
        mean = math.fsum(means[at] for at in group)
        squares = math.fsum((means[at] - weights[at] / weight * mean) ** 2 for at in group)
        parts.append((len(group) / (len(group) - 1) * squares, len(group) - 1))
    return combine_variances(math.fsum(means), parts, len(alone))


def combine_variances(
    value: float, parts: Sequence[tuple[float, int]], collapsed_strata: int = 0
) -> MeanError:
    """Combines independent parts of a variance, with Satterthwaite's degrees of freedom (1946, Biometrics Bulletin 2, 110–114).

    :param parts: each part of the variance with its degrees of freedom
    """
    total = math.fsum(part for part, _ in parts)
    spread = math.fsum(part**2 / freedom for part, freedom in parts)
    freedom = total**2 / spread if spread > 0 else float(sum(one for _, one in parts))
    return MeanError(value, math.sqrt(total), freedom, collapsed_strata)


def _group_neighbours(items: Sequence[int]) -> list[Sequence[int]]:
    """Groups neighbouring items in pairs; if their number is odd, the last three form one group."""
    starts = range(0, len(items) - 1, 2)
    return [items[at:] if at + 3 >= len(items) else items[at : at + 2] for at in starts]


def _require_samples(strata: Sequence[Stratum]) -> None:
    empty = [one.name for one in strata if not one.errors]
    if empty:
        raise invalid_input(
            f"there are no samples in {len(empty)} of {len(strata)} strata ({join_first(empty)}), so the mean of all strata"
            " is unknown: take samples there, or group the fields into fewer strata by one of their columns"
        )
    alone = [one.name for one in strata if len(one.errors) == 1]
    if len(alone) == 1:
        raise invalid_input(
            f"stratum {alone[0]!r} has only one sample, which cannot show how much errors vary there: take at least 2"
        )


def join_first(names: Sequence[str], most: int = 3, separator: str = ", ") -> str:
    return separator.join(names[:most]) + (" …" if len(names) > most else "")
