"""The stored state of a run. It contains no API key, no secret and no signed URL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .schemas.batches import UUID
from .schemas.jobs import Job

#: The version of the state's files.
FORMAT = 3

_S3_URI = re.compile(r"s3://[^/\s]+(/\S*)?")
# Names of rasters must not lead out of the folder, or into the state's folder, whose name starts with a dot.
_RASTER = re.compile(r"(?!\.)[^/\\\0]+\.tif", re.DOTALL)
_FIELDS = re.compile(r"fields-[0-9a-f]{16}\.json")


@dataclass(frozen=True)
class Source:
    """The file that the fields come from."""

    path: str
    layer: str | None
    #: The hash of the file; for a Shapefile, of its .shp file; for a geodatabase, of the hashes of its files.
    sha256: str

    def __str__(self) -> str:
        name = self.path.replace("\\", "/").rpartition("/")[2]
        # A layer often has the same name as its file.
        plain = self.layer is None or name.startswith(f"{self.layer}.")
        return name if plain else f'layer "{self.layer}" of {name}'


@dataclass(frozen=True)
class ChunkState:
    """The jobs of one request, the batch that it creates, and the retries of that batch."""

    #: For each `job_index` of the batch, the index in the run; None if the run no longer has the job.
    jobs: tuple[int | None, ...]
    idempotency_key: str
    #: Seconds since 1970, by the service's clock; written before the request is sent.
    sent_at: float | None = None
    batch_id: str | None = None
    #: Retries: each batch repeats failed jobs of the previous batch.
    retries: tuple[str, ...] = ()

    @property
    def batches(self) -> tuple[str, ...]:
        """Oldest first."""
        return () if self.batch_id is None else (self.batch_id, *self.retries)

    @property
    def live(self) -> list[int]:
        """The indexes of the jobs that the run still has."""
        return [index for index in self.jobs if index is not None]

    @property
    def is_missing(self) -> bool:
        """Whether the batch may have to be created. A request that was sent may already have been accepted."""
        return self.batch_id is None and (self.sent_at is not None or len(self.live) > 0)


@dataclass(frozen=True)
class Destination:
    """Your bucket, to which the service copies the results: `s3://bucket/prefix`."""

    uri: str
    #: A role that trusts the service with your external ID (`GET /v1/limits`).
    role_arn: str

    def __post_init__(self) -> None:
        if not _S3_URI.fullmatch(self.uri):
            raise ValueError(f"{self.uri!r} does not have the form s3://bucket/prefix")

    def body(self) -> dict[str, str]:
        bucket, _, prefix = self.uri.removeprefix("s3://").partition("/")
        found = {"bucket": bucket, "role_arn": self.role_arn}
        return {**found, "prefix": prefix} if prefix else found


@dataclass(frozen=True)
class RunState:
    run_id: str
    created_at: str
    base_url: str
    #: None if the fields do not come from a file.
    source: Source | None
    #: SHA-256 of the fields as JSON.
    digest: str
    #: The name of the file in the state's folder that holds the fields.
    stored: str
    years: tuple[int, ...]
    #: The column with the names of the fields.
    name: str | None
    #: The requested models; empty if the service chooses a model for each field.
    models: tuple[str, ...]
    webhook_url: str | None
    #: The name of each job's raster.
    files: tuple[str, ...]
    chunks: tuple[ChunkState, ...]
    #: Whether requests are sent with a webhook secret, which folders do not store.
    has_webhook_secret: bool = False
    #: The column whose values are the strata of the totals.
    stratum: str | None = None
    destination: Destination | None = None

    def __post_init__(self) -> None:
        """Validates the names from which paths are made, and indexes of jobs: the folder may come from others."""
        for name in self.files:
            if not _RASTER.fullmatch(name):
                raise ValueError(f"files contains {name!r}, which is not a valid name of a raster")
        if len(set(self.files)) < len(self.files):
            raise ValueError("files contains a name twice")
        if not _FIELDS.fullmatch(self.stored):
            raise ValueError(
                f"stored is {self.stored!r}, which is not a valid name of a fields file"
            )
        for chunk in self.chunks:
            for batch in (chunk.batch_id, *chunk.retries):
                if batch is not None and not UUID.fullmatch(batch):
                    raise ValueError(f"chunks contains the batch {batch!r}, which is not a UUID")
            if not all(0 <= index < len(self.files) for index in chunk.live):
                raise ValueError("chunks contains a job that is not in the run")

    @property
    def batches(self) -> list[str]:
        return [batch for chunk in self.chunks for batch in chunk.batches]

    @property
    def latest(self) -> list[str]:
        """The newest batch of each chunk with jobs that the run still has."""
        return [chunk.batches[-1] for chunk in self.chunks if chunk.batches and chunk.live]

    @property
    def jobs_not_submitted(self) -> int:
        return sum(len(chunk.live) for chunk in self.chunks if chunk.batch_id is None)

    def with_chunk(self, index: int, chunk: ChunkState) -> RunState:
        chunks = list(self.chunks)
        chunks[index] = chunk
        return replace(self, chunks=tuple(chunks))


@dataclass(frozen=True)
class BatchJobs:
    """All jobs of a finished batch. Only their copies in a destination may still change."""

    jobs: tuple[Job, ...]


@dataclass(frozen=True)
class Outcome:
    """The service's newest job for one job of the run."""

    batch_id: str
    job: Job


@dataclass(frozen=True)
class Outcomes:
    #: Outcomes by the job's index in the run, without jobs that are not in a batch yet.
    jobs: dict[int, Outcome]
    #: Indexes of the jobs whose results expired before the download.
    expired: frozenset[int]
    #: All jobs by batch, including retried jobs and jobs of fields that the run no longer has.
    batches: dict[str, Sequence[Job]]
