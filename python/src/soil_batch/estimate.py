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
    """The estimate of all batches of a run. Estimates are free."""

    #: The area that is charged. Jobs that are certain to fail are not charged.
    hectares: float
    #: Shortest and longest time from the creation of the first batch to the last result; None if the service cannot estimate it.
    seconds: tuple[float, float] | None
    #: AWS costs of the run; None if the service cannot estimate them.
    usd: float | None
    #: The AWS region whose prices apply.
    region: str | None
    #: The number of jobs that the service had no time to check: their errors are unknown.
    unplanned: int
    #: Today's quota before the run.
    usage: Usage = field(repr=False)
    fits_today: bool
    #: The estimates of the jobs, in the order of the run.
    jobs: tuple[JobEstimate, ...] = field(repr=False)
    _rows: tuple[RunJob, ...] = field(repr=False)

    @property
    def failures(self) -> DataFrame:
        """The jobs that would fail, with the row of their field."""
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
        parts = [
            f"{len(self.jobs)} job{'' if len(self.jobs) == 1 else 's'}",
            f"{self.hectares:.1f} ha",
        ]
        if self.seconds is not None:
            parts.append(f"{self.seconds[0]:.0f} to {self.seconds[1]:.0f} s")
        if self.usd is not None:
            parts.append(f"{self.usd:.4f} USD")
        # "Known", because only the run shows whether the model has data in a field.
        parts.append(f"{failing or 'none'} known to fail")
        if not self.fits_today:
            parts.append("exceeds today's remaining quota")
        return ", ".join(parts)


def estimate_run(
    transport: Transport,
    jobs: Sequence[RunJob],
    chunks: Sequence[Chunk],
    usage: Usage,
    on_chunk: Callable[[int, int], None],
) -> Estimate:
    """:param jobs: the jobs of all chunks, in the same order"""
    estimates = []
    for chunk in chunks:
        estimates.append(transport.post(BatchEstimate, "/v1/batch/estimate", chunk.body))
        on_chunk(len(estimates), len(chunks))
    if any(len(one.jobs) != len(chunk.jobs) for one, chunk in zip(estimates, chunks)):
        raise not_the_service("The estimate is not for the jobs that were sent.")
    found = tuple(job for one in estimates for job in one.jobs)
    hectares = sum(one.hectares for one in estimates)
    durations = [one.expected_duration for one in estimates]
    known = [one for one in durations if one is not None]
    costs = [one.expected_cost for one in estimates if one.expected_cost is not None]
    # At best, batches run in parallel; at worst, one after another.
    seconds = (
        (max(one.min_seconds for one in known), sum(one.max_seconds for one in known))
        if estimates and len(known) == len(estimates)
        else None
    )
    return Estimate(
        hectares=hectares,
        seconds=seconds,
        usd=sum(one.usd for one in costs) if len(costs) == len(estimates) else None,
        region=costs[0].region if costs else None,
        unplanned=sum(one.unplanned_jobs for one in estimates),
        usage=usage,
        fits_today=len(jobs) <= usage.jobs.remaining and hectares <= usage.hectares.remaining,
        jobs=found,
        _rows=tuple(jobs),
    )
