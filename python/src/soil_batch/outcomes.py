"""What became of each job of a run."""

from __future__ import annotations

from dataclasses import replace

from .batches import read_status
from .errors import not_the_service
from .folder import Folder
from .run_state import Outcome, Outcomes, RunState
from .transport import Transport

_FILE = "outcomes.json"


def read_outcomes(transport: Transport, folder: Folder, state: RunState) -> dict[int, Outcome]:
    """By the index in the run; jobs that no batch contains are absent.

    Once all batches are finished, the outcomes are kept: the service deletes its own after 30 days.
    """
    kept = folder.read_object(Outcomes, _FILE)
    if kept is not None and list(kept.batches) == state.batches:
        return {one.index: one for one in kept.outcomes}
    outcomes: dict[int, Outcome] = {}
    indexes: dict[str, int] = {}
    final = state.jobs_not_submitted == 0
    for chunk in state.chunks:
        for batch_id in chunk.batches:
            for page in read_status(transport, batch_id, "all", chunk.jobs):
                final = final and page.is_final
                for job in page.jobs:
                    before = job.retry_of_job_id
                    first = chunk.first_job + job.job_index
                    # A retried job replaces the one that failed.
                    index = first if before is None else indexes.get(before)
                    if index is None or not _is_in(index, chunk.first_job, chunk.jobs):
                        raise not_the_service(f"Batch {batch_id} has a job that it was not sent.")
                    indexes[job.job_id] = index
                    outcomes[index] = Outcome(index, batch_id, job)
    if final:
        # Without the URLs: they are secrets for a day, and useless later.
        ones = tuple(
            replace(one, job=replace(one.job, signed_cog_url=None)) for one in outcomes.values()
        )
        folder.write_object(_FILE, Outcomes(tuple(state.batches), ones))
    return outcomes


def _is_in(index: int, first: int, count: int) -> bool:
    return first <= index < first + count
