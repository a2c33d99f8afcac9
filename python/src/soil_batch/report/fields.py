"""The fields of a run as the report tells of them."""

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

# Such an outline encloses no area, or none that is certain.
_BROKEN_OUTLINE = re.compile(r"(geometry_|coordinates_|crs_|ring_)")
_SQUARE_METRES_PER_HECTARE = 10_000


@dataclass(frozen=True)
class Field:
    """A field and requested year."""

    #: Its place in the file of fields, counted from 1.
    number: int
    #: Fields of one name have their number behind it.
    name: str
    year: int
    #: The requested model; None for the first that fits.
    requested: str | None
    #: GeoJSON in degrees of WGS 84.
    polygon: Any
    #: None if the outline is broken.
    hectares: float | None
    job: Job | None
    summary: JobSummary | None

    @property
    def why(self) -> str:
        """Why it has no result."""
        if self.job is None:
            return "Not known: not submitted, or its list of jobs was changed."
        if self.job.status == "completed":
            return "The model predicts no mean."
        return self.job.error_message or f"Not finished: {self.job.status}."


@dataclass(frozen=True)
class Predicted(Field):
    """A field that has a result."""

    job: Job
    summary: JobSummary
    model: str
    #: Link to its raster; None if the folder has none.
    href: str | None
    #: None unless it is as downloaded.
    raster: Path | None


@dataclass(frozen=True)
class YearAreas:
    """Where the hectares of all fields of a requested year and model went."""

    year: int
    #: None for the first that fits.
    requested: str | None
    fields: int
    hectares: float
    predicted: float
    with_result: float
    #: Fields whose area is not known.
    unknown: int


def report_fields(
    rows: Sequence[ResultJob], polygons: Sequence[Any], rasters: Mapping[str, Path]
) -> list[Field]:
    """:param rasters: those that are as downloaded, by their name"""
    names = {row.run_job.field_index: row.run_job.name for row in rows}
    counts = Counter(names.values())
    fields: list[Field] = []
    for row in rows:
        at, name, job = row.run_job.field_index, row.run_job.name, row.job
        shown = name if counts[name] == 1 else f"{name} (field {at + 1})"
        hectares = _hectares(job, polygons[at])
        common = (at + 1, shown, row.run_job.year, row.run_job.model, polygons[at], hectares)
        if job is None or job.summary is None or job.model is None:
            fields.append(Field(*common, job, None))
        else:
            href = None if row.file is None else quote(row.file)
            raster = rasters.get(row.file or "")
            fields.append(Predicted(*common, job, job.summary, job.model, href, raster))
    return fields


def areas_of(fields: Sequence[Field]) -> list[YearAreas]:
    areas = []
    for year, requested in dict.fromkeys((field.year, field.requested) for field in fields):
        ones = [one for one in fields if (one.year, one.requested) == (year, requested)]
        summaries = [field.summary for field in ones if field.summary is not None]
        areas.append(
            YearAreas(
                year,
                requested,
                len(ones),
                sum(field.hectares or 0 for field in ones),
                sum(summary.predicted_area_ha for summary in summaries),
                sum(summary.area_ha for summary in summaries),
                sum(field.hectares is None for field in ones),
            )
        )
    return areas


def _hectares(job: Job | None, polygon: Any) -> float | None:
    """The service tells none of a field that failed."""
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
