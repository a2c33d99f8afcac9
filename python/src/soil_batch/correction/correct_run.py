"""Corrects the mean of a run's maps with a table of samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..folder import Folder
from ..schemas.jobs import Stock
from ..schemas.totals import Reason
from .design import read_design
from .maps import RunMaps, read_run_maps
from .mean_error import LEVEL, estimate_mean_error
from .visit import compare_samples

# With fewer samples, Student's t gives an interval that is too narrow if errors are skewed.
FEW_SAMPLES = 30


@dataclass(frozen=True)
class Correction:
    """The mean over all fields with a map, for one year: as mapped, and as corrected by samples."""

    year: int
    unit: str
    #: The combined area of all maps, without cells that have no value.
    area_ha: float
    fields: int
    fields_without_map: int
    #: Area that two fields share: it counts once for each field.
    overlap_ha: float
    map_mean: float
    #: Mean of measured − mapped over the area. The correction adds it to the mapped mean.
    mean_error: float
    #: Mean of mapped − measured, as in a model's accuracy: if it is positive, the map overestimates.
    bias: float
    mean: float
    lower: float
    upper: float
    level: float
    standard_error: float
    degrees_of_freedom: float
    #: In tonnes; None if the maps have no stock.
    stock_t: Stock | None
    samples: int
    #: The number of samples that lie where no map has a value.
    samples_left_out: int
    strata: int
    collapsed_strata: int
    #: Whether the samples are from the places of the folder's design.
    follows_design: bool
    #: The number of places of the design that were not sampled, including skipped spare places.
    unreachable: int
    #: Reasons to doubt the samples or the interval.
    warnings: tuple[Reason, ...]


def correct(
    folder: Folder,
    samples: Any,
    value: str,
    stratum: str | None,
    year: int | None,
    model: str | None = None,
) -> Correction:
    visit = compare_samples(
        read_run_maps(folder, year, model), samples, value, stratum, read_design(folder)
    )
    maps, error = visit.maps, estimate_mean_error(visit.strata)
    mean, half = maps.mean + error.value, error.half_width(LEVEL)
    return Correction(
        year=maps.year,
        unit=maps.unit,
        area_ha=maps.area_ha,
        fields=len(maps.maps),
        fields_without_map=maps.fields_without_map,
        overlap_ha=maps.overlap_ha,
        map_mean=maps.mean,
        mean_error=error.value,
        bias=-error.value,
        mean=mean,
        lower=mean - half,
        upper=mean + half,
        level=LEVEL,
        standard_error=error.standard_error,
        degrees_of_freedom=error.degrees_of_freedom,
        stock_t=scale_to_stock(maps, mean, half),
        samples=len(visit.plots),
        samples_left_out=visit.left_out,
        strata=len(visit.names),
        collapsed_strata=error.collapsed_strata,
        follows_design=visit.design is not None,
        unreachable=visit.unreachable,
        warnings=tuple(visit.warnings),
    )


def scale_to_stock(maps: RunMaps, mean: float, half: float) -> Stock | None:
    """Computes the stock of the whole area for a mean ± half-width; None if the maps have no stock."""
    tonnes = maps.tonnes_per_mean
    if tonnes is None:
        return None
    return Stock(mean * tonnes, (mean - half) * tonnes, (mean + half) * tonnes, "t", maps.substance)
