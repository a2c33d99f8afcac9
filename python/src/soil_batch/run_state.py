"""What a run keeps of itself. It holds no key, no secret and no signed URL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .schemas.batches import UUID
from .schemas.jobs import Job

#: The format of the state's files.
FORMAT = 3

# No name may be that of the state, which starts with a dot, or lead out of the folder.
_RASTER = re.compile(r"(?!\.)[^/\\\0]+\.tif", re.DOTALL)
_FIELDS = re.compile(r"fields-[0-9a-f]{16}\.json")


@dataclass(frozen=True)
class Source:
    """The file that the fields come from."""

    path: str
    layer: str | None
    #: The file's hash; for a Shapefile, that of its .shp.
    sha256: str

    def __str__(self) -> str:
        name = self.path.replace("\\", "/").rpartition("/")[2]
        # A layer is often called like its file.
        plain = self.layer is None or name.startswith(f"{self.layer}.")
        return name if plain else f'layer "{self.layer}" of {name}'


@dataclass(frozen=True)
class ChunkState:
    """Some jobs of the run: the request that creates their batch, and what ran them again."""

    #: Index in the run by the batch's `job_index`; None for a job that the run no longer has.
    jobs: tuple[int | None, ...]
    idempotency_key: str
    #: Seconds since 1970, by the service's clock; written before the request is sent.
    sent_at: float | None = None
    batch_id: str | None = None
    #: Batches that ran failed jobs of the one before again.
    retries: tuple[str, ...] = ()

    @property
    def batches(self) -> tuple[str, ...]:
        """Oldest first."""
        return () if self.batch_id is None else (self.batch_id, *self.retries)

    @property
    def live(self) -> list[int]:
        """Indexes of the jobs that the run still has."""
        return [index for index in self.jobs if index is not None]

    @property
    def is_missing(self) -> bool:
        """Whether its batch is to be created. A request that was sent may have been accepted."""
        return self.batch_id is None and (self.sent_at is not None or len(self.live) > 0)


@dataclass(frozen=True)
class RunState:
    run_id: str
    created_at: str
    base_url: str
    #: None for fields that come from no file.
    source: Source | None
    #: SHA-256 of the fields.
    digest: str
    #: The file in the state that holds them.
    stored: str
    years: tuple[int, ...]
    #: The column with the names of the fields.
    name: str | None
    #: As they were requested; empty for the first model that fits each field.
    models: tuple[str, ...]
    webhook_url: str | None
    #: The raster of each job.
    files: tuple[str, ...]
    chunks: tuple[ChunkState, ...]
    #: Whether the requests are sent with a secret, which no folder keeps.
    has_webhook_secret: bool = False
    #: The column whose values are the strata of the totals.
    stratum: str | None = None

    def __post_init__(self) -> None:
        """The folder may be of somebody else, and its files are named after these."""
        for name in self.files:
            if not _RASTER.fullmatch(name):
                raise ValueError(f"files has {name!r}, which is not the name of a raster")
        if len(set(self.files)) < len(self.files):
            raise ValueError("files has a name twice")
        if not _FIELDS.fullmatch(self.stored):
            raise ValueError(
                f"stored is {self.stored!r}, which is not the name of a file of fields"
            )
        for chunk in self.chunks:
            for batch in (chunk.batch_id, *chunk.retries):
                if batch is not None and not UUID.fullmatch(batch):
                    raise ValueError(f"chunks has the batch {batch!r}, which is not a UUID")
            if not all(0 <= index < len(self.files) for index in chunk.live):
                raise ValueError("chunks has a job that the run does not have")

    @property
    def batches(self) -> list[str]:
        return [batch for chunk in self.chunks for batch in chunk.batches]

    @property
    def latest(self) -> list[str]:
        """The newest batch of each chunk of which the run still has a job."""
        return [chunk.batches[-1] for chunk in self.chunks if chunk.batches and chunk.live]

    @property
    def jobs_not_submitted(self) -> int:
        return sum(len(chunk.live) for chunk in self.chunks if chunk.batch_id is None)

    def with_chunk(self, at: int, chunk: ChunkState) -> RunState:
        chunks = list(self.chunks)
        chunks[at] = chunk
        return replace(self, chunks=tuple(chunks))


@dataclass(frozen=True)
class BatchJobs:
    """All jobs of a finished batch: they never change again."""

    jobs: tuple[Job, ...]


@dataclass(frozen=True)
class Outcome:
    """The newest job of the service for one job of the run."""

    batch_id: str
    job: Job


@dataclass(frozen=True)
class Outcomes:
    #: By the index in the run; jobs of no batch are absent.
    jobs: dict[int, Outcome]
    #: Indexes of the jobs whose result expired before it was downloaded.
    expired: frozenset[int]
    #: Every job, by its batch: also those that were replaced, or whose field the run no longer has.
    batches: dict[str, Sequence[Job]]
