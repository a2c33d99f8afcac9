"""What a run would yield, before it is started."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .chunks import Chunk, RunJob
from .errors import not_the_service
from .extras import pandas
from .schemas.estimates import BatchEstimate, JobEstimate
from .schemas.limits import Usage
from .transport import Transport

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Estimate:
    """Over all batches of the run. Nothing is charged for it."""

    #: Charged area; 0 for jobs that are certain to fail.
    hectares: float
    #: From the first creation to the last result; None while the service cannot tell.
    seconds: tuple[float, float] | None
    #: What AWS charges for the run; None while the service cannot tell.
    usd: float | None
    #: The AWS region whose prices these are.
    region: str | None
    #: Jobs that the service had no time to plan: their errors are not known.
    unplanned: int
    #: Today's quota, before the run.
    usage: Usage = field(repr=False)
    fits_today: bool
    #: In the order of the run.
    jobs: tuple[JobEstimate, ...] = field(repr=False)
    _rows: tuple[RunJob, ...] = field(repr=False)

    @property
    def failures(self) -> DataFrame:
        """Jobs that would fail, with the row of their field."""
        return self._table(
            [
                (job, at, {"error_code": job.error_code, "error_message": job.error_message})
                for at, job in enumerate(self.jobs)
                if job.error_code is not None
            ],
            ("error_code", "error_message"),
        )

    @property
    def warnings(self) -> DataFrame:
        return self._table(
            [
                (job, at, {"code": one.code, "message": one.message})
                for at, job in enumerate(self.jobs)
                for one in job.warnings
            ],
            ("code", "message"),
        )

    def _table(
        self, found: list[tuple[JobEstimate, int, dict[str, Any]]], columns: tuple[str, str]
    ) -> DataFrame:
        rows = [
            {"row": self._rows[at].field_index, "name": job.name, "year": job.year, **values}
            for job, at, values in found
        ]
        return pandas().DataFrame(rows, columns=["row", "name", "year", *columns])

    def __str__(self) -> str:
        failing = sum(job.error_code is not None for job in self.jobs)
        parts = [f"{len(self.jobs)} jobs", f"{self.hectares:.1f} ha"]
        if self.seconds is not None:
            parts.append(f"{self.seconds[0]:.0f} to {self.seconds[1]:.0f} s")
        if self.usd is not None:
            parts.append(f"{self.usd:.4f} USD")
        # Whether the model has data in a field shows only in the run.
        parts.append(f"{failing or 'none'} known to fail")
        if not self.fits_today:
            parts.append("more than is left of today's quota")
        return ", ".join(parts)


def estimate_run(
    transport: Transport,
    jobs: Sequence[RunJob],
    chunks: Sequence[Chunk],
    usage: Usage,
    on_chunk: Callable[[int, int], None],
) -> Estimate:
    """:param jobs: those of the chunks, in their order"""
    ones = []
    for chunk in chunks:
        ones.append(transport.post(BatchEstimate, "/v1/batch/estimate", chunk.body))
        on_chunk(len(ones), len(chunks))
    if any(len(one.jobs) != len(chunk.jobs) for one, chunk in zip(ones, chunks)):
        raise not_the_service("The estimate is for different jobs from those that were sent.")
    found = tuple(job for one in ones for job in one.jobs)
    hectares = sum(one.hectares for one in ones)
    durations = [one.expected_duration for one in ones]
    known = [one for one in durations if one is not None]
    costs = [one.expected_cost for one in ones if one.expected_cost is not None]
    # Batches run side by side at best, one after another at worst.
    seconds = (
        (max(one.min_seconds for one in known), sum(one.max_seconds for one in known))
        if ones and len(known) == len(ones)
        else None
    )
    return Estimate(
        hectares=hectares,
        seconds=seconds,
        usd=sum(one.usd for one in costs) if len(costs) == len(ones) else None,
        region=costs[0].region if costs else None,
        unplanned=sum(one.unplanned_jobs for one in ones),
        usage=usage,
        fits_today=len(jobs) <= usage.jobs.remaining and hectares <= usage.hectares.remaining,
        jobs=found,
        _rows=tuple(jobs),
    )
