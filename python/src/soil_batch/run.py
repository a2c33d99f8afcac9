from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .bars import FRACTION_FORMAT, tqdm
from .batches import read_status
from .chunks import RunJob, encode_json
from .correction.change import Change, measure_change
from .correction.correct_run import Correction, correct
from .correction.design import Design, make_design
from .download import download_files
from .errors import Expired, QuotaExceeded, SoilError, invalid_input
from .extras import require_notebook
from .fields import Fields
from .folder import Folder, folder_error
from .outcomes import is_gone
from .progress import Progress, seconds_left, watch
from .results.columns import build_long_table, build_wide_table
from .results.facts import Facts, read_facts, stored_facts
from .results.write import write_results
from .run_state import RunState
from .schemas.batches import BatchRetried, BatchStatus
from .schemas.jobs import Job
from .schemas.totals import BatchTotal
from .snapshot import RunSnapshot, read_snapshot
from .stored import StoredRun, read_stored
from .submit import create_batches
from .table import build_table
from .transfer import ResultFile
from .transport import Transport, batch_path

if TYPE_CHECKING:
    from geopandas import GeoDataFrame
    from pandas import DataFrame

_WORKERS = 4


def _ignore_batch(batch_id: str, jobs: int) -> None:
    """The default callback, which does nothing."""


@dataclass(frozen=True)
class DownloadResult:
    snapshot: RunSnapshot
    #: The models and totals; None if the service has deleted a batch.
    facts: Facts | None
    written: list[str]
    #: Messages about files that could not be written, because an optional package is missing.
    missing: list[str]


class Run:
    """The predictions for a run's fields and years, in its folder. All methods may be called repeatedly.

    `Client.submit` and `Client.open` return a run.
    """

    def __init__(
        self, transport: Transport, folder: Folder, webhook_secret: str | None = None
    ) -> None:
        self._transport = transport
        self._folder = folder
        self._webhook_secret = webhook_secret
        state = self._state
        if webhook_secret is not None and not state.has_webhook_secret:
            raise folder_error(
                f"the run in {folder.path} has no webhook secret: omit webhook_secret"
            )
        if state.base_url != transport.base_url:
            raise folder_error(
                f"the run in {folder.path} belongs to {state.base_url}, not to {transport.base_url}"
            )

    def __repr__(self) -> str:
        return f"Run({str(self.dir)!r}, {len(self._state.files)} jobs)"

    @property
    def dir(self) -> Path:
        return self._folder.path

    @property
    def batches(self) -> list[str]:
        """The IDs of the run's batches, including retries."""
        return self._state.batches

    @property
    def fields(self) -> Fields:
        """The fields as of the last submission."""
        return self._stored.fields

    @property
    def jobs(self) -> list[RunJob]:
        return list(self._stored.jobs)

    @property
    def jobs_not_submitted(self) -> int:
        return self._state.jobs_not_submitted

    @property
    def _state(self) -> RunState:
        """The current state on disk, which another process may have changed."""
        return self._folder.require_run()

    @property
    def _stored(self) -> StoredRun:
        return read_stored(self._folder)

    def create_batches(self, on_created: Callable[[str, int], None] = _ignore_batch) -> None:
        """Creates the missing batches, for example after a crash, or on the day after some exceeded the quota.

        :raises QuotaExceeded: if some batches exceed today's quota; repeat the call tomorrow
        """
        create_batches(self._transport, self._folder, self._webhook_secret, on_created)

    def watch(
        self, on_change: Callable[[Progress], None], timeout: float | None = None
    ) -> Progress:
        """Waits until the existing batches are finished.

        :param on_change: called after each change, and repeatedly during long pauses between polls
        """
        state = self._state
        latest = Progress(len(state.files), 0, 0, state.jobs_not_submitted, 0.0)

        def report_change(statuses: Sequence[BatchStatus]) -> None:
            nonlocal latest
            latest = _sum_progress(state, statuses, self._transport.now())
            on_change(latest)

        batch_ids = [batch for chunk in state.chunks if chunk.live for batch in chunk.batches]
        watch(self._transport, batch_ids, timeout, report_change)
        return latest

    def wait(
        self,
        progress: bool = True,
        timeout: float | None = None,
        callback: Callable[[Progress], None] | None = None,
    ) -> Progress:
        """Creates the missing batches, and waits until all batches are finished.

        :param timeout: seconds to wait; by default, without limit
        :raises QuotaExceeded: after the other batches are finished, if some exceed today's quota
        """
        refused: QuotaExceeded | None = None
        try:
            self.create_batches()
        except QuotaExceeded as error:
            refused = error
        with tqdm(
            total=1, desc="Predicting", bar_format=FRACTION_FORMAT, disable=not progress
        ) as bar:

            def update_bar(latest: Progress) -> None:
                bar.n = latest.share
                bar.set_postfix_str(str(latest))
                if callback is not None:
                    callback(latest)

            latest = self.watch(update_bar, timeout)
        if refused is not None:
            raise refused
        return latest

    def download(self, workers: int = _WORKERS, progress: bool = True) -> list[Path]:
        """Downloads the maps of completed jobs and writes the tables.

        Partial downloads continue; complete files are skipped.

        :returns: the path of each map, in the order of the fields
        :raises Expired: after the other maps are downloaded, if the service has deleted some results
        """
        if workers < 1:
            raise invalid_input("workers must be at least 1")
        snapshot = self.read_snapshot()
        with tqdm(
            total=sum(file.result.bytes for file in snapshot.results),
            initial=sum(map(snapshot.received_bytes, snapshot.results)),
            desc="Downloading",
            unit="B",
            unit_scale=True,
            disable=not progress,
        ) as bar:
            self.fetch_missing(snapshot, workers, bar.update)
        self.write_tables(snapshot)
        expired = snapshot.outcomes.expired
        if expired:
            raise Expired(
                f"Results that expired before they were downloaded: {len(expired)}. Call client.predict with the same"
                " fields to predict them again.",
                type="results-expired",
            )
        return [self.dir / file.name for file in snapshot.results]

    def read_snapshot(self) -> RunSnapshot:
        """Reads the run and the outcomes of its jobs."""
        return read_snapshot(self._transport, self._stored)

    def fetch_missing(
        self,
        snapshot: RunSnapshot,
        workers: int,
        on_bytes: Callable[[int], None],
        on_file: Callable[[ResultFile], None] = lambda file: None,
    ) -> None:
        """Downloads the rasters that are missing from the folder."""
        files = [file for file in snapshot.results if not snapshot.is_here(file)]
        download_files(self._transport, self._folder, files, workers, on_bytes, on_file)

    def write_tables(self, snapshot: RunSnapshot) -> DownloadResult:
        """Writes the tables of all jobs, including unfinished jobs and jobs that are not submitted."""
        snapshot = snapshot.after_download()
        facts = read_facts(self._transport, snapshot)
        models = stored_facts(snapshot.here).descriptions if facts is None else facts.descriptions
        with self._folder.lock():
            written, missing = write_results(
                self._transport, snapshot, snapshot.rows(models), facts
            )
        return DownloadResult(snapshot.after_download(), facts, written, missing)

    def to_geodataframe(self, wide: bool = False) -> GeoDataFrame:
        """Returns a row for each field, year and model, with the attributes, the results and the path of the map.

        :param wide: return a row for each field and year, with columns for each requested model
        """
        snapshot = self.read_snapshot()
        models = stored_facts(snapshot.here).descriptions
        rows = snapshot.rows(models)
        results = build_wide_table(rows) if wide else build_long_table(rows)
        return build_table(snapshot.stored.fields, results, self.dir)

    def failed(self) -> GeoDataFrame:
        """Returns the rows of the failed jobs, with the reasons."""
        table = self.to_geodataframe()
        return table[table["status"] == "failed"]

    def retry(
        self, only: str = "retryable", on_created: Callable[[str, int], None] = _ignore_batch
    ) -> int:
        """Retries the failed jobs that may succeed, or with `only="failed"` all failed jobs.

        :returns: the number of retried jobs; `wait` waits for them
        """
        if only not in ("retryable", "failed"):
            raise invalid_input(f'only must be "retryable" or "failed"; got {only!r}')
        # Jobs whose fields have changed since their submission no longer belong to the run.
        of_run = {one.job.job_id for one in self.read_snapshot().outcomes.jobs.values()}
        retried = 0
        with self._folder.lock():
            state = self._state
            for index, chunk in enumerate(state.chunks):
                if not chunk.batches or not chunk.live:
                    continue
                failed = self._list_jobs_to_retry(chunk.batches[-1], len(chunk.jobs), only)
                wanted = [job.job_index for job in failed if job.job_id in of_run]
                if not wanted:
                    continue
                body: dict[str, object] = {"only": only}
                if len(wanted) < len(failed):
                    body["jobs"] = wanted
                # If a crash makes the client repeat this request, the service returns the same batch.
                created = self._transport.post(
                    BatchRetried, batch_path(chunk.batches[-1], "retry"), encode_json(body)
                )
                retries = (*chunk.retries, created.batch_id)
                state = state.with_chunk(index, replace(chunk, retries=retries))
                self._folder.write_run(state)
                on_created(created.batch_id, created.total_jobs)
                retried += created.total_jobs
        return retried

    def _list_jobs_to_retry(self, batch_id: str, jobs: int, only: str) -> list[Job]:
        """Lists the failed jobs to retry; an empty list if the batch has expired."""
        try:
            pages = read_status(self._transport, batch_id, "failed", jobs)
            listed = [job for page in pages for job in page.jobs]
        except SoilError as error:
            if is_gone(error):
                return []
            raise
        return [job for job in listed if only == "failed" or job.error_retryable]

    def cancel(self) -> None:
        """Cancels the unfinished jobs, which then fail. Finished jobs keep their results.

        `wait` returns once the cancelled jobs have failed.
        """
        for batch_id in self._state.latest:
            try:
                self._transport.post(BatchStatus, batch_path(batch_id, "cancel"), None)
            except SoilError as error:
                if error.type != "batch-finished":
                    raise

    def total(self) -> BatchTotal:
        """Returns the mean and stock of all completed jobs of each model and data period, as if they were one polygon.

        The jobs' intervals do not add up to the total's interval, because the errors of the jobs are only partly correlated.
        """
        snapshot = self.read_snapshot()
        facts = read_facts(self._transport, snapshot)
        totals = (stored_facts(snapshot.here) if facts is None else facts).totals
        if totals is None or totals.totals is None:
            missing = None if totals is None else totals.totals_missing
            raise invalid_input(missing or "the service has deleted the results")
        return totals.totals

    def design(
        self,
        samples: int,
        stratum: str | None = None,
        strata: int | None = None,
        year: int | None = None,
        model: str | None = None,
        seed: int = 1,
        replace: bool = False,
    ) -> Design:
        """Draws random places to sample in each stratum, and writes them to the folder. Makes no request.

        :param samples: the total number of samples, at least two per stratum
        :param stratum: a column of the fields; by default the run's stratum column; without one, each field is a stratum
        :param strata: the number of compact strata to form, instead of `stratum`
        :param year: the year of the maps for which the samples are optimised, if the run has several
        :param replace: replace the folder's design with new places
        """
        return make_design(
            self._folder,
            samples,
            stratum=stratum,
            strata=strata,
            year=year,
            model=model,
            seed=seed,
            replace=replace,
        )

    def correct(
        self,
        samples: DataFrame,
        value: str,
        stratum: str | None = None,
        year: int | None = None,
        model: str | None = None,
    ) -> Correction:
        """Corrects, with measurements at random places, the mean and stock of all fields. Makes no request.

        README.md describes the requirements for samples.

        :param samples: a GeoDataFrame of points in any CRS, or a table with the column `number` of the design
        :param value: the column with the measured values, in the unit of the maps
        :param stratum: a column of the fields; by default the run's stratum column; without one, each field is a stratum
        :param year: the year to correct, if the run has several
        :param model: the model, as named in the run, if the run has several
        """
        return correct(self._folder, samples, value, stratum, year, model)

    def change(
        self,
        before: DataFrame,
        after: DataFrame,
        value: str,
        stratum: str | None = None,
        year: int | None = None,
        model: str | None = None,
        after_run: Run | None = None,
        after_year: int | None = None,
    ) -> Change:
        """Measures the change in mean and stock between two visits, from samples of both. Makes no request.

        :param before: samples of the first visit, as for `correct`; samples of one plot are paired by `number` or by place
        :param after_run: the run of the same fields with the maps of the second visit; by default this run
        :param after_year: the year of the maps of the second visit, if their run has several
        """
        return measure_change(
            self._folder,
            before,
            after,
            value,
            stratum=stratum,
            year=year,
            model=model,
            after_folder=None if after_run is None else after_run._folder,
            after_year=after_year,
        )

    def explore(self, column: str = "mean", **options: Any) -> Any:
        """Shows a map of the fields in a notebook, coloured by a column of the table."""
        require_notebook()
        table = self.to_geodataframe()
        if column not in table:
            raise invalid_input(
                f"the table has no column {column!r}; it has: {', '.join(table.columns)}"
            )
        shown = table[~(table.geometry.is_empty | table.geometry.isna())]
        return shown.explore(column, **options)


def _sum_progress(state: RunState, statuses: Sequence[BatchStatus], now: float) -> Progress:
    found = {status.batch_id: status for status in statuses}
    completed = failed = 0
    share = 0.0
    total = 0
    for chunk in state.chunks:
        known = [found[batch_id] for batch_id in chunk.batches if batch_id in found]
        completed += sum(status.completed_jobs for status in known)
        # A retry repeats failed jobs of the previous batch, which then no longer count as failed.
        failed += sum(status.failed_jobs for status in known)
        failed -= sum(status.total_jobs for status in known if status.retry_of is not None)
        jobs = len(chunk.jobs) if chunk.live else 0
        share += known[-1].progress * jobs if known else 0.0
        total += jobs
    return Progress(
        total,
        completed,
        max(failed, 0),
        state.jobs_not_submitted,
        share / max(total, 1),
        seconds_left(statuses, now),
    )
