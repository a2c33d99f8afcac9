"""Reads the outcome of each job of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .batches import read_status
from .errors import SoilError, not_the_service
from .files_here import FilesHere
from .folder import STATE_FOLDER
from .run_state import BatchJobs, ChunkState, Outcome, Outcomes
from .schemas.jobs import CopyStatus, Job
from .stored import StoredRun
from .transport import Transport


def read_outcomes(transport: Transport | None, stored: StoredRun, here: FilesHere) -> Outcomes:
    """:param transport: None to read only from the folder"""
    found = Outcomes({}, frozenset(), {})
    expired: set[int] = set()
    indexes: dict[str, int | None] = {}
    for chunk in stored.state.chunks:
        for batch_id in chunk.batches:
            listed, gone = _read_batch_jobs(transport, stored, here, batch_id, chunk, indexes)
            found.batches[batch_id] = listed
            if not listed and batch_id == chunk.batch_id and transport is not None:
                # The service deleted the batch before its jobs were read: only their indexes are known.
                expired.update(chunk.live)
            for job in listed:
                index = _find_index(job, chunk, indexes)
                indexes[job.job_id] = index
                if index is None:
                    continue
                # A retry's job replaces the failed job.
                found.jobs[index] = Outcome(batch_id, job)
                if gone and not here.has_result(job, stored.jobs[index].file):
                    expired.add(index)
                else:
                    expired.discard(index)
    return replace(found, expired=frozenset(expired))


def batch_file_name(batch_id: str) -> str:
    """Names the state file that stores the jobs of a finished batch."""
    return f"batch-{batch_id}.json"


def _find_index(job: Job, chunk: ChunkState, indexes: dict[str, int | None]) -> int | None:
    before = job.retry_of_job_id
    if before is not None:
        return indexes.get(before)
    return chunk.jobs[job.job_index] if 0 <= job.job_index < len(chunk.jobs) else None


def _read_batch_jobs(
    transport: Transport | None,
    run: StoredRun,
    here: FilesHere,
    batch_id: str,
    chunk: ChunkState,
    indexes: dict[str, int | None],
) -> tuple[Sequence[Job], bool]:
    """Reads the jobs of a batch, and whether the service has deleted the batch.

    Jobs come from the folder if they are stored there and all their results are downloaded and copied to the run's
    destination, if any; otherwise from the service, with URLs of their results. Without a transport, or once the service
    has deleted the batch, only stored jobs are returned.
    """
    stored = _read_stored_jobs(run, here, batch_id)

    def is_settled(job: Job) -> bool:
        index = _find_index(job, chunk, indexes)
        copied = job.destination is None or job.destination.status == "copied"
        return index is None or (copied and here.has_result(job, run.jobs[index].file))

    if transport is None:
        return stored or (), False
    if stored is not None and all(map(is_settled, stored)):
        return stored, False
    try:
        listed, final = _list_jobs(transport, batch_id, chunk, indexes)
    except SoilError as error:
        if not is_gone(error):
            raise
        return stored or (), True
    if final and (stored is None or _list_copies(stored) != _list_copies(listed)):
        # Signed URLs are not stored: they are secrets for a day and useless afterwards.
        unsigned = tuple(replace(job, signed_cog_url=None) for job in listed)
        run.folder.write_object(batch_file_name(batch_id), BatchJobs(unsigned))
    return listed, False


def _list_copies(jobs: Sequence[Job]) -> Sequence[CopyStatus | None]:
    return [job.destination for job in jobs]


def _list_jobs(
    transport: Transport, batch_id: str, chunk: ChunkState, indexes: dict[str, int | None]
) -> tuple[list[Job], bool]:
    """A foreign service may list jobs twice, or jobs that were not sent: both are errors."""
    jobs: list[Job] = []
    places: set[int] = set()
    final = True
    for page in read_status(transport, batch_id, "all", len(chunk.jobs)):
        final = final and page.is_final
        for job in page.jobs:
            again = job.retry_of_job_id is not None
            known = job.retry_of_job_id in indexes if again else job.job_index < len(chunk.jobs)
            twice = job.job_id in indexes or job.job_index in places
            if twice or not known or job.job_index < 0:
                raise not_the_service(
                    f"Batch {batch_id} lists a job twice, or a job that was not sent to it."
                )
            places.add(job.job_index)
            jobs.append(job)
    if len({job.job_id for job in jobs}) < len(jobs):
        raise not_the_service(f"Batch {batch_id} has two jobs with the same ID.")
    return jobs, final


def is_gone(error: SoilError) -> bool:
    """Whether the service no longer has a batch, or never had it."""
    return error.type in ("batch-not-found", "results-expired")


def _read_stored_jobs(run: StoredRun, here: FilesHere, batch_id: str) -> Sequence[Job] | None:
    """Reads the stored jobs; None if the file is missing or changed, so that they are requested again."""
    name = batch_file_name(batch_id)
    text = here.read_unchanged(f"{STATE_FOLDER}/{name}")
    return None if text is None else run.folder.decode_object(BatchJobs, text, name).jobs
