"""Prepares the map of the fields for its template: coloured by value, with names where they fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from .colours import Scale
from .fields import Field
from .numbers import plain_text

_WIDTH, _MARGIN = 520, 14
_TALLEST = 0.85
METRES_PER_DEGREE = 111_320
# The least extent of the map, so that a single small field is not enlarged further.
_LEAST_METRES = 50.0
_LABEL_CHARACTERS, LABEL_SIZE = 24, 13
# With more names than this, only large fields show theirs: all names would hide the map.
_MOST_LABELS = 30
# Smaller fields are drawn as dots.
_LEAST_PIXELS = 4.0

Bounds = tuple[float, float, float, float]
Place = tuple[float, float]


@dataclass(frozen=True)
class DrawnField:
    field: Field
    #: The fill colour; None for a field without a result.
    colour: str | None
    #: SVG path data; None for a field that is drawn as a dot.
    path: str | None
    middle: Place


@dataclass(frozen=True)
class FieldsMap:
    width: int
    height: int
    fields: Sequence[DrawnField]
    labels: Sequence[tuple[float, float, str]]
    #: The scale bar: its length in pixels, and its label.
    bar: tuple[float, str]
    #: The number of fields without a result that are not drawn, because they lie far from the others.
    far: int


def prepare_fields_map(fields: Sequence[Field], scale: Scale) -> FieldsMap | None:
    """Returns None if no outline can be drawn."""
    outlined = [(one, rings) for one in fields if any(rings := _rings(one.polygon))]
    bounds = [_bounds(rings) for _, rings in outlined]
    if not outlined:
        return None
    near = _find_near_fields([one.summary is not None for one, _ in outlined], bounds)
    frame = _Frame(_enclose(one for one, is_near in zip(bounds, near) if is_near))
    drawn = []
    for (field, rings), is_near in zip(outlined, near):
        if is_near:
            colour = None if field.summary is None else scale.colour(field.summary.mean)
            drawn.append(
                _draw_field(field, colour, [[frame.place(*one) for one in r] for r in rings])
            )
    # Fields without a value are drawn first: their polygons may be broken and must not cover other fields.
    drawn.sort(key=lambda one: one[0].colour is not None)
    return FieldsMap(
        _WIDTH,
        frame.height,
        [one for one, _ in drawn],
        _place_labels(drawn),
        _scale_bar(frame.metres_per_pixel),
        near.count(False),
    )


def _rings(polygon: Any) -> list[list[Place]]:
    """Returns the rings without values that are not positions: polygons of failed jobs may be malformed."""
    if not isinstance(polygon, dict):
        return []
    coordinates = polygon.get("coordinates")
    polygons = coordinates if polygon.get("type") == "MultiPolygon" else [coordinates]
    rings = [
        [(place[0], place[1]) for place in _list_or_empty(ring) if _is_place(place)]
        for one in _list_or_empty(polygons)
        for ring in _list_or_empty(one)
    ]
    return [ring for ring in rings if ring]


def _list_or_empty(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else []


def _is_place(value: Any) -> bool:
    return [isinstance(one, (int, float)) for one in _list_or_empty(value)[:2]] == [True, True]


def _bounds(rings: Iterable[Sequence[Place]]) -> Bounds:
    xs, ys = zip(*(place for ring in rings for place in ring))
    return min(xs), min(ys), max(xs), max(ys)


def _enclose(ones: Iterable[Bounds]) -> Bounds:
    west, south, east, north = zip(*ones)
    return min(west), min(south), max(east), max(north)


def _find_near_fields(has_value: Sequence[bool], bounds: Sequence[Bounds]) -> list[bool]:
    """Finds the fields to draw. A far field that failed, often because of its position, would shrink all others."""
    if not any(has_value):
        return [True] * len(bounds)
    west, south, east, north = _enclose(one for one, is_known in zip(bounds, has_value) if is_known)
    reach = max(east - west, north - south) / 2
    return [
        is_known
        or (w > west - reach and e < east + reach and s > south - reach and n < north + reach)
        for (w, s, e, n), is_known in zip(bounds, has_value)
    ]


class _Frame:
    """Converts longitude and latitude to pixels from the upper left, with true proportions at the middle latitude."""

    def __init__(self, bounds: Bounds) -> None:
        west, south, east, north = bounds
        self._lon, self._lat = (west + east) / 2, (south + north) / 2
        self._across = METRES_PER_DEGREE * math.cos(math.radians(self._lat))
        width = _WIDTH - 2 * _MARGIN
        wide = max((east - west) * self._across, _LEAST_METRES)
        tall = max((north - south) * METRES_PER_DEGREE, _LEAST_METRES)
        self.metres_per_pixel = max(wide / width, tall / (width * _TALLEST))
        self.height = math.ceil(max(tall / self.metres_per_pixel, width / 4)) + 2 * _MARGIN

    def place(self, lon: float, lat: float) -> Place:
        x = _WIDTH / 2 + (lon - self._lon) * self._across / self.metres_per_pixel
        y = self.height / 2 - (lat - self._lat) * METRES_PER_DEGREE / self.metres_per_pixel
        return round(x, 1), round(y, 1)


def _draw_field(
    field: Field, colour: str | None, rings: Sequence[Sequence[Place]]
) -> tuple[DrawnField, Bounds]:
    left, top, right, bottom = bounds = _bounds(rings)
    path = None
    if max(right - left, bottom - top) >= _LEAST_PIXELS:
        # Consecutive corners at the same tenth of a pixel are drawn once.
        path = "".join(
            f"M{'L'.join(f'{x:g} {y:g}' for (x, y), _ in groupby(ring))}Z" for ring in rings
        )
    middle = (round((left + right) / 2, 1), round((top + bottom) / 2, 1))
    return DrawnField(field, colour, path, middle), bounds


def _place_labels(drawn: Sequence[tuple[DrawnField, Bounds]]) -> list[tuple[float, float, str]]:
    """Places names in the middle of their fields, largest fields first, and omits names that would overlap another."""
    placed: list[tuple[float, float, float]] = []
    labels = []

    def pixel_area(one: tuple[DrawnField, Bounds]) -> float:
        left, top, right, bottom = one[1]
        return (right - left) * (bottom - top)

    for one, (left, _, right, _) in sorted(drawn, key=pixel_area, reverse=True):
        text = plain_text(one.field.name, _LABEL_CHARACTERS)
        half = len(text) * LABEL_SIZE / 3.4
        x, y = one.middle
        if len(drawn) > _MOST_LABELS and 2 * half > right - left:
            continue
        if any(abs(a - x) < h + half and abs(b - y) < LABEL_SIZE + 2 for a, b, h in placed):
            continue
        placed.append((x, y, half))
        inside = min(max(x, half), _WIDTH - half)
        labels.append((round(inside, 1), round(y + LABEL_SIZE / 3, 1), text))
    return labels


def _scale_bar(metres_per_pixel: float) -> tuple[float, str]:
    """Chooses a scale bar with a round length (1, 2 or 5 × 10ⁿ metres)."""
    longest = _WIDTH / 3 * metres_per_pixel
    power = 10.0 ** math.floor(math.log10(longest))
    metres = next((one * power for one in (5, 2, 1) if one * power <= longest), power)
    text = f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m"
    return round(metres / metres_per_pixel, 1), text
