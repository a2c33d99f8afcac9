"""The table of a run: the attributes of the fields, and what became of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..chunks import RunJob
from ..run_state import Outcomes
from ..schemas.batches import ModelDescription
from ..schemas.jobs import Job, JobSummary

Scalar = str | int | float | bool | None
# Every GeoPackage has these columns.
_GEOPACKAGE_COLUMNS = ("fid", "geom")


@dataclass(frozen=True)
class ResultJob:
    """One field and year, with what became of it."""

    run_job: RunJob
    #: The service's newest job for it; None if it has not been submitted.
    job: Job | None
    batch_id: str | None
    #: None if it has none, or the service did not describe it.
    model: ModelDescription | None
    #: Its raster within the folder; None if it is not there.
    file: str | None

    @property
    def summary(self) -> JobSummary | None:
        return None if self.job is None else self.job.summary


def result_jobs(
    jobs: Sequence[RunJob],
    outcomes: Outcomes,
    models: Iterable[ModelDescription],
    here: set[str],
) -> list[ResultJob]:
    """:param here: names of the rasters that the folder has"""
    described: dict[str, list[ModelDescription]] = {}
    for one in models:
        described.setdefault(one.model, []).append(one)
    rows = []
    for job in jobs:
        outcome = outcomes.jobs.get(job.index)
        found = None if outcome is None else outcome.job
        known = described.get(found.model or "", []) if found is not None else []
        rows.append(
            ResultJob(
                job,
                found,
                None if outcome is None else outcome.batch_id,
                # A model that was deployed again under its version has two digests: neither is certain.
                known[0] if len(known) == 1 else None,
                job.file if job.file in here else None,
            )
        )
    return rows


@dataclass(frozen=True)
class ResultColumn:
    name: str
    #: `int64`, `float64`, `bool` or `object`
    dtype: str
    of: Callable[[ResultJob], Scalar]


def _job(name: str) -> Callable[[ResultJob], Any]:
    return lambda one: None if one.job is None else getattr(one.job, name)


def _model(name: str) -> Callable[[ResultJob], Any]:
    return lambda one: None if one.model is None else getattr(one.model, name)


def _summary(name: str) -> Callable[[ResultJob], Any]:
    return lambda one: None if one.summary is None else getattr(one.summary, name)


def _stock(name: str) -> Callable[[ResultJob], Any]:
    return lambda one: getattr(one.summary.stock, name, None) if one.summary else None


def _at(of: Callable[[ResultJob], Any], index: int) -> Callable[[ResultJob], Any]:
    def value(one: ResultJob) -> Any:
        pair = of(one)
        return None if pair is None else pair[index]

    return value


def _per_hectare(name: str) -> Callable[[ResultJob], Any]:
    def value(one: ResultJob) -> float | None:
        tonnes = _stock(name)(one)
        hectares = 0.0 if one.summary is None else one.summary.predicted_area_ha
        return None if tonnes is None or hectares == 0 else float(f"{tonnes / hectares:.6g}")

    return value


def _warnings(name: str) -> Callable[[ResultJob], str | None]:
    def value(one: ResultJob) -> str | None:
        found = () if one.job is None else one.job.warnings
        return " ".join(getattr(warning, name) for warning in found) or None

    return value


#: Those of the service's own table, without its links, which expire, and its `job_index`, and with `path` and `batch_id`.
RESULT_COLUMNS = (
    ResultColumn("name", "object", lambda one: one.run_job.name),
    ResultColumn("year", "int64", lambda one: one.run_job.year),
    ResultColumn("status", "object", lambda one: one.job.status if one.job else "not submitted"),
    ResultColumn("mean", "float64", _summary("mean")),
    ResultColumn("lower", "float64", _summary("lower")),
    ResultColumn("upper", "float64", _summary("upper")),
    ResultColumn("unit", "object", _summary("unit")),
    ResultColumn("path", "object", lambda one: one.file),
    ResultColumn("error_code", "object", _job("error_code")),
    ResultColumn("error_message", "object", _job("error_message")),
    ResultColumn("error_retryable", "bool", _job("error_retryable")),
    ResultColumn("warning_codes", "object", _warnings("code")),
    ResultColumn("warning_messages", "object", _warnings("message")),
    ResultColumn("area_ha", "float64", _summary("area_ha")),
    ResultColumn("predicted_area_ha", "float64", _summary("predicted_area_ha")),
    ResultColumn("standard_error", "float64", _summary("standard_error")),
    ResultColumn("level", "float64", _summary("level")),
    ResultColumn("method", "object", _summary("method")),
    ResultColumn("stock_t", "float64", _stock("value")),
    ResultColumn("stock_lower_t", "float64", _stock("lower")),
    ResultColumn("stock_upper_t", "float64", _stock("upper")),
    ResultColumn("stock_t_per_ha", "float64", _summary("stock_per_ha")),
    ResultColumn("stock_lower_t_per_ha", "float64", _per_hectare("lower")),
    ResultColumn("stock_upper_t_per_ha", "float64", _per_hectare("upper")),
    ResultColumn("stock_substance", "object", _stock("substance")),
    ResultColumn("cell_min", "float64", _summary("cell_min")),
    ResultColumn("cell_max", "float64", _summary("cell_max")),
    ResultColumn("cell_sd", "float64", _summary("cell_sd")),
    ResultColumn("outside_share", "float64", _summary("outside_share")),
    ResultColumn("outside_applicability_share", "float64", _summary("outside_applicability_share")),
    ResultColumn("model", "object", _job("model")),
    ResultColumn("model_sha256", "object", _model("model_sha256")),
    ResultColumn("property", "object", _model("property")),
    ResultColumn("depth_top_cm", "float64", _at(_model("depth_cm"), 0)),
    ResultColumn("depth_bottom_cm", "float64", _at(_model("depth_cm"), 1)),
    ResultColumn("sample_support", "object", _model("sample_support")),
    ResultColumn("data_period_start", "int64", _at(_job("data_period"), 0)),
    ResultColumn("data_period_end", "int64", _at(_job("data_period"), -1)),
    ResultColumn("completed_at", "object", _job("completed_at")),
    ResultColumn("batch_id", "object", lambda one: one.batch_id),
    ResultColumn("job_id", "object", _job("job_id")),
)


def renamed(names: Sequence[str]) -> Mapping[str, str]:
    """The attributes beside the results. SQLite, and so GeoPackage, ignores case in names."""
    results = {*(one.name for one in RESULT_COLUMNS), *_GEOPACKAGE_COLUMNS}
    found: dict[str, str] = {}
    taken = set(results)
    for name in names:
        if name.lower() not in taken:
            found[name] = name
            taken.add(name.lower())
    for name in names:
        if name not in found:
            free = name
            while free.lower() in taken:
                free = f"{free}_input"
            found[name] = free
            taken.add(free.lower())
    return found
