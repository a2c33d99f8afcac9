"""A run in its folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .bars import SHARE, tqdm
from .batches import read_status
from .chunks import RunJob, dumps
from .correction.change import Change, measure_change
from .correction.design import Design, make_design
from .correction.of_run import Correction, correct
from .download import download_files
from .errors import Expired, QuotaExceeded, SoilError, invalid_input
from .extras import require_notebook
from .fields import Fields
from .folder import Folder, folder_error
from .known import KnownRun, read_known
from .outcomes import is_gone
from .progress import Progress, seconds_left, watch
from .results.columns import long_table, wide_table
from .results.facts import Facts, read_facts, stored_facts
from .results.write import write_results
from .run_state import RunState
from .schemas.batches import BatchRetried, BatchStatus
from .schemas.jobs import Job
from .schemas.totals import BatchTotal
from .stored import StoredRun, read_stored
from .submit import create_batches
from .table import table_of
from .transfer import ResultFile
from .transport import Transport, batch_path

if TYPE_CHECKING:
    from geopandas import GeoDataFrame
    from pandas import DataFrame

_WORKERS = 4


def _unnoticed(batch_id: str, jobs: int) -> None:
    """The callback of a caller that does not follow the batches."""


@dataclass(frozen=True)
class Downloaded:
    """What a download has left in the folder."""

    known: KnownRun
    #: None if the service has deleted a batch.
    facts: Facts | None
    written: list[str]
    #: What the installed package cannot write.
    missing: list[str]


class Run:
    """Fields and years that are predicted, in a folder. Everything can be called again.

    Make one with `Client.submit` or `Client.open`.
    """

    def __init__(
        self, transport: Transport, folder: Folder, webhook_secret: str | None = None
    ) -> None:
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
        return f"Run({str(self.dir)!r}, {len(self._state.files)} jobs)"

    @property
    def dir(self) -> Path:
        return self._folder.path

    @property
    def batches(self) -> list[str]:
        """Ids of the batches, retries included."""
        return self._state.batches

    @property
    def fields(self) -> Fields:
        """As they were when the run was started, or corrected."""
        return self._stored.fields

    @property
    def jobs(self) -> list[RunJob]:
        return list(self._stored.jobs)

    @property
    def jobs_not_submitted(self) -> int:
        return self._state.jobs_not_submitted

    @property
    def _state(self) -> RunState:
        """As it is on disk: another process may have changed it."""
        return self._folder.require_run()

    @property
    def _stored(self) -> StoredRun:
        return read_stored(self._folder)

    def create_batches(self, on_created: Callable[[str, int], None] = _unnoticed) -> None:
        """Creates those that a crash or the quota has left out.

        :raises QuotaExceeded: if today's quota leaves some out; tomorrow, this continues
        """
        create_batches(self._transport, self._folder, self._webhook_secret, on_created)

    def watch(
        self, on_change: Callable[[Progress], None], timeout: float | None = None
    ) -> Progress:
        """Waits until the batches that exist are finished; calls with the progress at least every 30 s."""
        state = self._state
        latest = Progress(len(state.files), 0, 0, state.jobs_not_submitted, 0.0)

        def show(statuses: Sequence[BatchStatus]) -> None:
            nonlocal latest
            latest = _progress(state, statuses, self._transport.now())
            on_change(latest)

        ones = [batch for chunk in state.chunks if chunk.live for batch in chunk.batches]
        watch(self._transport, ones, timeout, show)
        return latest

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
            self.create_batches()
        except QuotaExceeded as error:
            refused = error
        with tqdm(total=1, desc="Predicting", bar_format=SHARE, disable=not progress) as bar:

            def show(latest: Progress) -> None:
                bar.n = latest.share
                bar.set_postfix_str(str(latest))
                if callback is not None:
                    callback(latest)

            latest = self.watch(show, timeout)
        if refused is not None:
            raise refused
        return latest

    def download(self, workers: int = _WORKERS, progress: bool = True) -> list[Path]:
        """Downloads the maps of the completed jobs, and writes the tables.

        Continues half files, and skips whole ones.

        :returns: the path of each map, in the order of the fields
        :raises Expired: with the other maps downloaded, if the service has deleted some results
        """
        if workers < 1:
            raise invalid_input("workers must be at least 1")
        known = self.read_known()
        with tqdm(
            total=sum(file.result.bytes for file in known.results),
            initial=sum(map(known.received_bytes, known.results)),
            desc="Downloading",
            unit="B",
            unit_scale=True,
            disable=not progress,
        ) as bar:
            self.fetch_missing(known, workers, bar.update)
        self.write_tables(known)
        expired = known.outcomes.expired
        if expired:
            raise Expired(
                f"{len(expired)} results expired before they were downloaded: client.predict with the same"
                " fields predicts them again.",
                type="results-expired",
            )
        return [self.dir / file.name for file in known.results]

    def read_known(self) -> KnownRun:
        """The run and what became of its jobs, for the calls below."""
        return read_known(self._transport, self._stored)

    def fetch_missing(
        self,
        known: KnownRun,
        workers: int,
        on_bytes: Callable[[int], None],
        on_file: Callable[[ResultFile], None] = lambda file: None,
    ) -> None:
        """Downloads the rasters that the folder lacks."""
        files = [file for file in known.results if not known.is_here(file)]
        download_files(self._transport, self._folder, files, workers, on_bytes, on_file)

    def write_tables(self, known: KnownRun) -> Downloaded:
        """Writes the tables of all jobs, also of those that are not finished or not submitted."""
        known = known.after_download()
        facts = read_facts(self._transport, known)
        models = stored_facts(known.here).descriptions if facts is None else facts.descriptions
        with self._folder.lock():
            written, missing = write_results(self._transport, known, known.rows(models), facts)
        return Downloaded(known.after_download(), facts, written, missing)

    def to_geodataframe(self, wide: bool = False) -> GeoDataFrame:
        """A row for each field, year and model: the attributes, what became of it, and the path of its map.

        :param wide: a row for each field and year, with columns for each requested model
        """
        known = self.read_known()
        models = stored_facts(known.here).descriptions
        rows = known.rows(models)
        results = wide_table(rows) if wide else long_table(rows)
        return table_of(known.stored.fields, results, self.dir)

    def failed(self) -> GeoDataFrame:
        """The rows of the jobs that failed, with the reasons."""
        table = self.to_geodataframe()
        return table[table["status"] == "failed"]

    def retry(
        self, only: str = "retryable", on_created: Callable[[str, int], None] = _unnoticed
    ) -> int:
        """Runs failed jobs again: those that may succeed, or with `only="failed"` all.

        :returns: how many; `wait` waits for them
        """
        if only not in ("retryable", "failed"):
            raise invalid_input(f'only must be "retryable" or "failed"; got {only!r}')
        # The run no longer has jobs whose fields have changed since.
        of_run = {one.job.job_id for one in self.read_known().outcomes.jobs.values()}
        retried = 0
        with self._folder.lock():
            state = self._state
            for at, chunk in enumerate(state.chunks):
                if not chunk.batches or not chunk.live:
                    continue
                failed = self._failed(chunk.batches[-1], len(chunk.jobs), only)
                wanted = [job.job_index for job in failed if job.job_id in of_run]
                if not wanted:
                    continue
                body: dict[str, object] = {"only": only}
                if len(wanted) < len(failed):
                    body["jobs"] = wanted
                # Sent again after a crash, the service returns the same batch.
                created = self._transport.post(
                    BatchRetried, batch_path(chunk.batches[-1], "retry"), dumps(body)
                )
                retries = (*chunk.retries, created.batch_id)
                state = state.with_chunk(at, replace(chunk, retries=retries))
                self._folder.write_run(state)
                on_created(created.batch_id, created.total_jobs)
                retried += created.total_jobs
        return retried

    def _failed(self, batch_id: str, jobs: int, only: str) -> list[Job]:
        """None of a batch that has expired."""
        try:
            pages = read_status(self._transport, batch_id, "failed", jobs)
            listed = [job for page in pages for job in page.jobs]
        except SoilError as error:
            if is_gone(error):
                return []
            raise
        return [job for job in listed if only == "failed" or job.error_retryable]

    def cancel(self) -> None:
        """Stops the unfinished jobs, which fail; finished jobs keep their results.

        `wait` returns when they have failed.
        """
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
        known = self.read_known()
        facts = read_facts(self._transport, known)
        totals = (stored_facts(known.here) if facts is None else facts).totals
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
        """Draws places to sample at random in strata, and writes them to the folder, which is all it needs.

        :param samples: in all, at least two for each stratum
        :param stratum: a column of the fields; by default that of the run, else each field is a stratum
        :param strata: the number of compact strata to form instead
        :param year: the year of the maps that decide where samples are best, if the run has several
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
        """The mean and stock of all fields, corrected by what was measured at random places in them.

        It needs the folder alone. README.md says what the samples must be.

        :param samples: a GeoDataFrame of points in any CRS, or a table with the column `number` of the design
        :param value: the column with the measured value, in the unit of the maps
        :param stratum: a column of the fields; by default that of the run, else each field is a stratum
        :param year: the year to correct, if the run has several, and `model` as the run names it
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
        """The change of the mean and stock between two visits, from samples of both. It needs only the folders.

        :param before: samples as for `correct`; those of one plot are paired, by `number` or by their place
        :param after_run: the same fields with the maps of the second visit; by default this run
        :param after_year: the year of these maps, if they are of several
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
        """A map of the fields in a notebook, coloured by a column of the table."""
        require_notebook()
        table = self.to_geodataframe()
        if column not in table:
            raise invalid_input(f"no column {column!r}; there are: {', '.join(table.columns)}")
        shown = table[~(table.geometry.is_empty | table.geometry.isna())]
        return shown.explore(column, **options)


def _progress(state: RunState, statuses: Sequence[BatchStatus], now: float) -> Progress:
    found = {status.batch_id: status for status in statuses}
    completed = failed = 0
    share = 0.0
    total = 0
    for chunk in state.chunks:
        known = [found[batch_id] for batch_id in chunk.batches if batch_id in found]
        completed += sum(status.completed_jobs for status in known)
        # A retry runs failed jobs of the batch before it again.
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
