from __future__ import annotations

import math
from collections.abc import Sequence

from ..schemas.jobs import JobSummary

# Larger than any value of a soil property. The squares of much larger values would overflow to infinity.
_LARGEST = 1e15
# A range narrower than this share of its larger end counts as a single value.
_NARROWEST = 1e-6


def pool_ranges(summaries: Sequence[JobSummary]) -> tuple[float, float] | None:
    """Computes mean ± 2 standard deviations of the cells of all fields, limited to their minimum and maximum.

    The service computes `display_ranges` by the same formula.

    :return: None if all cells have nearly the same value
    """
    fields = [
        (
            max(limit_value(one.predicted_area_ha), 1e-9),
            limit_value(one.mean),
            limit_value(one.cell_sd),
        )
        for one in summaries
    ]
    area = math.fsum(weight for weight, _, _ in fields)
    mean = math.fsum(weight * value for weight, value, _ in fields) / area
    variance = (
        math.fsum(weight * (sd**2 + (value - mean) ** 2) for weight, value, sd in fields) / area
    )
    reach = 2 * math.sqrt(variance)
    low = limit_value(max(min(one.cell_min for one in summaries), mean - reach))
    high = limit_value(min(max(one.cell_max for one in summaries), mean + reach))
    low, high = float(f"{low:.6g}"), float(f"{high:.6g}")
    return (low, high) if high - low > _NARROWEST * max(abs(low), abs(high)) else None


def limit_value(value: float) -> float:
    """Limits a value to finite bounds, because the service may be hostile."""
    return min(max(value, -_LARGEST), _LARGEST)
