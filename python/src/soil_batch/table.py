"""A run as a GeoDataFrame: the attributes of the fields, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .chunks import RunJob
from .extras import pandas
from .fields import Fields
from .run_state import Outcome
from .schemas.jobs import JobSummary

if TYPE_CHECKING:
    from geopandas import GeoDataFrame


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
    renamed = _renamed([str(name) for name in frame.columns], set(rows[0]))
    frame = frame.rename(columns=renamed).set_geometry(renamed[fields.geometry_name])
    frame = frame.iloc[[job.field_index for job in jobs]]
    for name in rows[0]:
        values = [row[name] for row in rows]
        kind = int if name == "year" else float if name in _NUMBERS else object
        frame[name] = pandas().Series(values, index=frame.index, dtype=kind)
    # The geometry last: a table is read from the left.
    others = [name for name in frame.columns if name != frame.geometry.name]
    return frame[[*others, frame.geometry.name]]


def _renamed(names: Sequence[str], results: set[str]) -> dict[str, str]:
    """The attributes beside the results."""
    taken = results | set(names)
    renamed = {}
    for name in names:
        free = name
        while free in results or (free != name and free in taken):
            free = f"{free}_input"
        taken.add(free)
        renamed[name] = free
    return renamed


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


_OF_SUMMARY = ("mean", "lower", "upper", "area_ha", "predicted_area_ha", "outside_share")
_OF_STOCK = {"stock_t": "value", "stock_lower_t": "lower", "stock_upper_t": "upper"}
_NUMBERS = (*_OF_SUMMARY, *_OF_STOCK)


def _numbers(summary: JobSummary | None) -> dict[str, float | None]:
    stock = None if summary is None else summary.stock
    return {
        **{name: getattr(summary, name, None) for name in _OF_SUMMARY},
        **{name: getattr(stock, key, None) for name, key in _OF_STOCK.items()},
    }
