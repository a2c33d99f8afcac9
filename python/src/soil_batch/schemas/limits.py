from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PageSize:
    default: int
    max: int


@dataclass(frozen=True)
class Trust:
    """The trust policy that the role of a destination needs, and its external ID."""

    external_id: str
    trust_policy: dict[str, Any]


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
    prefix_characters: int
    copy_requests_per_batch: int
    destination: Trust


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
