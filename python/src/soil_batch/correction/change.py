"""Measures a change: compares the samples of each of two visits with that visit's maps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, variance
from typing import Any

from ..errors import invalid_input
from ..extras import numpy, shapely
from ..folder import Folder
from ..schemas.jobs import Stock
from ..schemas.totals import Reason
from .correct_run import scale_to_stock
from .design import list_framed_fields, read_design
from .maps import RunMaps, read_run_maps, require_comparable_maps, to_local_metres
from .mean_error import LEVEL, MeanError, combine_variances, join_first
from .samples import Sample, parse_samples
from .visit import Plot, Visit, compare_samples, match_fields

# Two readings of a handheld GPS receiver at one place may differ by this much.
_SAME_PLOT_M = 10.0


@dataclass(frozen=True)
class Change:
    """The mean after − the mean before, over all fields. Both runs must have values on the same area of each field."""

    year_before: int
    year_after: int
    unit: str
    #: Top and bottom of the layer; None if the model names none.
    depth_cm: tuple[float, ...] | None
    area_ha: float
    fields: int
    #: The number of fields without a map in the run of the first visit.
    fields_without_map: int
    #: Area that two fields share: it counts once for each field.
    overlap_ha: float
    #: The difference between the means of the maps, which is not a measured change.
    map_change: float
    change: float
    lower: float
    upper: float
    level: float
    standard_error: float
    degrees_of_freedom: float
    #: In tonnes; None if the maps have no stock.
    stock_t: Stock | None
    samples_before: int
    samples_after: int
    #: The number of samples of both visits that lie where no map has a value.
    samples_left_out: int
    #: The number of plots that were visited twice, in strata with at least two such plots.
    plots_paired: int
    strata: int
    strata_paired: int
    follows_design: bool
    warnings: tuple[Reason, ...]


def measure_change(
    folder: Folder,
    before: Any,
    after: Any,
    value: str,
    *,
    stratum: str | None = None,
    year: int | None = None,
    model: str | None = None,
    after_folder: Folder | None = None,
    after_year: int | None = None,
) -> Change:
    first = read_run_maps(folder, year, model)
    other_year = after_year if after_folder is not None or after_year is not None else first.year
    later = after_folder or folder
    other_model = model if model in later.require_run().models else None
    second = _align_maps(read_run_maps(later, other_year, other_model), first)
    depth = require_comparable_maps(first, second)
    if second.year < first.year:
        raise invalid_input(
            f"the maps of the second visit are for {second.year}, but those of the first are for {first.year}:"
            " exchange the visits"
        )
    design = read_design(folder)
    visits = [
        compare_samples(maps, table, value, stratum, design, first)
        for maps, table in ((first, before), (second, after))
    ]
    if (visits[0].design is None) != (visits[1].design is None):
        raise invalid_input(
            "the samples of one visit have the numbers of the design, and those of the other do not: give both visits"
            " the column 'number', or neither"
        )
    _require_different_samples(*(parse_samples(table, value) for table in (before, after)))
    error, pairs = estimate_mean_change(*visits)
    changed = second.mean - first.mean + error.value
    half = error.half_width(LEVEL)
    return Change(
        year_before=first.year,
        year_after=second.year,
        unit=first.unit,
        depth_cm=depth,
        area_ha=first.area_ha,
        fields=len(first.maps),
        fields_without_map=first.fields_without_map,
        overlap_ha=first.overlap_ha,
        map_change=second.mean - first.mean,
        change=changed,
        lower=changed - half,
        upper=changed + half,
        level=LEVEL,
        standard_error=error.standard_error,
        degrees_of_freedom=error.degrees_of_freedom,
        stock_t=scale_to_stock(first, changed, half),
        samples_before=len(visits[0].plots),
        samples_after=len(visits[1].plots),
        samples_left_out=sum(one.left_out for one in visits),
        plots_paired=sum(map(len, pairs.values())),
        strata=len(visits[0].names),
        strata_paired=len(pairs),
        follows_design=visits[0].design is not None,
        warnings=tuple(
            Reason(one.code, f"{when} visit: {one.message}")
            for when, visit in zip(("First", "Second"), visits)
            for one in visit.warnings
        ),
    )


def _require_different_samples(before: Sequence[Sample], after: Sequence[Sample]) -> None:
    """Rejects identical samples: two visits would hardly measure the same values to the last digit."""
    if [(one.number, one.place, one.value) for one in before] == [
        (one.number, one.place, one.value) for one in after
    ]:
        raise invalid_input(
            "the samples of both visits are identical: give a separate table for each visit, with that visit's values"
        )


def _align_maps(second: RunMaps, first: RunMaps) -> RunMaps:
    order = match_fields(
        second,
        list_framed_fields(first),
        "both visits must cover the same fields, but their maps differ",
        "For the second visit, predict the file of the first visit again",
    )
    return replace(second, maps=[second.maps[at] for at in order])


def estimate_mean_change(
    before: Visit, after: Visit
) -> tuple[MeanError, Mapping[int, Sequence[float]]]:
    """Estimates the mean change in the errors, second − first.

    In a stratum with at least two plots that were visited twice, only the differences at these plots count: the variance of
    differences needs no assumption about the correlation between visits. In other strata, the visits count as independent
    samples (Cochran 1977, section 12.10; de Gruijter et al. 2006, section 15.3).

    :returns: the mean change, and the differences of each stratum with at least two such plots
    """
    differences: dict[int, list[float]] = {}
    for one, other in _pair_plots(before, after):
        if one.stratum == other.stratum:
            differences.setdefault(one.stratum, []).append(other.error - one.error)
    pairs = {stratum: ones for stratum, ones in differences.items() if len(ones) > 1}
    area = math.fsum(before.areas_ha)
    means, parts, unknown = [], [], []
    for at, (first, second) in enumerate(zip(before.strata, after.strata)):
        weight = first.area_ha / area
        samples = [pairs[at]] if at in pairs else [second.errors, first.errors]
        if any(len(one) < 2 for one in samples):
            unknown.append(first.name)
            continue
        means.append(weight * (fmean(samples[0]) - sum(map(fmean, samples[1:]))))
        parts += [(weight**2 * variance(one) / len(one), len(one) - 1) for one in samples]
    if unknown:
        raise invalid_input(
            "each stratum needs 2 plots that were visited twice, or 2 samples per visit. There are too few in"
            f" {len(unknown)} of {len(before.names)} strata ({join_first(unknown)}): take more samples there, or group the"
            " fields into fewer strata by one of their columns"
        )
    return combine_variances(math.fsum(means), parts), pairs


def _pair_plots(before: Visit, after: Visit) -> list[tuple[Plot, Plot]]:
    """Pairs plots by number if every plot has one, otherwise by position."""
    plots = (*before.plots, *after.plots)
    if all(one.number is not None for one in plots):
        return _pair_by_number(before, after)
    first, second = before.plots, after.plots
    around = (first[0].lon, first[0].lat)
    first_points, second_points = (
        shapely().points(
            to_local_metres([one.lon for one in some], [one.lat for one in some], around)
        )
        for some in (first, second)
    )
    near = (
        shapely()
        .STRtree(first_points)
        .query(second_points, predicate="dwithin", distance=_SAME_PLOT_M)
        .T
    )
    apart = shapely().distance(first_points[near[:, 1]], second_points[near[:, 0]])
    taken: set[tuple[int, int]] = set()
    found = []
    for at in numpy().argsort(apart).tolist():
        other, one = near[at].tolist()
        if not {(0, one), (1, other)} & taken:
            taken |= {(0, one), (1, other)}
            found.append((first[one], second[other]))
    return found


def _pair_by_number(before: Visit, after: Visit) -> list[tuple[Plot, Plot]]:
    for visit in (before, after):
        numbers = sorted(one.number or 0 for one in visit.plots)
        twice = next((one for one, other in pairwise(numbers) if one == other), None)
        if twice is not None:
            raise invalid_input(
                f"one visit has two samples with the number {twice}: give one sample per plot and visit"
            )
    first = {one.number: one for one in before.plots}
    found = [(first[one.number], one) for one in after.plots if one.number in first]
    if before.design is not None:
        return found
    cell = before.maps.read_cells(0).edge_m
    for one, other in found:
        apart = math.hypot(
            *to_local_metres([other.lon], [other.lat], (one.lon, one.lat))[0].tolist()
        )
        if apart > max(cell, _SAME_PLOT_M):
            raise invalid_input(
                f"the plots with the number {one.number} lie {apart:.0f} m apart: number plots consistently,"
                " or leave the numbers out"
            )
    return found
