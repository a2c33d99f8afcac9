"""What a run keeps of itself. It holds no key, no secret and no signed URL."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .schemas.jobs import Job


@dataclass(frozen=True)
class ChunkState:
    """Some jobs of the run: the request that creates their batch, and what ran them again."""

    #: Index of the first job in the run.
    first_job: int
    jobs: int
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


@dataclass(frozen=True)
class RunState:
    format: int
    run_id: str
    created_at: str
    base_url: str
    #: SHA-256 of the fields.
    digest: str
    years: tuple[int, ...]
    #: The column with the names of the fields.
    name: str | None
    model: str | None
    webhook_url: str | None
    chunks: tuple[ChunkState, ...]
    #: Whether the requests are sent with a secret, which no folder keeps.
    has_webhook_secret: bool = False

    @property
    def batches(self) -> list[str]:
        return [batch for chunk in self.chunks for batch in chunk.batches]

    @property
    def latest(self) -> list[str]:
        """The newest batch of each chunk."""
        return [chunk.batches[-1] for chunk in self.chunks if chunk.batches]

    @property
    def jobs_not_submitted(self) -> int:
        return sum(chunk.jobs for chunk in self.chunks if chunk.batch_id is None)

    def with_chunk(self, at: int, chunk: ChunkState) -> RunState:
        chunks = list(self.chunks)
        chunks[at] = chunk
        return replace(self, chunks=tuple(chunks))


@dataclass(frozen=True)
class Outcome:
    """The newest job of the service for one job of the run."""

    #: Of the job of the run.
    index: int
    batch_id: str
    job: Job


@dataclass(frozen=True)
class Outcomes:
    """Of a run whose batches are all finished: they never change again."""

    batches: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
