from __future__ import annotations

from dataclasses import dataclass, field

# A larger size must be an error of the server.
_MOST_RESULT_BYTES = 5 * 1024**4


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
class Stock:
    value: float
    lower: float | None
    upper: float | None
    unit: str
    substance: str | None


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
    standard_error: float | None
    stock_per_ha: float | None
    cell_min: float
    cell_max: float
    cell_sd: float
    impossible_point_count: int
    outside_bounds_point_count: int | None
    outside_share: float | None
    outside_applicability_share: float | None


@dataclass(frozen=True)
class JobResult:
    bytes: int
    etag: str
    media_type: str

    def __post_init__(self) -> None:
        if not 0 < self.bytes <= _MOST_RESULT_BYTES:
            raise ValueError(f"bytes is {self.bytes}, which is not a possible size of a raster")


@dataclass(frozen=True)
class CopyStatus:
    """The copy of a job's raster, or of all results of a batch, in your bucket."""

    #: `pending`, `copied` or `failed`
    status: str
    uri: str
    error: str | None


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
    #: The URL is a secret until it expires.
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
    #: Copy in your bucket; None without a destination, and for failed jobs.
    destination: CopyStatus | None = None

    @property
    def is_final(self) -> bool:
        """Whether the job has ended. Only its copy in a destination may still change."""
        return self.status in ("completed", "failed")


@dataclass(frozen=True, kw_only=True)
class Job(WebhookJob):
    result_url: str | None
    item_url: str | None
