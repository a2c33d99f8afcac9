"""Extracts polygons from GeoJSON geometries. Nothing is repaired: the service validates rings and positions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_LEFT_OUT = {
    "Point": "point",
    "MultiPoint": "point",
    "LineString": "line",
    "MultiLineString": "line",
    "GeometryCollection": "collection",
}
_RING_POSITIONS = 4


@dataclass(frozen=True)
class Area:
    #: Polygon or MultiPolygon; None for a geometry that is empty or not an area.
    geometry: Any
    #: What the geometry is if it is not an area: point, line, closed_line, collection or other.
    left_out: str | None = None
    #: A subset of heights, parts_ignored and not_finite.
    remarks: frozenset[str] = frozenset()


def area_of(given: Any, *, keep_heights: bool = False) -> Area:
    """Collects the polygons of a geometry, also from nested collections. Coordinates that are not finite become null."""
    if given is None:
        return Area(None)
    polygons: list[Any] = []
    others: list[str] = []
    for part in _iterate_parts(given):
        kind, coordinates = part.get("type"), part.get("coordinates")
        if kind == "Polygon":
            polygons += [coordinates] if coordinates else []
        elif kind == "MultiPolygon":
            polygons += coordinates if isinstance(coordinates, (list, tuple)) else [coordinates]
        else:
            others.append(_classify(kind, coordinates))
    if not polygons:
        whole = others[0] if len(set(others)) == 1 else "collection"
        return Area(None, whole if others else None)
    found = {"parts_ignored"} if others else set()
    single = len(polygons) == 1 and given["type"] != "MultiPolygon"
    coordinates = _clean_coordinates(polygons[0] if single else polygons, keep_heights, found)
    kind = "Polygon" if single else "MultiPolygon"
    return Area({"type": kind, "coordinates": coordinates}, None, frozenset(found))


def _iterate_parts(given: Any) -> Iterator[dict[str, Any]]:
    """Yields the geometries within collections. Input that is not a geometry yields an empty dict."""
    if not hasattr(given, "get"):
        yield {}
    elif given.get("type") == "GeometryCollection":
        parts = given.get("geometries")
        for part in parts if isinstance(parts, (list, tuple)) else [{}]:
            yield from _iterate_parts(part)
    else:
        yield given


def _classify(kind: Any, coordinates: Any) -> str:
    is_line = kind == "LineString" and isinstance(coordinates, (list, tuple))
    if is_line and len(coordinates) >= _RING_POSITIONS and coordinates[0] == coordinates[-1]:
        return "closed_line"
    return _LEFT_OUT.get(kind, "other") if isinstance(kind, str) else "other"


def _clean_coordinates(value: Any, keep_heights: bool, found: set[str]) -> Any:
    """Removes heights unless `keep_heights`, and replaces numbers that are not finite with None. Values that are not
    positions stay unchanged, so that the service reports the error.
    """
    if not isinstance(value, (list, tuple)):
        return value
    if not is_position(value):
        return [_clean_coordinates(one, keep_heights, found) for one in value]
    # Heights of 0, which KML files often give each corner, and of NaN do not count as heights.
    if any(abs(one) > 0 for one in value[2:]):
        found.add("heights")
    position = value if keep_heights else value[:2]
    if all(abs(one) < math.inf for one in position):
        return list(position)
    found.add("not_finite")
    return [one if abs(one) < math.inf else None for one in position]


def is_position(value: Any) -> bool:
    """Whether a value is a list of at least one number, without null."""
    return bool(value) and all(type(one) in (int, float) for one in value)


def first_position(given: Any) -> Any:
    """Returns the first position of a geometry's polygons; None if they have no position."""
    areas = (one for one in _iterate_parts(given) if one.get("type") in ("Polygon", "MultiPolygon"))
    return next((place for one in areas for place in positions_of(one.get("coordinates"))), None)


def points_in(given: Any) -> list[Any]:
    points = (one for one in _iterate_parts(given) if one.get("type") in ("Point", "MultiPoint"))
    return [place for one in points for place in positions_of(one.get("coordinates"))]


def positions_of(value: Any) -> Iterator[Any]:
    """Yields the positions with at least two numbers from nested coordinates."""
    if not isinstance(value, (list, tuple)):
        return
    if is_position(value):
        if len(value) > 1:
            yield value
    else:
        for one in value:
            yield from positions_of(one)


def with_positions(value: Any, moved: Iterator[Any]) -> Any:
    """Replaces the positions that `positions_of` yields with the moved positions, in the same order."""
    if not isinstance(value, (list, tuple)):
        return value
    if is_position(value):
        return next(moved) if len(value) > 1 else value
    return [with_positions(one, moved) for one in value]
