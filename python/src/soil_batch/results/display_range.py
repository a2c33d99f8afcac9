"""The range of values that the colours of every map, style and picture of a model's results span."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..schemas.jobs import JobSummary

# No property of soil is so large, and squares of larger numbers are infinite.
_LARGEST = 1e15
# Share of the larger end below which a range is one value, written with other digits.
_NARROWEST = 1e-6


def pooled_range(summaries: Sequence[JobSummary]) -> tuple[float, float] | None:
    """
    Mean ± 2 standard deviations of the cells of all fields, cut at their lowest and highest, so that no field
    needs its raster for its colour. The service computes a batch's `display_ranges` by the same formula, so that
    a run of one batch has the batch's range.

    :return: None for cells of one value
    """
    ones = [
        (max(bounded(one.predicted_area_ha), 1e-9), bounded(one.mean), bounded(one.cell_sd))
        for one in summaries
    ]
    area = math.fsum(weight for weight, _, _ in ones)
    mean = math.fsum(weight * value for weight, value, _ in ones) / area
    variance = (
        math.fsum(weight * (sd**2 + (value - mean) ** 2) for weight, value, sd in ones) / area
    )
    reach = 2 * math.sqrt(variance)
    low = bounded(max(min(one.cell_min for one in summaries), mean - reach))
    high = bounded(min(max(one.cell_max for one in summaries), mean + reach))
    low, high = float(f"{low:.6g}"), float(f"{high:.6g}")
    return (low, high) if high - low > _NARROWEST * max(abs(low), abs(high)) else None


def bounded(value: float) -> float:
    """Bounds a value from a service, which may be hostile."""
    return min(max(value, -_LARGEST), _LARGEST)
