from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Property:
    name: str
    unit: str
    depth_cm: tuple[float, ...]
    substance: str | None = None


@dataclass(frozen=True)
class Band:
    name: str
    description: str
    unit: str
    level: float | None
    scale: float
    offset: float
    display_range: tuple[float, ...] | None


@dataclass(frozen=True)
class Grid:
    crs: str
    crs_name: str
    crs_proj4: str
    cell_size: float


@dataclass(frozen=True)
class Accuracy:
    metric: str
    value: float
    how: str


@dataclass(frozen=True)
class License:
    part: str
    license: str
    citation: str


@dataclass(frozen=True)
class ErrorCorrelation:
    model: str
    nugget: float
    range_m: float


@dataclass(frozen=True)
class ModelError:
    lower: str
    upper: str
    correlation: ErrorCorrelation | None
    systematic_relative_sd: float
    standardised_sd: float
    how: str


@dataclass(frozen=True)
class Period:
    #: First and last year that a job may name; None for any year.
    years: tuple[int, ...] | None
    data_period: tuple[int, ...]


@dataclass(frozen=True)
class Model:
    model: str
    id: str
    version: str
    title: str
    property: Property
    sample_support: str
    not_for: tuple[str, ...]
    #: Whether the model exists only to check deployments and must not be offered to users.
    for_checks: bool
    bands: tuple[Band, ...]
    #: Name of the band with the mean that summaries state; None if the model predicts no mean of a quantity.
    mean_band: str | None
    sample_type: str
    nodata: float
    #: The area in which the model is valid: a GeoJSON Polygon or MultiPolygon (RFC 7946).
    coverage: dict[str, Any]
    temporal: str
    data_period: tuple[int, ...]
    periods: tuple[Period, ...]
    grid: Grid
    error: ModelError | None
    accuracy: tuple[Accuracy, ...]
    licenses: tuple[License, ...]


@dataclass(frozen=True)
class ModelList:
    models: tuple[Model, ...]
