"""The objects of the API, as its OpenAPI document describes them; a test compares both.

A field with a default is absent in some responses. Times are text as RFC 3339 writes them, in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PageSize:
    default: int
    max: int


@dataclass(frozen=True)
class Limits:
    jobs_per_batch: int
    body_bytes: int
    metadata_bytes: int
    properties_bytes: int
    json_depth: int
    name_characters: int
    webhook_url_characters: int
    webhook_secret_bytes: int
    vertices_per_batch: int
    vertices_per_job: int
    vertices_per_job_in_full_batch: int
    hectares_per_job: int
    charged_width_metres: int
    charged_square_metres_per_ring: int
    grid_crossings_per_job: int
    patch_batches_per_job: int
    page_size: PageSize
    batches_page_size: PageSize
    requests_per_minute: int
    requests_at_once: int
    running_batches: int
    estimate_seconds: int
    signed_url_seconds: int
    retention_days: int


@dataclass(frozen=True)
class JobUsage:
    limit: int
    used: int
    remaining: int
    given_back: int


@dataclass(frozen=True)
class HectareUsage:
    limit: float
    used: float
    remaining: float
    given_back: float


@dataclass(frozen=True)
class Usage:
    day: str
    resets_at: str
    jobs: JobUsage
    hectares: HectareUsage


@dataclass(frozen=True)
class Property:
    name: str
    unit: str
    depth_cm: tuple[float, ...]
    substance: str | None = None


@dataclass(frozen=True)
class Band:
    name: str
    description: str
    level: float | None
    scale: float
    offset: float
    display_range: tuple[float, ...] | None


@dataclass(frozen=True)
class Grid:
    crs: str
    crs_name: str
    crs_proj4: str
    cell_size: float


@dataclass(frozen=True)
class Accuracy:
    metric: str
    value: float
    how: str


@dataclass(frozen=True)
class License:
    part: str
    license: str
    citation: str


@dataclass(frozen=True)
class ErrorCorrelation:
    model: str
    nugget: float
    range_m: float


@dataclass(frozen=True)
class ModelError:
    lower: str
    upper: str
    correlation: ErrorCorrelation | None
    systematic_relative_sd: float
    how: str


@dataclass(frozen=True)
class Period:
    #: None for any year.
    years: tuple[int, ...] | None
    data_period: tuple[int, ...]


@dataclass(frozen=True)
class Model:
    model: str
    id: str
    version: str
    title: str
    property: Property
    sample_support: str
    bands: tuple[Band, ...]
    sample_type: str
    nodata: float
    #: A GeoJSON Polygon or MultiPolygon.
    coverage: dict[str, Any]
    temporal: str
    data_period: tuple[int, ...]
    periods: tuple[Period, ...]
    grid: Grid
    error: ModelError | None
    accuracy: tuple[Accuracy, ...]
    licenses: tuple[License, ...]


@dataclass(frozen=True)
class ModelList:
    models: tuple[Model, ...]


@dataclass(frozen=True)
class JobWarning:
    code: str
    message: str


@dataclass(frozen=True)
class ErrorLocation:
    ring: int
    vertex: int
    lon: float
    lat: float


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


@dataclass(frozen=True)
class Stock:
    value: float
    lower: float | None
    upper: float | None
    unit: str
    substance: str | None = None


@dataclass(frozen=True)
class JobSummary:
    area_ha: float
    predicted_area_ha: float
    mean: float
    lower: float | None
    upper: float | None
    unit: str
    level: float | None
    method: str | None
    stock: Stock | None
    standard_error: float | None = None
    stock_per_ha: float | None = None
    cell_min: float | None = None
    cell_max: float | None = None
    cell_sd: float | None = None
    impossible_point_count: int | None = None
    outside_bounds_point_count: int | None = None
    outside_share: float | None = None


@dataclass(frozen=True)
class JobResult:
    bytes: int
    etag: str
    media_type: str


@dataclass(frozen=True)
class WebhookJob:
    job_id: str
    job_index: int
    name: str | None
    year: int
    status: str
    model: str | None
    temporal: str | None
    data_period: tuple[int, ...] | None
    #: A secret for as long as it is valid.
    signed_cog_url: str | None = field(repr=False)
    signed_cog_url_created_at: str | None
    signed_url_expires_at: str | None
    result: JobResult | None
    error_message: str | None
    error_code: str | None
    error_retryable: bool | None
    error_location: ErrorLocation | None
    point_count: int | None
    predicted_point_count: int | None
    summary: JobSummary | None
    warnings: tuple[JobWarning, ...]
    created_at: str
    updated_at: str
    completed_at: str | None
    retry_of_job_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Job(WebhookJob):
    result_url: str | None
    preview_url: str | None
    item_url: str | None


@dataclass(frozen=True)
class JobModel:
    model: str
    model_sha256: str | None
    property: str | None
    unit: str | None
    depth_cm: tuple[float, ...] | None
    sample_support: str | None
    substance: str | None


@dataclass(frozen=True)
class TimeRange:
    earliest: str
    latest: str


@dataclass(frozen=True)
class BatchStatus:
    batch_id: str
    status: str
    total_tasks: int
    completed_tasks: int
    failed_tasks: int
    pending_tasks: int
    processing_tasks: int
    total_jobs: int
    completed_jobs: int
    failed_jobs: int
    pending_jobs: int
    processing_jobs: int
    progress: float
    created_at: str
    started_at: str | None
    updated_at: str
    completed_at: str | None
    estimated_completion_at: str | None
    estimated_completion_range: TimeRange | None
    results_expire_at: str
    name: str | None
    metadata: dict[str, Any] | None
    jobs: tuple[Job, ...]
    #: Of the jobs listed, once each.
    models: tuple[JobModel, ...]
    retry_of: str | None = None
    has_more: bool | None = None
    next_cursor: str | None = None

    @property
    def is_final(self) -> bool:
        """Whether the batch is finished; its state never changes again."""
        return self.status in ("completed", "failed", "partial")


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


@dataclass(frozen=True)
class Total:
    model: str
    temporal: str
    data_period: tuple[int, ...]
    years: tuple[int, ...]
    property: str | None
    depth_cm: tuple[float, ...] | None
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
    job_warnings: tuple[WarnedJobs, ...]
    overlap_ha: float | None
    #: The 10 pairs that share most.
    overlaps: tuple[Overlap, ...]
    warnings: tuple[Reason, ...]

    def __str__(self) -> str:
        bounds = "" if self.lower is None else f" ({self.lower:.4g} to {self.upper:.4g})"
        stock = "" if self.stock is None else f", {self.stock.value:.4g} {self.stock.unit}"
        if self.stock is not None and self.stock.lower is not None:
            stock += f" ({self.stock.lower:.4g} to {self.stock.upper:.4g})"
        return (
            f"{self.model}: {self.jobs} jobs, {self.predicted_area_ha:.1f} of {self.area_ha:.1f} ha,"
            f" mean {self.mean:.4g}{bounds} {self.unit}{stock}"
        )


@dataclass(frozen=True)
class LeftOut:
    reason: str
    error_code: str | None
    jobs: int
    #: Of their polygons; None if one of them is invalid.
    area_ha: float | None
    #: The first 100.
    job_ids: tuple[str, ...]


@dataclass(frozen=True)
class BatchTotal:
    batch_ids: tuple[str, ...]
    finished: bool
    total_jobs: int
    included_jobs: int
    excluded_jobs: int
    #: One for each model and period of data, or year of it; their intervals do not add up.
    totals: tuple[Total, ...]
    left_out: tuple[LeftOut, ...]

    def __str__(self) -> str:
        lines = [str(total) for total in self.totals]
        lines += [
            f"left out: {one.jobs} jobs, {one.error_code or one.reason}" for one in self.left_out
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class BatchList:
    batches: tuple[BatchStatus, ...]
    has_more: bool
    next_cursor: str | None


@dataclass(frozen=True)
class BatchCreated:
    batch_id: str
    status: str
    total_jobs: int
    total_tasks: int
    job_ids: dict[str, str]
    created_at: str
    message: str


@dataclass(frozen=True)
class BatchRetried(BatchCreated):
    retry_of: str


@dataclass(frozen=True)
class BatchCompleted:
    """The event of a completion webhook."""

    batch_id: str
    status: str
    completed_jobs: int
    failed_jobs: int
    total_jobs: int
    created_at: str
    completed_at: str
    results_expire_at: str
    name: str | None
    metadata: dict[str, Any] | None
    jobs: tuple[WebhookJob, ...]
    retry_of: str | None = None
    jobs_omitted: bool | None = None
    redelivery: int | None = None
    test: bool | None = None
