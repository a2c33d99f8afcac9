"""The correction of a run, from the files of its folder and a table of samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..folder import Folder
from ..schemas.jobs import Stock
from ..schemas.totals import Reason
from .design import read_design
from .maps import RunMaps, maps_of
from .mean_error import LEVEL, mean_error
from .visit import observe

# With fewer, an interval by Student's t is too short if errors are skewed.
FEW_SAMPLES = 30


@dataclass(frozen=True)
class Correction:
    """The mean of the maps of a year over all fields that have one, as the maps and as the samples say."""

    year: int
    unit: str
    #: With values, of all maps together.
    area_ha: float
    fields: int
    fields_without_map: int
    #: That two fields share: it counts once for each.
    overlap_ha: float
    map_mean: float
    #: Measured − mapped, the mean over the area: what the correction adds.
    mean_error: float
    #: Mapped − measured, as in a model's accuracy: above 0 the map has too much.
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
    #: Outside of all maps, or where they have no value.
    samples_left_out: int
    strata: int
    collapsed_strata: int
    #: Whether the places are those of the folder's design.
    follows_design: bool
    #: Places of the design that were not sampled.
    unreachable: int
    #: Why the interval may not hold.
    warnings: tuple[Reason, ...]


def correct(
    folder: Folder,
    samples: Any,
    value: str,
    stratum: str | None,
    year: int | None,
    model: str | None = None,
) -> Correction:
    """From the files of the folder alone."""
    visit = observe(maps_of(folder, year, model), samples, value, stratum, read_design(folder))
    maps, error = visit.maps, mean_error(visit.strata)
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
        stock_t=stock_of(maps, mean, half),
        samples=len(visit.plots),
        samples_left_out=visit.left_out,
        strata=len(visit.names),
        collapsed_strata=error.collapsed_strata,
        follows_design=visit.design is not None,
        unreachable=visit.unreachable,
        warnings=tuple(visit.warnings),
    )


def stock_of(maps: RunMaps, mean: float, half: float) -> Stock | None:
    """On all the area, for this mean ± half-width."""
    tonnes = maps.tonnes_per_mean
    if tonnes is None:
        return None
    return Stock(mean * tonnes, (mean - half) * tonnes, (mean + half) * tonnes, "t", maps.substance)
