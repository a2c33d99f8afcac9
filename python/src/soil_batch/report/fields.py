"""The fields of a run as the report shows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..extras import pyproj
from ..fields import shape_of
from ..results.columns import ResultJob
from ..schemas.jobs import Job, JobSummary

# Errors for which the outline encloses no area, or an uncertain area.
_BROKEN_OUTLINE = re.compile(r"(geometry_|coordinates_|crs_|ring_)")
_SQUARE_METRES_PER_HECTARE = 10_000


@dataclass(frozen=True)
class Field:
    """A field for one requested year and model."""

    #: Position in the fields file, counted from 1.
    number: int
    #: The name, followed by the number if several fields have the same name.
    name: str
    year: int
    #: The requested model; None if the service chooses it.
    requested: str | None
    #: GeoJSON in WGS 84.
    polygon: Any
    #: None if unknown, for example because the outline is invalid.
    hectares: float | None
    job: Job | None
    summary: JobSummary | None

    @property
    def why(self) -> str:
        if self.job is None:
            return "Unknown: the job was not submitted, or the stored list of jobs was changed."
        if self.job.status == "completed":
            return "The model predicts no mean."
        return self.job.error_message or f"Not finished: {self.job.status}."


@dataclass(frozen=True)
class PredictedField(Field):
    job: Job
    summary: JobSummary
    model: str
    #: Link to the raster; None if it is not in the folder.
    href: str | None
    #: Path of the raster; None unless it is unchanged since the download.
    raster: Path | None


@dataclass(frozen=True)
class YearAreas:
    """The area of all fields for one requested year and model, by outcome."""

    year: int
    requested: str | None
    fields: int
    hectares: float
    predicted: float
    with_result: float
    #: The number of fields whose area is unknown.
    unknown: int


def list_report_fields(
    rows: Sequence[ResultJob], polygons: Sequence[Any], rasters: Mapping[str, Path]
) -> list[Field]:
    """:param rasters: paths of the rasters that are unchanged since the download, by name"""
    names = {row.run_job.field_index: row.run_job.name for row in rows}
    counts = Counter(names.values())
    fields: list[Field] = []
    for row in rows:
        at, name, job = row.run_job.field_index, row.run_job.name, row.job
        shown = name if counts[name] == 1 else f"{name} (field {at + 1})"
        hectares = _find_hectares(job, polygons[at])
        common = (at + 1, shown, row.run_job.year, row.run_job.model, polygons[at], hectares)
        if job is None or job.summary is None or job.model is None:
            fields.append(Field(*common, job, None))
        else:
            href = None if row.file is None else quote(row.file)
            raster = rasters.get(row.file or "")
            fields.append(PredictedField(*common, job, job.summary, job.model, href, raster))
    return fields


def sum_areas(fields: Sequence[Field]) -> list[YearAreas]:
    areas = []
    for year, requested in dict.fromkeys((field.year, field.requested) for field in fields):
        same_year = [one for one in fields if (one.year, one.requested) == (year, requested)]
        summaries = [field.summary for field in same_year if field.summary is not None]
        areas.append(
            YearAreas(
                year,
                requested,
                len(same_year),
                sum(field.hectares or 0 for field in same_year),
                sum(summary.predicted_area_ha for summary in summaries),
                sum(summary.area_ha for summary in summaries),
                sum(field.hectares is None for field in same_year),
            )
        )
    return areas


def _find_hectares(job: Job | None, polygon: Any) -> float | None:
    """Returns the area from the service, or computes it for a field without a result."""
    if job is not None and job.summary is not None:
        return job.summary.area_ha
    if job is not None and _BROKEN_OUTLINE.match(job.error_code or ""):
        return None
    try:
        shape = shape_of(polygon)
        if shape is None:
            return None
        area, _ = pyproj().Geod(ellps="WGS84").geometry_area_perimeter(shape)
    except ImportError:
        return None
    return float(abs(area)) / _SQUARE_METRES_PER_HECTARE
