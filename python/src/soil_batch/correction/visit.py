"""Compares the samples of one visit with the maps, in the strata of a design, or in strata of fields."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ..errors import invalid_input
from ..extras import numpy, shapely
from ..results.tables import guard_formula
from ..schemas.totals import Reason
from .design import Design, FramedField, assign_strata, list_framed_fields
from .maps import Places, RunMaps, to_local_metres
from .mean_error import Stratum, join_first
from .randomness import warn_of_nonrandom_places
from .samples import Sample, parse_samples, require_measured

# If this share of 60 places is left out, and they differ from the others by half a standard deviation, 90 % intervals
# still contain the true mean in 88 % of cases.
_MOST_UNREACHABLE = 0.1
# A map is hardly ever wrong by this factor, but values in a mistaken unit are: g for kg, or a fraction for a percentage.
_OTHER_UNIT = 4
_NAMED = 5
# In robust standard deviations. Among lognormal errors with a log-sd of 0.6, about one in 100,000 lies farther from the median.
_FAR = 20
_FEWEST_COMPARED = 5
# The least spread, as a fraction of the median mapped value: without it, identical errors would have a spread of 0.
_LEAST_SPREAD = 0.01


@dataclass(frozen=True)
class Plot:
    stratum: int
    lon: float
    lat: float
    number: int | None
    #: Measured − mapped value.
    error: float


@dataclass(frozen=True)
class Visit:
    maps: RunMaps
    names: Sequence[str]
    areas_ha: Sequence[float]
    plots: Sequence[Plot]
    #: The design that the samples follow, if any.
    design: Design | None
    #: The number of samples that lie where no map has a value.
    left_out: int
    #: The number of places of the design that were not sampled, including skipped spare places.
    unreachable: int
    warnings: Sequence[Reason]

    @property
    def strata(self) -> list[Stratum]:
        errors: list[list[float]] = [[] for _ in self.names]
        for one in self.plots:
            errors[one.stratum].append(one.error)
        return [Stratum(*one) for one in zip(self.names, self.areas_ha, map(tuple, errors))]


def compare_samples(
    maps: RunMaps,
    table: Any,
    value: str,
    stratum: str | None,
    design: Design | None,
    first: RunMaps | None = None,
) -> Visit:
    """Compares samples with maps: by number if they follow the design, otherwise by position.

    :param design: the folder's design; it applies if the samples have its numbers
    :param first: the maps of an earlier visit to the same fields, in the same order; their strata apply
    """
    samples = parse_samples(table, value)
    if design is not None and any(one.number is not None for one in samples):
        if stratum not in (None, design.column):
            raise invalid_input(
                f"the samples have the numbers of a design, whose strata apply: omit the stratum {stratum!r}"
            )
        return _compare_by_design(maps, samples, design)
    require_measured(samples, value)
    return _compare_by_place(maps, samples, stratum, first or maps)


def _compare_by_place(
    maps: RunMaps, samples: Sequence[Sample], stratum: str | None, first: RunMaps
) -> Visit:
    np = numpy()
    names, of_map = assign_strata(first, first.stratum if stratum is None else stratum)
    measured = np.array([one.value for one in samples])
    lon, lat = np.array([one.place for one in samples]).T
    inside = _find_maps(maps, lon, lat)
    mapped = np.full(len(samples), np.nan)
    for index in np.unique(inside[inside >= 0]).tolist():
        in_map = inside == index
        mapped[in_map], _ = maps.read_cells(index).values_at(lon[in_map], lat[in_map])
    (used,) = np.nonzero(~np.isnan(mapped))
    if len(used) == 0:
        raise invalid_input(
            "no sample lies where a map has a value: check the coordinate columns and the CRS of the samples"
        )
    places = Places(inside, lon, lat, mapped, mapped).select(used)
    plots = [
        Plot(
            int(of_map[inside[at]]),
            lon[at],
            lat[at],
            samples[at].number,
            float(measured[at] - mapped[at]),
        )
        for at in used.tolist()
    ]
    areas = np.bincount(of_map, first.areas_ha, len(names))
    rows = [samples[at].row for at in used.tolist()]
    warnings = _warn_of_values(maps, rows, measured[used], mapped[used])
    warnings += warn_of_nonrandom_places(maps, of_map, places)
    return Visit(maps, names, areas.tolist(), plots, None, len(samples) - len(used), 0, warnings)


def _find_maps(maps: RunMaps, lon: Any, lat: Any) -> Any:
    """Returns, for each place, the index of the first map whose polygon contains it; −1 outside all polygons."""
    found = numpy().full(len(lon), -1)
    points = shapely().points(lon, lat)
    tree = shapely().STRtree([one.polygon for one in maps.maps])
    pairs = sorted(zip(*tree.query(points, predicate="within").tolist()), reverse=True)
    for place, at in pairs:
        found[place] = at
    return found


def _compare_by_design(maps: RunMaps, samples: Sequence[Sample], design: Design) -> Visit:
    np = numpy()
    maps_by_field = _match_design(maps, design)
    rows = _index_by_number(samples, design)
    places = {one.number: one for one in design.places}
    used = [number for number, one in rows.items() if one.value is not None]
    if not used:
        raise invalid_input("no sample of the design has a value")
    unreachable, tried = _require_order(rows, design)
    distances = _measure_distances(rows, used, design)
    cells = {
        field: maps.read_cells(maps_by_field[field])
        for field in {places[number].field for number in used}
    }
    plots, mapped = [], []
    for number in used:
        place, given = places[number], rows[number]
        at = given.place or (place.lon, place.lat)
        (here, planned), _ = cells[place.field].values_at([at[0], place.lon], [at[1], place.lat])
        far = distances[number] > design.cell_m
        # A place at the edge of its field may be sampled a step outside it.
        cell = planned if here != here and not far else here
        if cell != cell:
            raise invalid_input(
                f"sample {given.row} (number {number}) lies {_format_metres(distances[number])} from its planned place,"
                " at a position where the map of its field has no value: check the coordinate columns and the CRS"
            )
        assert given.value is not None
        mapped.append(float(cell))
        plots.append(Plot(place.stratum, *at, number, given.value - float(cell)))
    measured = np.array([rows[one].value for one in used])
    in_table = [rows[one].row for one in used]
    warnings = _warn_of_values(maps, in_table, measured, np.array(mapped))
    if unreachable > _MOST_UNREACHABLE * tried:
        warnings.append(
            Reason(
                "unreachable_places",
                f"Unreachable places: {unreachable} of {tried}. If their soil differs from that of the sampled places, the"
                " interval does not hold.",
            )
        )
    moved = {number: one for number, one in distances.items() if one > design.cell_m}
    if moved:
        named = [
            f"{number} by {_format_metres(one)}" for number, one in list(moved.items())[:_NAMED]
        ]
        more = f", and {len(moved) - _NAMED} more" if len(moved) > _NAMED else ""
        warnings.append(
            Reason(
                "moved_places",
                f"Places moved by more than the width of a cell are not random: {', '.join(named)}{more}.",
            )
        )
    names = [one.name for one in design.strata]
    areas = [one.area_ha for one in design.strata]
    return Visit(maps, names, areas, plots, design, 0, unreachable, warnings)


def _match_design(maps: RunMaps, design: Design) -> list[int]:
    return match_fields(
        maps,
        design.frame,
        "the run has changed since its design was drawn",
        "Use the run that the design was drawn for, or leave out the column 'number' to use the samples without the"
        " design",
    )


def match_fields(maps: RunMaps, wanted: Sequence[FramedField], what: str, remedy: str) -> list[int]:
    """Returns the index of the map of each wanted field.

    :raises InvalidRequest: unless the maps cover exactly these fields, with the same areas
    """
    now = list_framed_fields(maps)
    by_polygon = {one.polygon: at for at, one in enumerate(now)}
    polygons = {one.polygon for one in wanted}
    there = [(one, by_polygon.get(one.polygon)) for one in wanted]
    lost = [one.name for one, at in there if at is None]
    new = [one.name for one in now if one.polygon not in polygons]
    # Maps of other years have values on the same area, unless the model lacks data in parts of it.
    other = [
        one.name
        for one, at in there
        if at is not None
        and not math.isclose(one.predicted_area_ha, now[at].predicted_area_ha, rel_tol=1e-3)
    ]
    if len(now) != len(wanted) and not lost and not new:
        new = ["a field that occurs twice"]
    kinds = (("without a map", lost), ("added", new), ("predicted on a different area", other))
    changed = "; ".join(f"{why}: {join_first(ones, _NAMED)}" for why, ones in kinds if ones)
    if changed:
        raise invalid_input(f"{what} ({changed}). {remedy}")
    return [by_polygon[one.polygon] for one in wanted]


def _index_by_number(samples: Sequence[Sample], design: Design) -> dict[int, Sample]:
    rows: dict[int, Sample] = {}
    places = {one.number: one for one in design.places}
    for sample in samples:
        if sample.number is None:
            if sample.value is None and sample.place is None:
                continue
            raise invalid_input(
                f"sample {sample.row} has no number, but others have the numbers of the design"
            )
        place = places.get(sample.number)
        if place is None:
            raise invalid_input(
                f"sample {sample.row} has the number {sample.number}, but the design has the numbers 1 to {len(places)}"
            )
        if sample.number in rows:
            raise invalid_input(
                f"samples {rows[sample.number].row} and {sample.row} both have the number {sample.number}: give one value per place,"
                " the mean if it was sampled twice"
            )
        name = design.strata[place.stratum].name
        if sample.stratum is not None and sample.stratum not in (name, guard_formula(name)):
            raise invalid_input(
                f"sample {sample.row} (number {sample.number}) is in stratum {sample.stratum!r}, but the design has this number in {name!r}:"
                " check whether rows were mixed up or strata renamed"
            )
        rows[sample.number] = sample
    return rows


def _require_order(rows: Mapping[int, Sample], design: Design) -> tuple[int, int]:
    """Counts the places that were not sampled, and the places that were tried.

    :raises InvalidRequest: if a spare place was used, but an earlier one of its stratum has neither a value nor a reason
    """
    measured = {number for number, one in rows.items() if one.value is not None}
    chosen = [one for one in design.places if one.spare is None]
    missing = sum(one.number not in measured for one in chosen)
    tried = len(chosen)
    for at, stratum in enumerate(design.strata):
        spares = [one for one in design.places if one.stratum == at and one.spare is not None]
        taken = max((at for at, one in enumerate(spares, 1) if one.number in measured), default=0)
        skipped = [one for one in spares[:taken] if one.number not in measured]
        tried += taken
        missing += len(skipped)
        for one in skipped:
            row = rows.get(one.number)
            if row is None or row.unreachable is None:
                raise invalid_input(
                    f"stratum {stratum.name!r}: spare place {spares[taken - 1].number} has a value, but the earlier spare place"
                    f" {one.number} has neither a value nor a reason in the column 'unreachable': spare places are random only"
                    " if they are used in order"
                )
    return missing, tried


def _measure_distances(
    rows: Mapping[int, Sample], used: Sequence[int], design: Design
) -> dict[int, float]:
    """Returns the distance of each sample from its planned place in metres; 0 without coordinates.

    :raises InvalidRequest: if a sample lies at the place of another number, and that number's sample lies elsewhere
    """
    np = numpy()
    lon, lat = (np.array([getattr(one, name) for one in design.places]) for name in ("lon", "lat"))
    found = dict.fromkeys(used, 0.0)
    nearest: dict[int, int] = {}
    for number in used:
        place = rows[number].place
        if place is not None:
            away = np.hypot(*to_local_metres(lon, lat, place).T)
            found[number] = float(away[number - 1])
            if found[number] > design.cell_m >= away.min():
                nearest[number] = int(away.argmin()) + 1
    for number, other in nearest.items():
        if found.get(other, 0.0) > design.cell_m:
            raise invalid_input(
                f"sample {rows[number].row} has the number {number} but lies {_format_metres(found[number])} from the place"
                f" with that number, and at place {other}, whose own sample lies elsewhere: check whether numbers were mixed up"
            )
    return found


def _warn_of_values(maps: RunMaps, rows: Sequence[int], measured: Any, mapped: Any) -> list[Reason]:
    return _warn_of_unit(maps, measured, mapped) + _warn_of_outliers(rows, measured, mapped)


def _warn_of_outliers(rows: Sequence[int], measured: Any, mapped: Any) -> list[Reason]:
    """Finds outliers by the median absolute deviation, which few outliers hardly affect (Hampel 1974, JASA 69, 383–393)."""
    np = numpy()
    if len(rows) < _FEWEST_COMPARED:
        return []
    errors = measured - mapped
    away = abs(errors - np.median(errors))
    spread = max(1.4826 * float(np.median(away)), _LEAST_SPREAD * float(np.median(abs(mapped))))
    (far,) = np.nonzero(away > _FAR * spread)
    if len(far) == 0:
        return []
    named = [f"sample {rows[at]} is {measured[at]:.6g}, the map {mapped[at]:.3g}" for at in far]
    return [
        Reason(
            "far_values",
            f"Some values are far from the map, unlike the others: {join_first(named, _NAMED, '; ')}. Replace codes for"
            " missing values with empty cells, correct typing errors, and keep correct values.",
        )
    ]


def _warn_of_unit(maps: RunMaps, measured: Any, mapped: Any) -> list[Reason]:
    ratios = [a / b for a, b in zip(measured.tolist(), mapped.tolist()) if a > 0 and b > 0]
    ratio = median(ratios) if ratios else 1.0
    if 1 / _OTHER_UNIT < ratio < _OTHER_UNIT:
        return []
    return [
        Reason(
            "other_unit",
            f"The measured values are {ratio:.3g} times those of the map (median): check that they are in {maps.unit} and from the same depth.",
        )
    ]


def _format_metres(metres: float) -> str:
    return f"{metres / 1000:,.1f} km" if metres >= 1000 else f"{metres:.0f} m"
