from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .jobs import CopyStatus, Job, WebhookJob

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def _require_uuid(batch_id: str) -> None:
    if not UUID.fullmatch(batch_id):
        raise ValueError("batch_id is not a UUID")


@dataclass(frozen=True)
class ModelDescription:
    model: str
    model_sha256: str
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
class DisplayRange:
    model: str
    minimum: float
    maximum: float


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
    cancel_requested_at: str | None
    estimated_completion_at: str | None
    estimated_completion_range: TimeRange | None
    results_expire_at: str
    name: str | None
    metadata: dict[str, Any] | None
    jobs: tuple[Job, ...]
    #: The models of the jobs in this response, one entry for each `model` and `model_sha256`.
    models: tuple[ModelDescription, ...]
    retry_of: str | None = None
    display_ranges: tuple[DisplayRange, ...] | None = None
    destination: CopyStatus | None = None
    has_more: bool | None = None
    next_cursor: str | None = None

    def __post_init__(self) -> None:
        _require_uuid(self.batch_id)

    @property
    def is_final(self) -> bool:
        """Whether the batch is finished, so that its state no longer changes."""
        return self.status in ("completed", "failed", "partial")


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
    job_ids: tuple[str, ...]
    created_at: str
    message: str

    def __post_init__(self) -> None:
        # Names of state files contain the ID.
        _require_uuid(self.batch_id)


@dataclass(frozen=True)
class BatchRetried(BatchCreated):
    retry_of: str


@dataclass(frozen=True)
class BatchCompleted:
    """The event that a webhook delivers when a batch is finished."""

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


@dataclass(frozen=True)
class WebhookTested:
    outcome: str
    reason: str
    status_code: int | None
    duration_ms: float
    body_bytes: int
    webhook_id: str
    signed: bool


@dataclass(frozen=True)
class Health:
    status: str
