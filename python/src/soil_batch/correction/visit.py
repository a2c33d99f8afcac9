"""Samples of one visit to the field, compared with the maps: in a design's strata, or in those of the fields."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ..errors import invalid_input
from ..extras import numpy, shapely
from ..results.tables import guarded
from ..schemas.totals import Reason
from .design import Design, FramedField, framed, stratum_of_maps
from .maps import Places, RunMaps, metres_of
from .mean_error import Stratum, first_names
from .randomness import randomness_warnings
from .samples import Sample, require_measured, samples_of

# Among 60 places, this many that differ by half a standard deviation still leave a coverage of 0.88.
_MOST_UNREACHABLE = 0.1
# No map is wrong by this factor, but kg for g, or a fraction for a percentage, is.
_OTHER_UNIT = 4
_NAMED = 5
# Robust standard deviations: of skewed errors, whose logarithms have a standard deviation of 0.6, one in 100,000 is so far.
_FAR = 20
_FEWEST_COMPARED = 5
# Of the mapped value: errors that are all alike have no spread.
_LEAST_SPREAD = 0.01


@dataclass(frozen=True)
class Plot:
    """A place that was sampled."""

    #: By its index.
    stratum: int
    lon: float
    lat: float
    number: int | None
    #: Measured − mapped.
    error: float


@dataclass(frozen=True)
class Visit:
    maps: RunMaps
    names: Sequence[str]
    areas_ha: Sequence[float]
    plots: Sequence[Plot]
    #: None without a design.
    design: Design | None
    #: Outside of all maps, or where they have no value.
    left_out: int
    unreachable: int
    warnings: Sequence[Reason]

    @property
    def strata(self) -> list[Stratum]:
        errors: list[list[float]] = [[] for _ in self.names]
        for one in self.plots:
            errors[one.stratum].append(one.error)
        return [Stratum(*one) for one in zip(self.names, self.areas_ha, map(tuple, errors))]


def observe(
    maps: RunMaps,
    table: Any,
    value: str,
    stratum: str | None,
    design: Design | None,
    first: RunMaps | None = None,
) -> Visit:
    """
    :param design: that of the folder, which holds if the samples have its numbers
    :param first: the maps of an earlier visit to the same fields, in their order, whose strata hold
    """
    samples = samples_of(table, value)
    if design is not None and any(one.number is not None for one in samples):
        if stratum not in (None, design.column):
            raise invalid_input(
                f"the samples have the numbers of a design, whose strata apply: do not also give the strata of {stratum!r}"
            )
        return _observe_design(maps, samples, design)
    require_measured(samples, value)
    return _observe_places(maps, samples, stratum, first or maps)


def _observe_places(
    maps: RunMaps, samples: Sequence[Sample], stratum: str | None, first: RunMaps
) -> Visit:
    np = numpy()
    names, of_map = stratum_of_maps(first, first.stratum if stratum is None else stratum)
    measured = np.array([one.value for one in samples])
    lon, lat = np.array([one.place for one in samples]).T
    inside = _map_of_places(maps, lon, lat)
    mapped = np.full(len(samples), np.nan)
    for at in np.unique(inside[inside >= 0]).tolist():
        own = inside == at
        mapped[own], _ = maps.cells_of(at).at(lon[own], lat[own])
    (used,) = np.nonzero(~np.isnan(mapped))
    if len(used) == 0:
        raise invalid_input("no sample lies in a map: check its columns and reference system")
    places = Places(inside, lon, lat, mapped, mapped).at(used)
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
    warnings = _value_warnings(maps, rows, measured[used], mapped[used])
    warnings += randomness_warnings(maps, of_map, places)
    return Visit(maps, names, areas.tolist(), plots, None, len(samples) - len(used), 0, warnings)


def _map_of_places(maps: RunMaps, lon: Any, lat: Any) -> Any:
    """The first map whose polygon has each place; −1 for none."""
    found = numpy().full(len(lon), -1)
    points = shapely().points(lon, lat)
    tree = shapely().STRtree([one.polygon for one in maps.maps])
    pairs = sorted(zip(*tree.query(points, predicate="within").tolist()), reverse=True)
    for place, at in pairs:
        found[place] = at
    return found


def _observe_design(maps: RunMaps, samples: Sequence[Sample], design: Design) -> Visit:
    np = numpy()
    maps_by_field = _maps_of_frame(maps, design)
    rows = _by_number(samples, design)
    places = {one.number: one for one in design.places}
    used = [number for number, one in rows.items() if one.value is not None]
    if not used:
        raise invalid_input("no sample of the design has a value")
    unreachable, tried = _require_order(rows, design)
    distances = _distances(rows, used, design)
    cells = {
        field: maps.cells_of(maps_by_field[field]) for field in {places[one].field for one in used}
    }
    plots, mapped = [], []
    for number in used:
        place, given = places[number], rows[number]
        at = given.place or (place.lon, place.lat)
        (here, planned), _ = cells[place.field].at([at[0], place.lon], [at[1], place.lat])
        far = distances[number] > design.cell_m
        # A place at the edge of its field may be measured a step outside.
        cell = planned if here != here and not far else here
        if cell != cell:
            raise invalid_input(
                f"sample {given.row} (number {number}) lies {_metres_text(distances[number])} from its planned place,"
                " where the map of its field has no value: check the columns and the reference system"
            )
        assert given.value is not None
        mapped.append(float(cell))
        plots.append(Plot(place.stratum, *at, number, given.value - float(cell)))
    measured = np.array([rows[one].value for one in used])
    in_table = [rows[one].row for one in used]
    warnings = _value_warnings(maps, in_table, measured, np.array(mapped))
    if unreachable > _MOST_UNREACHABLE * tried:
        warnings.append(
            Reason(
                "unreachable_places",
                f"{unreachable} of {tried} places were not sampled: if their soil differs from that of the others, the"
                " interval does not hold.",
            )
        )
    moved = {number: one for number, one in distances.items() if one > design.cell_m}
    if moved:
        named = [f"{number} by {_metres_text(one)}" for number, one in list(moved.items())[:_NAMED]]
        more = f", and {len(moved) - _NAMED} more" if len(moved) > _NAMED else ""
        warnings.append(
            Reason(
                "moved_places",
                f"Places that were moved by more than a cell are not random: {', '.join(named)}{more}.",
            )
        )
    names = [one.name for one in design.strata]
    areas = [one.area_ha for one in design.strata]
    return Visit(maps, names, areas, plots, design, 0, unreachable, warnings)


def _maps_of_frame(maps: RunMaps, design: Design) -> list[int]:
    return match_fields(
        maps,
        design.frame,
        "the run has changed since its design was drawn",
        "Correct the run that the design was drawn for, or leave out the column number: the places are then tested"
        " without a design",
    )


def match_fields(maps: RunMaps, wanted: Sequence[FramedField], what: str, remedy: str) -> list[int]:
    """The map of each wanted field.

    :raises InvalidRequest: unless the maps are of exactly these fields, with the same areas
    """
    now = framed(maps)
    by_polygon = {one.polygon: at for at, one in enumerate(now)}
    polygons = {one.polygon for one in wanted}
    there = [(one, by_polygon.get(one.polygon)) for one in wanted]
    lost = [one.name for one, at in there if at is None]
    new = [one.name for one in now if one.polygon not in polygons]
    # Areas with values are the same for maps of other years, unless the model has no data there.
    other = [
        one.name
        for one, at in there
        if at is not None
        and not math.isclose(one.predicted_area_ha, now[at].predicted_area_ha, rel_tol=1e-3)
    ]
    if len(now) != len(wanted) and not lost and not new:
        new = ["a field that occurs twice"]
    kinds = (("without a map", lost), ("added", new), ("with a different area of values", other))
    changed = "; ".join(f"{why}: {first_names(ones, _NAMED)}" for why, ones in kinds if ones)
    if changed:
        raise invalid_input(f"{what} ({changed}). {remedy}")
    return [by_polygon[one.polygon] for one in wanted]


def _by_number(samples: Sequence[Sample], design: Design) -> dict[int, Sample]:
    rows: dict[int, Sample] = {}
    places = {one.number: one for one in design.places}
    for one in samples:
        if one.number is None:
            if one.value is None and one.place is None:
                continue
            raise invalid_input(
                f"sample {one.row} has no number, although others have the numbers of the design"
            )
        place = places.get(one.number)
        if place is None:
            raise invalid_input(
                f"sample {one.row} has the number {one.number}; the design has 1 to {len(places)}"
            )
        if one.number in rows:
            raise invalid_input(
                f"samples {rows[one.number].row} and {one.row} have the number {one.number}: each place has one value,"
                " the mean if it was sampled twice"
            )
        name = design.strata[place.stratum].name
        if one.stratum is not None and one.stratum not in (name, guarded(name)):
            raise invalid_input(
                f"sample {one.row} (number {one.number}) is in stratum {one.stratum!r}, but in the design in {name!r}:"
                " check whether rows were mixed up or strata renamed"
            )
        rows[one.number] = one
    return rows


def _require_order(rows: Mapping[int, Sample], design: Design) -> tuple[int, int]:
    """How many places could not be sampled, of how many that were tried.

    :raises InvalidRequest: if a spare place was taken before another one of its stratum
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
                    f"stratum {stratum.name!r}: spare place {spares[taken - 1].number} has a value, and {one.number}, which comes"
                    " before it, has neither a value nor a reason in the column unreachable: spare places are random only"
                    " in their order"
                )
    return missing, tried


def _distances(rows: Mapping[int, Sample], used: Sequence[int], design: Design) -> dict[int, float]:
    """Metres from where each place was planned; 0 without coordinates.

    :raises InvalidRequest: if a sample lies at the place of another number, whose sample lies elsewhere
    """
    np = numpy()
    lon, lat = (np.array([getattr(one, name) for one in design.places]) for name in ("lon", "lat"))
    found = dict.fromkeys(used, 0.0)
    nearest: dict[int, int] = {}
    for number in used:
        place = rows[number].place
        if place is not None:
            # Metres are true around the sample.
            away = np.hypot(*metres_of(lon, lat, place).T)
            found[number] = float(away[number - 1])
            if found[number] > design.cell_m >= away.min():
                nearest[number] = int(away.argmin()) + 1
    for number, other in nearest.items():
        if found.get(other, 0.0) > design.cell_m:
            raise invalid_input(
                f"sample {rows[number].row} has the number {number}, and lies {_metres_text(found[number])} from its"
                f" place, at that of number {other}, whose sample lies elsewhere: check whether numbers were mixed up"
            )
    return found


def _value_warnings(maps: RunMaps, rows: Sequence[int], measured: Any, mapped: Any) -> list[Reason]:
    """Of another unit, or of values that are codes or mistyped."""
    return _unit_warnings(maps, measured, mapped) + _far_warnings(rows, measured, mapped)


def _far_warnings(rows: Sequence[int], measured: Any, mapped: Any) -> list[Reason]:
    """By the median absolute deviation, which such values do not change (Hampel 1974, JASA 69, 383–393)."""
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
            f"Values lie very far from the map, unlike the others: {first_names(named, _NAMED, '; ')}. Leave codes for missing values"
            " empty, correct what was mistyped, and keep what is right.",
        )
    ]


def _unit_warnings(maps: RunMaps, measured: Any, mapped: Any) -> list[Reason]:
    ratios = [a / b for a, b in zip(measured.tolist(), mapped.tolist()) if a > 0 and b > 0]
    ratio = median(ratios) if ratios else 1.0
    if 1 / _OTHER_UNIT < ratio < _OTHER_UNIT:
        return []
    return [
        Reason(
            "other_unit",
            f"The samples are {ratio:.3g} times the map (median): check that they are in {maps.unit}, and from the same depth.",
        )
    ]


def _metres_text(metres: float) -> str:
    return f"{metres / 1000:,.1f} km" if metres >= 1000 else f"{metres:.0f} m"
