"""A run in its folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .bars import tqdm
from .batches import read_status
from .chunks import RunJob, jobs_of
from .download import Downloads, download_files
from .errors import QuotaExceeded, SoilError, invalid_input
from .extras import require_notebook
from .fields import Fields, digest_of
from .folder import Folder, folder_error
from .outcomes import read_outcomes
from .progress import Progress, watch
from .run_state import Outcome, RunState
from .schemas.batches import BatchRetried, BatchStatus
from .schemas.totals import BatchTotal
from .submit import create_batches
from .table import table_of
from .transfer import ResultFile
from .transport import Transport, batch_path

if TYPE_CHECKING:
    from geopandas import GeoDataFrame

# As the operation's description says.
_BATCHES_OF_TOTAL = 10


class Run:
    """Fields and years that are predicted, in a folder. Everything can be called again.

    Make one with `Client.submit` or `Client.open`.
    """

    def __init__(self, transport: Transport, folder: Folder, webhook_secret: str | None) -> None:
        self._transport = transport
        self._folder = folder
        self._webhook_secret = webhook_secret
        state = self._state
        if webhook_secret is not None and not state.has_webhook_secret:
            raise folder_error(f"{folder.path} holds a run whose webhook has no secret")
        if state.base_url != transport.base_url:
            raise folder_error(
                f"{folder.path} holds a run of {state.base_url}, not of {transport.base_url}"
            )

    def __repr__(self) -> str:
        return f"Run({str(self.dir)!r}, {len(self._jobs)} jobs)"

    @property
    def dir(self) -> Path:
        return self._folder.path

    @property
    def batches(self) -> list[str]:
        """Ids of the batches, retries included."""
        return self._state.batches

    @property
    def _state(self) -> RunState:
        """As it is on disk: another process may have changed it."""
        state = self._folder.read_run()
        if state is None:
            raise folder_error(f"{self._folder.path} holds no run")
        return state

    @cached_property
    def fields(self) -> Fields:
        """As they were when the run was started."""
        text = self._folder.read("fields.json")
        if text is None or digest_of(text) != self._state.digest:
            raise folder_error(f"the fields in {self.dir} are damaged: choose another folder")
        return Fields.from_json(text)

    @cached_property
    def _jobs(self) -> list[RunJob]:
        state = self._state
        return jobs_of(self.fields, state.years, state.name)

    def _create_batches(self) -> None:
        create_batches(self._transport, self._folder, self._webhook_secret)

    def wait(
        self,
        progress: bool = True,
        timeout: float | None = None,
        callback: Callable[[Progress], None] | None = None,
    ) -> Progress:
        """Waits until the run is finished, and creates the batches that a crash or the quota left out.

        :param timeout: in seconds; by default, as long as it takes
        :raises QuotaExceeded: once all others are finished, if today's quota leaves batches out
        """
        refused: QuotaExceeded | None = None
        try:
            self._create_batches()
        except QuotaExceeded as error:
            refused = error
        state = self._state
        total = len(self._jobs)
        latest = Progress(total, 0, 0, state.jobs_not_submitted, 0.0)
        with tqdm(total=total, desc="Predicting", unit="job", disable=not progress) as bar:

            def show(statuses: Sequence[BatchStatus]) -> None:
                nonlocal latest
                latest = self._progress(state, statuses)
                bar.n = latest.completed_jobs + latest.failed_jobs
                bar.set_postfix_str(f"{latest.failed_jobs} failed" if latest.failed_jobs else "")
                if callback is not None:
                    callback(latest)

            watch(self._transport, state.batches, timeout, show)
        if refused is not None:
            raise refused
        return latest

    def _progress(self, state: RunState, statuses: Sequence[BatchStatus]) -> Progress:
        found = {status.batch_id: status for status in statuses}
        completed = failed = 0
        share = 0.0
        for chunk in state.chunks:
            known = [found[batch_id] for batch_id in chunk.batches if batch_id in found]
            completed += sum(status.completed_jobs for status in known)
            # A retry runs failed jobs of the batch before it again.
            failed += sum(status.failed_jobs for status in known)
            failed -= sum(status.total_jobs for status in known if status.retry_of is not None)
            share += known[-1].progress * chunk.jobs if known else 0.0
        total = len(self._jobs)
        return Progress(total, completed, max(failed, 0), state.jobs_not_submitted, share / total)

    def download(self, workers: int = 4, progress: bool = True) -> list[Path]:
        """Downloads the maps of the completed jobs: continues half files, and skips whole ones.

        :returns: the path of each, in the order of the fields
        """
        if workers < 1:
            raise invalid_input("workers must be at least 1")
        files = [file for _, file in self._files(self._outcomes())]
        return download_files(self._transport, self._folder, files, workers, progress)

    def to_geodataframe(self) -> GeoDataFrame:
        """A row for each field and year: the attributes, what became of it, and the path of its map."""
        outcomes = self._outcomes()
        downloads = Downloads(self._folder)
        paths = {
            index: str(self.dir / file.name)
            for index, file in self._files(outcomes)
            if downloads.holds(file)
        }
        return table_of(self.fields, self._jobs, outcomes, paths)

    def failed(self) -> GeoDataFrame:
        """The rows of the jobs that failed, with the reasons."""
        table = self.to_geodataframe()
        return table[table["status"] == "failed"]

    def retry(self, only: str = "retryable") -> int:
        """Runs failed jobs again: those that may succeed, or with `only="failed"` all.

        :returns: how many; `wait` waits for them
        """
        if only not in ("retryable", "failed"):
            raise invalid_input(f'only must be "retryable" or "failed"; got {only!r}')
        retried = 0
        with self._folder.lock():
            state = self._state
            for at, chunk in enumerate(state.chunks):
                if not chunk.batches or not self._has_failed(chunk.batches[-1], chunk.jobs, only):
                    continue
                # Sent again after a crash, the service returns the same batch.
                path = batch_path(chunk.batches[-1], "retry")
                body = f'{{"only":"{only}"}}'.encode()
                created = self._transport.post(BatchRetried, path, body)
                state = state.with_chunk(
                    at, replace(chunk, retries=(*chunk.retries, created.batch_id))
                )
                self._folder.write_run(state)
                retried += created.total_jobs
        return retried

    def _has_failed(self, batch_id: str, jobs: int, only: str) -> bool:
        pages = read_status(self._transport, batch_id, "failed", jobs)
        return any(only == "failed" or job.error_retryable for page in pages for job in page.jobs)

    def cancel(self) -> None:
        """Stops what is not finished: finished jobs keep their results, all others fail."""
        for batch_id in self._state.latest:
            try:
                self._transport.post(BatchStatus, batch_path(batch_id, "cancel"), None)
            except SoilError as error:
                if error.type != "batch-finished":
                    raise

    def total(self) -> BatchTotal:
        """Mean and stock of all completed jobs together, as if they were one polygon.

        Their intervals do not add up to its own: the errors of neighbouring fields are correlated.
        """
        first, *others = self.batches or [""]
        if not first or len(others) >= _BATCHES_OF_TOTAL:
            raise invalid_input(
                f"a total is of 1 to {_BATCHES_OF_TOTAL} batches; this run has {len(self.batches)}"
            )
        return self._transport.get(BatchTotal, batch_path(first, "total"), batch_id=others)

    def explore(self, column: str = "mean", **options: Any) -> Any:
        """A map of the fields in a notebook, coloured by a column of the table."""
        require_notebook()
        table = self.to_geodataframe()
        if column not in table:
            raise invalid_input(f"no column {column!r}; there are: {', '.join(table.columns)}")
        shown = table[~(table.geometry.is_empty | table.geometry.isna())]
        return shown.explore(column, **options)

    def _outcomes(self) -> dict[int, Outcome]:
        return read_outcomes(self._transport, self._folder, self._state)

    def _files(self, outcomes: dict[int, Outcome]) -> list[tuple[int, ResultFile]]:
        return [
            (index, ResultFile(self._jobs[index].file, one.batch_id, one.job, one.job.result))
            for index, one in sorted(outcomes.items())
            if one.job.result is not None
        ]
