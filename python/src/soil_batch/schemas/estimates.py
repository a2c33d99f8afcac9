from __future__ import annotations

from dataclasses import dataclass

from .jobs import ErrorLocation, JobWarning


@dataclass(frozen=True)
class JobEstimate:
    job_index: int
    name: str | None
    year: int
    hectares: float
    point_count: int | None
    total_patch_batches: int | None
    model: str | None
    temporal: str | None
    data_period: tuple[int, ...] | None
    warnings: tuple[JobWarning, ...]
    error_code: str | None
    error_message: str | None
    error_location: ErrorLocation | None


@dataclass(frozen=True)
class Duration:
    min_seconds: int
    max_seconds: int


@dataclass(frozen=True)
class Cost:
    usd: float
    functions_usd: float
    state_machine_usd: float
    storage_usd: float
    other_usd: float
    region: str
    prices_as_of: str


@dataclass(frozen=True)
class JobQuota:
    limit: int
    wanted: int
    remaining: int
    remaining_after: int


@dataclass(frozen=True)
class HectareQuota:
    limit: float
    wanted: float
    remaining: float
    remaining_after: float


@dataclass(frozen=True)
class Quota:
    fits: bool
    jobs: JobQuota
    hectares: HectareQuota
    resets_at: str


@dataclass(frozen=True)
class BatchEstimate:
    total_jobs: int
    failing_jobs: int
    unplanned_jobs: int
    hectares: float
    point_count: int
    total_patch_batches: int
    expected_seconds: float | None
    expected_duration: Duration | None
    expected_cost: Cost | None
    quota: Quota
    jobs: tuple[JobEstimate, ...]
