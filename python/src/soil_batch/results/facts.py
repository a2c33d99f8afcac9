"""Reads and formats the models of a run and the totals of its fields."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ..batches import read_status
from ..decode import decode
from ..errors import SoilError
from ..files_here import FilesHere
from ..outcomes import is_gone
from ..run_state import Outcomes, RunState
from ..schemas.batches import ModelDescription
from ..schemas.models import Model, ModelList
from ..schemas.totals import BatchTotal
from ..snapshot import RunSnapshot
from ..transport import Transport, batch_path

TOTALS_FILE = "totals.json"
MODELS_FILE = "models.json"
# The maximum number of batches in one total, a limit of the API operation.
_MOST_BATCHES = 10
_MOST_EXCLUDED = 150
_OF_OTHERS = (
    "The totals in this folder do not belong to the fields and results below:"
    " “soil-batch download” fetches the current totals."
)


@dataclass(frozen=True)
class ShownBands:
    """Bands of a raster, counted from 1."""

    #: The band with the mean that summaries state.
    mean: int
    #: The bands of the lowest and the highest quantile.
    bounds: tuple[int, int] | None
    level: float


@dataclass(frozen=True)
class ModelFacts:
    """A model as the run's batches describe it, and as the service publishes it now."""

    described: ModelDescription
    #: None if the deployment no longer has it.
    published: Model | None

    @property
    def shown_bands(self) -> ShownBands | None:
        """The bands to show; None if it is unknown which band is the mean."""
        bands = () if self.published is None else self.published.bands
        names = [one.name for one in bands]
        if self.published is None or self.published.mean_band not in names:
            return None
        levels = [one.level for one in bands]
        known = [one for one in levels if one is not None]
        low, high = min(known, default=0.0), max(known, default=0.0)
        bounds = (levels.index(low) + 1, levels.index(high) + 1) if low < high else None
        return ShownBands(names.index(self.published.mean_band) + 1, bounds, high - low)

    @property
    def display_range(self) -> tuple[float, float] | None:
        bands, shown = () if self.published is None else self.published.bands, self.shown_bands
        found = None if shown is None else bands[shown.mean - 1].display_range
        return None if found is None or len(found) != 2 else (found[0], found[1])


@dataclass(frozen=True)
class RunTotals:
    totals: BatchTotal | None
    #: The reason why there are no totals.
    totals_missing: str | None


@dataclass(frozen=True)
class RunModels:
    models: tuple[ModelFacts, ...]


@dataclass(frozen=True)
class Facts:
    """Models and totals; each is None if its file is missing or was changed."""

    models: tuple[ModelFacts, ...] | None
    totals: RunTotals | None

    @property
    def descriptions(self) -> list[ModelDescription]:
        return [one.described for one in self.models or ()]


def read_facts(transport: Transport, snapshot: RunSnapshot) -> Facts | None:
    """Reads models and totals, from the service unless the folder has the current ones.

    :returns: None if the service has deleted a batch; the folder then keeps its files
    """
    current, state = _find_current_jobs(snapshot.outcomes), snapshot.stored.state
    stored = stored_facts(snapshot.here)
    if stored.models is not None and _is_current(stored.totals, current):
        return stored
    try:
        return Facts(
            _read_models(transport, state, current), _read_totals(transport, current, state.stratum)
        )
    except SoilError as error:
        if is_gone(error):
            return None
        raise


@dataclass(frozen=True)
class _CurrentJobs:
    """The jobs that count for a run's fields, among all jobs of its batches."""

    batch_ids: tuple[str, ...]
    completed: int
    #: The number of other jobs in these batches.
    others: int
    #: The other jobs to exclude from the total: those that were not retried.
    exclude: tuple[str, ...]


def _find_current_jobs(outcomes: Outcomes) -> _CurrentJobs:
    current = [one.job for one in outcomes.jobs.values()]
    ids = {job.job_id for job in current}
    counted = {
        batch_id: jobs
        for batch_id, jobs in outcomes.batches.items()
        if any(job.job_id in ids for job in jobs)
    }
    listed = [job for jobs in counted.values() for job in jobs]
    others = [job.job_id for job in listed if job.job_id not in ids]
    retried = {job.retry_of_job_id for job in listed}
    return _CurrentJobs(
        tuple(counted),
        sum(job.summary is not None for job in current),
        len(others),
        tuple(one for one in others if one not in retried),
    )


def _is_current(stored: RunTotals | None, current: _CurrentJobs) -> bool:
    """Totals of finished batches never change."""
    totals = None if stored is None else stored.totals
    return (
        totals is not None
        and totals.finished
        and totals.included_jobs == current.completed
        and totals.excluded_jobs == current.others
        and totals.batch_ids == current.batch_ids
    )


def _read_models(
    transport: Transport, state: RunState, current: _CurrentJobs
) -> tuple[ModelFacts, ...]:
    described: dict[tuple[str, str], ModelDescription] = {}
    sizes = {batch: len(chunk.jobs) for chunk in state.chunks for batch in chunk.batches}
    for batch_id in current.batch_ids:
        for page in read_status(transport, batch_id, "completed", sizes[batch_id]):
            described.update(((one.model, one.model_sha256), one) for one in page.models)
    if not described:
        return ()
    published = {one.model: one for one in transport.get(ModelList, "/v1/models").models}
    return tuple(ModelFacts(one, published.get(one.model)) for one in described.values())


def _read_totals(transport: Transport, current: _CurrentJobs, stratum: str | None) -> RunTotals:
    if not current.batch_ids or current.completed == 0:
        return RunTotals(None, "No job is completed.")
    remedy = "for a total, run the same file in a new folder"
    if len(current.batch_ids) > _MOST_BATCHES:
        return RunTotals(
            None,
            f"The fields are in {len(current.batch_ids)} batches, but a total can include at most"
            f" {_MOST_BATCHES}: {remedy}, with at most 10,000 jobs.",
        )
    if len(current.exclude) > _MOST_EXCLUDED:
        return RunTotals(
            None,
            f"{len(current.exclude)} jobs in these batches no longer belong to the run, but a total can exclude at most"
            f" {_MOST_EXCLUDED}: {remedy}.",
        )
    first, *others = current.batch_ids
    path = batch_path(first, "total")
    try:
        total = transport.get(
            BatchTotal, path, batch_id=others, exclude=list(current.exclude), by=stratum
        )
    except SoilError as error:
        # Maps and tables are written without the total.
        if (error.status or 0) >= 500:
            return RunTotals(None, f"The service could not compute the total: {error}")
        raise
    return RunTotals(total, None)


def current_facts(here: FilesHere, outcomes: Outcomes) -> Facts:
    """Reads the stored facts; totals that do not belong to the current jobs count as missing."""
    stored = stored_facts(here)
    totals = stored.totals
    known = totals is not None and totals.totals is not None
    if known and not _is_current(totals, _find_current_jobs(outcomes)):
        totals = RunTotals(None, _OF_OTHERS)
    return Facts(stored.models, totals)


def stored_facts(here: FilesHere) -> Facts:
    models, totals = here.read_unchanged(MODELS_FILE), here.read_unchanged(TOTALS_FILE)
    try:
        return Facts(
            None if models is None else decode(RunModels, {"models": _parse_models(models)}).models,
            None if totals is None else decode(RunTotals, json.loads(totals)),
        )
    # Another version of this package may have written the files.
    except ValueError:
        return Facts(None, None)


def _parse_models(text: str) -> list[object]:
    names = ModelDescription.__dataclass_fields__
    return [
        {
            "described": {name: value for name, value in one.items() if name in names},
            "published": one["published"],
        }
        for one in json.loads(text)
    ]


def format_facts(facts: Facts) -> dict[str, bytes]:
    models = [
        {
            **asdict(one.described),
            "published": None if one.published is None else asdict(one.published),
        }
        for one in facts.models or ()
    ]
    totals = facts.totals or RunTotals(None, None)
    return {MODELS_FILE: _format_json(models), TOTALS_FILE: _format_json(asdict(totals))}


def _format_json(value: Sequence[object] | dict[str, object]) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "replace")
