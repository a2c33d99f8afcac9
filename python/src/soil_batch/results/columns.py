from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..chunks import RunJob
from ..layers import Layer, join_layers
from ..run_state import Outcomes
from ..schemas.batches import ModelDescription
from ..schemas.jobs import Job, JobSummary

Scalar = str | int | float | bool | None
# The columns of `results.gpkg` for the key and the geometry.
_GEOPACKAGE_COLUMNS = ("fid", "geom")


@dataclass(frozen=True)
class ResultJob:
    """One field, year and model, with the outcome."""

    run_job: RunJob
    #: The service's newest job; None if none is known, for example before the submission.
    job: Job | None
    batch_id: str | None
    #: The model's description; None if the job has no model or the description is unknown.
    model: ModelDescription | None
    #: File name of the raster; None if it is not in the folder.
    file: str | None

    @property
    def summary(self) -> JobSummary | None:
        return None if self.job is None else self.job.summary


def list_result_jobs(
    jobs: Sequence[RunJob],
    outcomes: Outcomes,
    models: Iterable[ModelDescription],
    here: set[str],
) -> list[ResultJob]:
    """:param here: names of the rasters that are in the folder"""
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
                # A model that was redeployed with the same version has two descriptions: it is unclear which applies.
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


def _job_value(name: str) -> Callable[[ResultJob], Any]:
    return lambda one: None if one.job is None else getattr(one.job, name)


def _model_value(name: str) -> Callable[[ResultJob], Any]:
    return lambda one: None if one.model is None else getattr(one.model, name)


def _summary_value(name: str) -> Callable[[ResultJob], Any]:
    return lambda one: None if one.summary is None else getattr(one.summary, name)


def _stock_value(name: str) -> Callable[[ResultJob], Any]:
    return lambda one: getattr(one.summary.stock, name, None) if one.summary else None


def _item_value(column: Callable[[ResultJob], Any], index: int) -> Callable[[ResultJob], Any]:
    def value(one: ResultJob) -> Any:
        pair = column(one)
        return None if pair is None else pair[index]

    return value


def _stock_per_hectare(name: str) -> Callable[[ResultJob], Any]:
    def value(one: ResultJob) -> float | None:
        tonnes = _stock_value(name)(one)
        hectares = 0.0 if one.summary is None else one.summary.predicted_area_ha
        return None if tonnes is None or hectares == 0 else float(f"{tonnes / hectares:.6g}")

    return value


def _model_name(row: ResultJob) -> str | None:
    return (row.job and row.job.model) or row.run_job.model


def _warning_texts(name: str) -> Callable[[ResultJob], str | None]:
    def value(one: ResultJob) -> str | None:
        found = () if one.job is None else one.job.warnings
        return " ".join(getattr(warning, name) for warning in found) or None

    return value


def _destination_uri(one: ResultJob) -> str | None:
    copy = None if one.job is None else one.job.destination
    return copy.uri if copy is not None and copy.status == "copied" else None


#: The columns of the service's table without `job_index`, `properties`, `result_url` and `results_expire_at`, but with
#: `path` and `batch_id`.
RESULT_COLUMNS = (
    ResultColumn("name", "object", lambda one: one.run_job.name),
    ResultColumn("year", "int64", lambda one: one.run_job.year),
    ResultColumn("status", "object", lambda one: one.job.status if one.job else "not submitted"),
    ResultColumn("mean", "float64", _summary_value("mean")),
    ResultColumn("lower", "float64", _summary_value("lower")),
    ResultColumn("upper", "float64", _summary_value("upper")),
    ResultColumn("unit", "object", _summary_value("unit")),
    ResultColumn("path", "object", lambda one: one.file),
    ResultColumn("destination_uri", "object", _destination_uri),
    ResultColumn("error_code", "object", _job_value("error_code")),
    ResultColumn("error_message", "object", _job_value("error_message")),
    ResultColumn("error_retryable", "bool", _job_value("error_retryable")),
    ResultColumn("warning_codes", "object", _warning_texts("code")),
    ResultColumn("warning_messages", "object", _warning_texts("message")),
    ResultColumn("area_ha", "float64", _summary_value("area_ha")),
    ResultColumn("predicted_area_ha", "float64", _summary_value("predicted_area_ha")),
    ResultColumn("standard_error", "float64", _summary_value("standard_error")),
    ResultColumn("level", "float64", _summary_value("level")),
    ResultColumn("method", "object", _summary_value("method")),
    ResultColumn("stock_t", "float64", _stock_value("value")),
    ResultColumn("stock_lower_t", "float64", _stock_value("lower")),
    ResultColumn("stock_upper_t", "float64", _stock_value("upper")),
    ResultColumn("stock_t_per_ha", "float64", _summary_value("stock_per_ha")),
    ResultColumn("stock_lower_t_per_ha", "float64", _stock_per_hectare("lower")),
    ResultColumn("stock_upper_t_per_ha", "float64", _stock_per_hectare("upper")),
    ResultColumn("stock_substance", "object", _stock_value("substance")),
    ResultColumn("cell_min", "float64", _summary_value("cell_min")),
    ResultColumn("cell_max", "float64", _summary_value("cell_max")),
    ResultColumn("cell_sd", "float64", _summary_value("cell_sd")),
    ResultColumn("outside_share", "float64", _summary_value("outside_share")),
    ResultColumn(
        "outside_applicability_share", "float64", _summary_value("outside_applicability_share")
    ),
    ResultColumn("model", "object", _model_name),
    ResultColumn("model_sha256", "object", _model_value("model_sha256")),
    ResultColumn("property", "object", _model_value("property")),
    ResultColumn("depth_top_cm", "float64", _item_value(_model_value("depth_cm"), 0)),
    ResultColumn("depth_bottom_cm", "float64", _item_value(_model_value("depth_cm"), 1)),
    ResultColumn("sample_support", "object", _model_value("sample_support")),
    ResultColumn("data_period_start", "int64", _item_value(_job_value("data_period"), 0)),
    ResultColumn("data_period_end", "int64", _item_value(_job_value("data_period"), -1)),
    ResultColumn("completed_at", "object", _job_value("completed_at")),
    ResultColumn("batch_id", "object", lambda one: one.batch_id),
    ResultColumn("job_id", "object", _job_value("job_id")),
)


# The columns of each model in the wide table.
_WIDE_NAMES = (
    *("status", "error_code", "mean", "lower", "upper", "unit", "level", "predicted_area_ha"),
    *("stock_t", "stock_lower_t", "stock_upper_t", "stock_t_per_ha", "stock_substance"),
    *("depth_top_cm", "depth_bottom_cm", "path"),
)
_WIDE_COLUMNS = [one for one in RESULT_COLUMNS if one.name in _WIDE_NAMES]


@dataclass(frozen=True)
class ResultValues:
    name: str
    dtype: str
    values: Sequence[Scalar]


@dataclass(frozen=True)
class ResultTable:
    #: The index of each row's field.
    fields: Sequence[int]
    columns: Sequence[ResultValues]

    def name_attributes(self, names: Sequence[str]) -> Mapping[str, str]:
        """Returns, for each attribute, a name in the output that no result column has."""
        return _rename_attributes(names, [one.name for one in self.columns])


def build_long_table(rows: Sequence[ResultJob]) -> ResultTable:
    """Builds the table with a row for each field, year and model."""
    return ResultTable(
        [one.run_job.field_index for one in rows],
        [
            ResultValues(one.name, one.dtype, [one.of(row) for row in rows])
            for one in RESULT_COLUMNS
        ],
    )


def build_wide_table(rows: Sequence[ResultJob]) -> ResultTable:
    """Builds the table with a row for each field and year, with columns for each requested model and for joined layers."""
    groups: dict[tuple[int, int], dict[str | None, ResultJob]] = {}
    for row in rows:
        job = row.run_job
        groups.setdefault((job.field_index, job.year), {})[job.model] = row
    first = [next(iter(group.values())) for group in groups.values()]
    columns = [
        ResultValues(one.name, one.dtype, [one.of(row) for row in first])
        for one in RESULT_COLUMNS[:2]
    ]
    for model in dict.fromkeys(row.run_job.model for row in rows):
        columns += [
            ResultValues(
                one.name if model is None else f"{model}_{one.name}",
                one.dtype,
                [one.of(group[model]) for group in groups.values()],
            )
            for one in _WIDE_COLUMNS
        ]
    joined = [
        {one.depth_cm: one for one in join_layers([*_layers(group.values())])}
        for group in groups.values()
    ]
    for depth in sorted({depth for one in joined for depth in one}):
        stocks = [one[depth].stock if depth in one else None for one in joined]
        name = f"stock_{depth[0]:g}_{depth[1]:g}_cm"
        for suffix, end in (("t", "value"), ("lower_t", "lower"), ("upper_t", "upper")):
            values = [None if one is None else getattr(one, end) for one in stocks]
            columns.append(ResultValues(f"{name}_{suffix}", "float64", values))
    return ResultTable([one.run_job.field_index for one in first], columns)


def _layers(rows: Iterable[ResultJob]) -> Iterable[Layer]:
    for row in rows:
        summary, model = row.summary, row.model
        if summary is None or summary.stock is None or model is None or model.depth_cm is None:
            continue
        area = summary.predicted_area_ha
        yield Layer(model.model, model.depth_cm, summary.level, area, summary.stock)


def _rename_attributes(names: Sequence[str], columns: Sequence[str]) -> Mapping[str, str]:
    """Returns new names by old names. Case is ignored, because SQLite, and so GeoPackage, ignores case in names."""
    results = {*(one.lower() for one in columns), *_GEOPACKAGE_COLUMNS}
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
