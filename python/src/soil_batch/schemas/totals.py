from __future__ import annotations

from dataclasses import dataclass

from ..layers import JoinedStock, Layer, join_layers
from .jobs import Stock

# The maximum number of strata in a response from the service.
MOST_STRATA = 100


@dataclass(frozen=True)
class Reason:
    code: str
    message: str


@dataclass(frozen=True)
class WarnedJobs:
    code: str
    jobs: int
    area_ha: float


@dataclass(frozen=True)
class Overlap:
    job_ids: tuple[str, ...]
    overlap_ha: float


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The combined figures of some jobs of one model."""

    jobs: int
    area_ha: float
    predicted_area_ha: float
    unpredicted_area_ha: float
    mean: float
    lower: float | None
    upper: float | None
    standard_error: float | None
    unit: str
    level: float | None
    method: str | None
    stock: Stock | None
    stock_standard_error: float | None
    stock_per_ha: float | None
    interval_missing: Reason | None


@dataclass(frozen=True, kw_only=True)
class Stratum(Figures):
    #: The value of the stratum column; None for jobs without a value.
    value: str | None


@dataclass(frozen=True, kw_only=True)
class Total(Figures):
    model: str
    temporal: str
    data_period: tuple[int, ...]
    years: tuple[int, ...]
    property: str | None
    depth_cm: tuple[float, ...] | None
    job_warnings: tuple[WarnedJobs, ...]
    overlap_ha: float | None
    #: At most 10 pairs, those that overlap most.
    overlaps: tuple[Overlap, ...]
    warnings: tuple[Reason, ...]
    #: Empty unless the run has a stratum column.
    strata: tuple[Stratum, ...]

    def __str__(self) -> str:
        bounds = "" if self.lower is None else f" ({self.lower:.4g} to {self.upper:.4g})"
        stock = "" if self.stock is None else f", {self.stock.value:.4g} {self.stock.unit}"
        if self.stock is not None and self.stock.lower is not None:
            stock += f" ({self.stock.lower:.4g} to {self.stock.upper:.4g})"
        return (
            f"{self.model}, {', '.join(map(str, self.years))}: {self.jobs} jobs, {self.predicted_area_ha:.1f} of {self.area_ha:.1f} ha,"
            f" mean {self.mean:.4g}{bounds} {self.unit}{stock}"
        )


@dataclass(frozen=True)
class LeftOut:
    reason: str
    error_code: str | None
    jobs: int
    #: The area of the jobs' polygons; None if one of them is invalid.
    area_ha: float | None
    #: At most the first 100 job IDs.
    job_ids: tuple[str, ...]


@dataclass(frozen=True)
class BatchTotal:
    batch_ids: tuple[str, ...]
    finished: bool
    total_jobs: int
    included_jobs: int
    excluded_jobs: int
    #: One for each model and data period, divided by year if fields of different years overlap. Intervals do not add up.
    totals: tuple[Total, ...]
    left_out: tuple[LeftOut, ...]

    def __post_init__(self) -> None:
        if (strata := sum(len(total.strata) for total in self.totals)) > MOST_STRATA:
            raise ValueError(f"totals contain {strata} strata; at most {MOST_STRATA} are possible")

    @property
    def joined(self) -> list[JoinedStock]:
        """The summed stocks of adjoining layers whose totals agree in years, data period and number of jobs."""
        groups: dict[object, list[Layer]] = {}
        for total in self.totals:
            if total.stock is not None and total.depth_cm is not None and len(total.depth_cm) > 1:
                layer = Layer(
                    total.model, total.depth_cm, total.level, total.predicted_area_ha, total.stock
                )
                groups.setdefault((total.jobs, total.years, total.data_period), []).append(layer)
        return [joined for layers in groups.values() for joined in join_layers(layers)]

    def __str__(self) -> str:
        lines = [str(total) for total in self.totals]
        lines += [
            f"left out: {group.jobs} job{'' if group.jobs == 1 else 's'}, {group.error_code or group.reason}"
            for group in self.left_out
        ]
        return "\n".join(lines)
