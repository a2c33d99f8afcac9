"""A run as a GeoDataFrame: the attributes of the fields, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .chunks import RunJob
from .fields import Fields
from .run_state import Outcome
from .schemas import JobSummary, Stock

if TYPE_CHECKING:
    from geopandas import GeoDataFrame

# Columns with numbers, and their summary.
_TEXT = ("status", "unit", "path", "error_code", "error_message", "warnings", "model", "job_id")


def table_of(
    fields: Fields,
    jobs: Sequence[RunJob],
    outcomes: Mapping[int, Outcome],
    paths: Mapping[int, str],
) -> GeoDataFrame:
    """A row for each field and year, in the order of the fields, in their CRS.

    An attribute with the name of a result gets `_input` behind it.
    """
    rows = [_row(job, outcomes.get(job.index), paths.get(job.index)) for job in jobs]
    frame = fields.frame()
    names = set(rows[0])
    frame = frame.rename(columns={name: _free(str(name), names) for name in frame.columns})
    geometry = _free(fields.geometry_name, names)
    frame = frame.set_geometry(geometry)
    frame = frame.iloc[[job.field_index for job in jobs]]
    for name in rows[0]:
        values = [row[name] for row in rows]
        dtype = object if name in _TEXT else int if name in ("year",) else float
        if name == "error_retryable":
            dtype = object
        frame[name] = _series(values, frame.index, dtype)
    # The geometry last, where a reader of the table looks least.
    ordered = [name for name in frame.columns if name != geometry]
    return frame[[*ordered, geometry]]


def _series(values: list[Any], index: Any, dtype: type) -> Any:
    from .extras import pandas

    return pandas().Series(values, index=index, dtype=dtype)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name = f"{name}_input"
    return name


def _row(job: RunJob, outcome: Outcome | None, path: str | None) -> dict[str, Any]:
    found = None if outcome is None else outcome.job
    summary = None if found is None else found.summary
    warnings = [] if found is None else [one.message for one in found.warnings]
    return {
        "year": job.year,
        "status": "not submitted" if found is None else found.status,
        **_numbers(summary),
        "unit": None if summary is None else summary.unit,
        "path": path,
        "error_code": None if found is None else found.error_code,
        "error_message": None if found is None else found.error_message,
        "error_retryable": None if found is None else found.error_retryable,
        "warnings": " ".join(warnings) or None,
        "model": None if found is None else found.model,
        "job_id": None if found is None else found.job_id,
    }


def _numbers(summary: JobSummary | None) -> dict[str, float | None]:
    stock: Stock | None = None if summary is None else summary.stock
    of_mean = ("mean", "lower", "upper")
    of_area = ("area_ha", "predicted_area_ha", "outside_share")
    return {
        **{name: getattr(summary, name, None) for name in of_mean},
        "stock_t": None if stock is None else stock.value,
        "stock_lower_t": None if stock is None else stock.lower,
        "stock_upper_t": None if stock is None else stock.upper,
        **{name: getattr(summary, name, None) for name in of_area},
    }
