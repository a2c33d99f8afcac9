"""A change that was measured: the samples of two visits, each compared with its own maps."""

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
from .design import framed, read_design
from .maps import RunMaps, maps_of, metres_of, require_alike
from .mean_error import LEVEL, MeanError, combined_error, first_names
from .of_run import stock_of
from .samples import Sample, samples_of
from .visit import Plot, Visit, match_fields, observe

# Two readings of a handheld receiver at one place may differ by this much.
_SAME_PLOT_M = 10.0


@dataclass(frozen=True)
class Change:
    """After − before, the mean over the area with values of all fields."""

    year_before: int
    year_after: int
    unit: str
    #: Top and bottom of the layer; None if the model names none.
    depth_cm: tuple[float, ...] | None
    area_ha: float
    fields: int
    #: In the run of the first visit.
    fields_without_map: int
    #: That two fields share: it counts once for each.
    overlap_ha: float
    #: Of the maps alone, which is not measured.
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
    #: Of both visits, outside of all maps, or where they have no value.
    samples_left_out: int
    #: Plots that were visited twice, in strata with at least two of them.
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
    """From the files of the folders alone.

    :param after_folder: the run whose maps the samples of the second visit are compared with; by default the same
    """
    first = maps_of(folder, year, model)
    other_year = after_year if after_folder is not None or after_year is not None else first.year
    later = after_folder or folder
    other_model = model if model in later.require_run().models else None
    second = _same_fields(maps_of(later, other_year, other_model), first)
    depth = require_alike(first, second)
    if second.year < first.year:
        raise invalid_input(
            f"the maps of the second visit are of {second.year}, and those of the first of {first.year}: exchange"
            " the visits"
        )
    design = read_design(folder)
    visits = [
        observe(maps, table, value, stratum, design, first)
        for maps, table in ((first, before), (second, after))
    ]
    if (visits[0].design is None) != (visits[1].design is None):
        raise invalid_input(
            "the samples of one visit have the numbers of the design, and those of the other do not: give both, or"
            " leave the column number out of both"
        )
    _require_other_samples(*(samples_of(table, value) for table in (before, after)))
    error, pairs = mean_change(*visits)
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
        stock_t=stock_of(first, changed, half),
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


def _require_other_samples(before: Sequence[Sample], after: Sequence[Sample]) -> None:
    """Two visits measure no number of plots to the last digit alike."""
    if [(one.number, one.place, one.value) for one in before] == [
        (one.number, one.place, one.value) for one in after
    ]:
        raise invalid_input(
            "the samples of both visits are the same: name the table of each, and the column of its values"
        )


def _same_fields(second: RunMaps, first: RunMaps) -> RunMaps:
    """The second maps in the order of the first."""
    order = match_fields(
        second,
        framed(first),
        "both visits must be to the same fields, but their maps differ",
        "Predict the file of the first visit again for the second",
    )
    return replace(second, maps=[second.maps[at] for at in order])


def mean_change(before: Visit, after: Visit) -> tuple[MeanError, Mapping[int, Sequence[float]]]:
    """
    Of the errors, second − first, and the differences of the strata that have pairs. Where at least two plots of a
    stratum were visited twice, the differences of these alone count, whose variance needs no correlation between
    visits; elsewhere the visits are independent samples (Cochran 1977, section 12.10; de Gruijter et al. 2006,
    section 15.3).
    """
    differences: dict[int, list[float]] = {}
    for one, other in _visited_twice(before, after):
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
            f"{len(unknown)} of {len(before.names)} strata ({first_names(unknown)}) have neither 2 plots that were visited"
            " twice nor 2 samples of each visit: sample them, or group the fields into fewer strata by one of their columns"
        )
    return combined_error(math.fsum(means), parts), pairs


def _visited_twice(before: Visit, after: Visit) -> list[tuple[Plot, Plot]]:
    """By the numbers of the design, or of the plots if each has one; else by their places."""
    plots = (*before.plots, *after.plots)
    if all(one.number is not None for one in plots):
        return _by_number(before, after)
    first, second = before.plots, after.plots
    around = (first[0].lon, first[0].lat)
    ones, others = (
        shapely().points(metres_of([one.lon for one in some], [one.lat for one in some], around))
        for some in (first, second)
    )
    near = shapely().STRtree(ones).query(others, predicate="dwithin", distance=_SAME_PLOT_M).T
    apart = shapely().distance(ones[near[:, 1]], others[near[:, 0]])
    taken: set[tuple[int, int]] = set()
    found = []
    for at in numpy().argsort(apart).tolist():
        other, one = near[at].tolist()
        if not {(0, one), (1, other)} & taken:
            taken |= {(0, one), (1, other)}
            found.append((first[one], second[other]))
    return found


def _by_number(before: Visit, after: Visit) -> list[tuple[Plot, Plot]]:
    for visit in (before, after):
        numbers = sorted(one.number or 0 for one in visit.plots)
        twice = next((one for one, other in pairwise(numbers) if one == other), None)
        if twice is not None:
            raise invalid_input(f"a visit has two samples with the number {twice}")
    first = {one.number: one for one in before.plots}
    found = [(first[one.number], one) for one in after.plots if one.number in first]
    if before.design is not None:
        return found
    cell = before.maps.cells_of(0).metres
    for one, other in found:
        apart = math.hypot(*metres_of([other.lon], [other.lat], (one.lon, one.lat))[0].tolist())
        if apart > max(cell, _SAME_PLOT_M):
            raise invalid_input(
                f"the plots with the number {one.number} lie {apart:.0f} m from each other: number plots consistently,"
                " or leave the numbers out"
            )
    return found
