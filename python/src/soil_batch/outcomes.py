"""What became of each job of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .batches import read_status
from .errors import SoilError, not_the_service
from .files_here import FilesHere
from .folder import STATE_FOLDER
from .run_state import BatchJobs, ChunkState, Outcome, Outcomes
from .schemas.jobs import Job
from .stored import StoredRun
from .transport import Transport


def read_outcomes(transport: Transport | None, stored: StoredRun, here: FilesHere) -> Outcomes:
    """:param transport: None for what the folder knows alone"""
    found = Outcomes({}, frozenset(), {})
    expired: set[int] = set()
    indexes: dict[str, int | None] = {}
    for chunk in stored.state.chunks:
        for batch_id in chunk.batches:
            listed, gone = _jobs_of_batch(transport, stored, here, batch_id, chunk, indexes)
            found.batches[batch_id] = listed
            if not listed and batch_id == chunk.batch_id and transport is not None:
                # Deleted before its jobs were read: nothing is known but that it had them.
                expired.update(chunk.live)
            for job in listed:
                index = _index_of(job, chunk, indexes)
                indexes[job.job_id] = index
                if index is None:
                    continue
                # A retried job replaces the one that failed.
                found.jobs[index] = Outcome(batch_id, job)
                if gone and not here.has_result(job, stored.jobs[index].file):
                    expired.add(index)
                else:
                    expired.discard(index)
    return replace(found, expired=frozenset(expired))


def batch_file(batch_id: str) -> str:
    """The file in the state with the jobs of a finished batch."""
    return f"batch-{batch_id}.json"


def _index_of(job: Job, chunk: ChunkState, indexes: dict[str, int | None]) -> int | None:
    before = job.retry_of_job_id
    if before is not None:
        return indexes.get(before)
    return chunk.jobs[job.job_index] if 0 <= job.job_index < len(chunk.jobs) else None


def _jobs_of_batch(
    transport: Transport | None,
    run: StoredRun,
    here: FilesHere,
    batch_id: str,
    chunk: ChunkState,
    indexes: dict[str, int | None],
) -> tuple[Sequence[Job], bool]:
    """
    The jobs, and whether the service has deleted the batch with its results. They come from the folder if
    they are final and each result is downloaded, so that they outlive the batch; or else from the service,
    with URLs of their results.
    """
    stored = _read_stored_jobs(run, here, batch_id)

    def is_here(job: Job) -> bool:
        index = _index_of(job, chunk, indexes)
        return index is None or here.has_result(job, run.jobs[index].file)

    if transport is None:
        return stored or (), False
    if stored is not None and all(map(is_here, stored)):
        return stored, False
    try:
        listed, final = _list_jobs(transport, batch_id, chunk, indexes)
    except SoilError as error:
        if not is_gone(error):
            raise
        return stored or (), True
    if final and stored is None:
        # The URLs are left out: they are secrets for a day, and useless later.
        unsigned = tuple(replace(job, signed_cog_url=None) for job in listed)
        run.folder.write_object(batch_file(batch_id), BatchJobs(unsigned))
    return listed, False


def _list_jobs(
    transport: Transport, batch_id: str, chunk: ChunkState, indexes: dict[str, int | None]
) -> tuple[list[Job], bool]:
    """From the service, which may be somebody else's: each job once, and only those that it was sent."""
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
                    f"Batch {batch_id} has a job twice, or one that it was not sent."
                )
            places.add(job.job_index)
            jobs.append(job)
    if len({job.job_id for job in jobs}) < len(jobs):
        raise not_the_service(f"Batch {batch_id} has two jobs of one id.")
    return jobs, final


def is_gone(error: SoilError) -> bool:
    """Whether the service no longer has a batch, or never had it."""
    return error.type in ("batch-not-found", "results-expired")


def _read_stored_jobs(run: StoredRun, here: FilesHere, batch_id: str) -> Sequence[Job] | None:
    """None also for a file that was changed: it is requested from the service again."""
    name = batch_file(batch_id)
    text = here.read_unchanged(f"{STATE_FOLDER}/{name}")
    return None if text is None else run.folder.decode_object(BatchJobs, text, name).jobs
