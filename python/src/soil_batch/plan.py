"""Plans a run: the maps to predict, and the batches to create."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .chunks import Chunk, RunJob, add_secret, encode_json, format_name, list_jobs, split_jobs
from .errors import invalid_input
from .estimate import Estimate, estimate_run
from .fields import Fields
from .run_state import Destination, Source
from .schemas.limits import Limits, Usage
from .transport import Transport

_NAME_CHARACTERS = 255
_CLIENT = "soil-batch-python"


@dataclass(frozen=True)
class Webhook:
    """The URL to which the service sends the outcome of each batch, and the secret that signs the deliveries."""

    url: str
    secret: str | None = None

    def __repr__(self) -> str:
        return f"Webhook({self.url!r})"


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """The fields, years and models that a run predicts. A folder holds one run."""

    fields: Fields
    source: Source | None
    years: tuple[int, ...]
    #: The column with the names of the fields.
    name: str | None
    #: Each model predicts every field and year; empty if the service chooses the models.
    models: tuple[str, ...]
    webhook: Webhook | None = None
    #: The column whose values are the strata of the totals.
    stratum: str | None = None
    destination: Destination | None = None

    @property
    def webhook_url(self) -> str | None:
        return None if self.webhook is None else self.webhook.url

    @property
    def webhook_secret(self) -> str | None:
        return None if self.webhook is None else self.webhook.secret

    def properties(self) -> list[dict[str, str] | None]:
        name = self.stratum
        if name is None:
            return [None] * len(self.fields.geometries)
        strata = read_strata(self.fields, name)
        return [None if value is None else {name: value} for value in strata]

    def jobs(self) -> list[RunJob]:
        return list_jobs(self.fields, self.years, self.name, self.models)


@dataclass(frozen=True)
class Plan:
    """The batches of a run that are to be created, with their estimate."""

    chunks: tuple[Chunk, ...]
    estimate: Estimate


def parse_years(year: int | Sequence[int]) -> tuple[int, ...]:
    given: Sequence[Any] = list(year) if hasattr(year, "__iter__") else [year]
    # numpy integers are accepted as well.
    years = [one.item() if hasattr(one, "item") else one for one in given]
    if not years or not all(type(one) is int for one in years):
        raise invalid_input(f"year must be one or more whole numbers; got {year!r}")
    if len(set(years)) < len(years):
        raise invalid_input("the same year is given twice")
    return tuple(years)


def parse_models(model: str | Sequence[str] | None) -> tuple[str, ...]:
    models = () if model is None else (model,) if isinstance(model, str) else tuple(model)
    if len(set(models)) < len(models):
        raise invalid_input("the same model is given twice")
    return models


def plan_jobs(
    transport: Transport,
    request: RunRequest,
    label: str,
    run_id: str,
    jobs: Sequence[RunJob],
    on_chunk: Callable[[int, int], None] = lambda done, total: None,
) -> Plan:
    """Plans batches within the service's limits.

    If today's quota is too small for all jobs, each batch fits the rest of today's quota or a full day's quota:
    a larger batch would be rejected every day.
    """
    limits = transport.get(Limits, "/v1/limits")
    usage = transport.get(Usage, "/v1/usage")
    chunks = _make_chunks(request, label, run_id, [jobs], limits)
    estimate = estimate_run(transport, jobs, chunks, usage, on_chunk)
    if not estimate.fits_today:
        hectares = [job.hectares for job in estimate.jobs]
        chunks = _make_chunks(request, label, run_id, _split_by_day(jobs, hectares, usage), limits)
    return Plan(tuple(chunks), estimate)


def _make_chunks(
    request: RunRequest,
    label: str,
    run_id: str,
    groups: Sequence[Sequence[RunJob]],
    limits: Limits,
) -> list[Chunk]:
    name = " ".join([label, *map(str, request.years)])[-_NAME_CHARACTERS:]
    batch: dict[str, object] = {"name": name, "metadata": {"client": _CLIENT, "run_id": run_id}}
    if request.webhook_url is not None:
        batch["webhook_url"] = request.webhook_url
    if request.destination is not None:
        batch["destination"] = request.destination.body()
    # Each body leaves room for the secret, which is added later.
    room = len(add_secret(b"}", request.webhook_secret)) - 1
    limits = replace(limits, body_bytes=limits.body_bytes - room)
    # Each plan of a run has its own idempotency keys, because a run may be planned several times.
    fields = request.fields.wgs84
    return split_jobs(groups, fields, request.properties(), limits, batch, str(uuid.uuid4()))


def _split_by_day(
    jobs: Sequence[RunJob], hectares: Sequence[float], usage: Usage
) -> list[list[RunJob]]:
    days: list[list[RunJob]] = [[]]
    jobs_left, hectares_left = usage.jobs.remaining, usage.hectares.remaining
    for job, needed in zip(jobs, hectares):
        if jobs_left < 1 or needed > hectares_left:
            days.append([])
            jobs_left, hectares_left = usage.jobs.limit, usage.hectares.limit
        days[-1].append(job)
        jobs_left -= 1
        hectares_left -= needed
    return [day for day in days if day]


def read_strata(fields: Fields, stratum: str | None) -> list[str | None]:
    """Returns the stratum of each field; None for a field without a value."""
    if stratum is None:
        return [None] * len(fields.geometries)
    return [format_name(value) or None for value in fields.column(stratum)]


def compute_job_keys(fields: Fields, stratum: str | None, jobs: Sequence[RunJob]) -> list[str]:
    """Returns a key for each job, such that a model's predictions are equal for equal keys."""
    sent = zip(fields.wgs84, read_strata(fields, stratum))
    texts = [hashlib.sha256(encode_json(one)).hexdigest() for one in sent]
    return [f"{job.year} {job.model} {texts[job.field_index]}" for job in jobs]


def group_by_map(jobs: Sequence[RunJob], estimate: Estimate) -> list[RunMap]:
    """Groups jobs by the map that they yield: with the same model and data period, all years give the same map."""
    found: dict[tuple[str, tuple[int, ...]], dict[int, list[int]]] = {}
    for job, one in zip(jobs, estimate.jobs):
        if one.model is not None and one.data_period is not None:
            fields = found.setdefault((one.model, one.data_period), {})
            fields.setdefault(job.field_index, []).append(job.year)
    return [
        RunMap(
            model=model,
            data_period=period,
            years=tuple(dict.fromkeys(year for years in fields.values() for year in years)),
            jobs=sum(map(len, fields.values())),
            repeated=sum(len(years) - 1 for years in fields.values()),
        )
        for (model, period), fields in found.items()
    ]


@dataclass(frozen=True)
class RunMap:
    #: `id@version`
    model: str
    data_period: tuple[int, ...]
    years: tuple[int, ...]
    jobs: int
    #: The number of jobs whose field already has this map for another year.
    repeated: int

    def __str__(self) -> str:
        period = "–".join(map(str, dict.fromkeys(self.data_period)))
        return f"{self.model}, data of {period}, for {', '.join(map(str, self.years))}"


def same_maps_error(maps: Sequence[RunMap], way_out: str) -> str | None:
    """:returns: None if no year repeats the map of another year"""
    repeated = [one for one in maps if one.repeated]
    if not repeated:
        return None
    jobs = sum(one.repeated for one in repeated)
    return (
        f"some years give the same map: {'; '.join(map(str, repeated))}."
        f" {jobs} job{'' if jobs == 1 else 's'} would be charged for nothing."
        f" Name one year per map, or {way_out} to submit all years"
    )
