from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import Violation, invalid_input
from ..extras import numpy, pyproj
from ..fields import DECIMALS, Fields
from ..geometry import area_of, points_in
from .findings import FileRejected, name_features

#: The number of corners of a disc. The corners lie on the circle, so the area of a disc is 0.16 % too small.
CORNERS = 64
#: Radii in metres. The largest disc just fits a job (`hectares_per_job` of `GET /v1/limits`).
LEAST_RADIUS, MOST_RADIUS = 1, 3_989
# Discs closer to a pole might contain it, which a ring in degrees cannot express.
_MOST_LATITUDE = 89
_KINDS = {
    None: "an area",
    "line": "a line",
    "closed_line": "a closed line",
    "collection": "a collection",
    "other": "an unknown geometry",
}


def require_radius(buffer: float) -> float:
    try:
        radius = float(buffer)
    except (TypeError, ValueError, OverflowError):
        radius = float("nan")
    if not LEAST_RADIUS <= radius <= MOST_RADIUS:
        raise invalid_input(
            f"buffer must be a radius from {LEAST_RADIUS} to {MOST_RADIUS:,} m; got {buffer!r}"
        )
    return radius


def require_points(fields: Fields, name: str | None) -> Fields:
    """Converts fields to points without heights; None for an empty geometry, whose job fails."""
    points: list[Any] = []
    others: list[tuple[int, str]] = []
    for row, given in enumerate(fields.geometries):
        area = area_of(given)
        # An empty point is NaN in well-known binary.
        places = [one[:2] for one in points_in(given) if any(x == x for x in one[:2])]
        if area.geometry is not None or area.left_out not in (None, "point"):
            others.append((row, _KINDS[area.left_out]))
        elif len(places) > 1:
            others.append((row, "several points"))
        points.append({"type": "Point", "coordinates": list(places[0])} if places else None)
    if others:
        raise _unusable_error(
            "a buffer can only be used with single points, not with", others, name
        )
    if not any(points):
        raise FileRejected("no_polygons", f"{name or 'the input'} has no points")
    return replace(fields, geometries=tuple(points))


def make_discs(points: Fields, radius: float, name: str | None) -> Fields:
    """Makes discs in WGS 84 whose corners lie at the geodesic distance `radius` (Karney 2013) from the points."""
    geodesic = pyproj().Geod(ellps="WGS84")
    # Anticlockwise (RFC 7946, section 3.1.6).
    azimuths = numpy().linspace(0, -360, CORNERS, endpoint=False)
    discs: list[Any] = []
    faults: list[tuple[int, str]] = []
    for row, point in enumerate(points.wgs84):
        if point is None:
            discs.append(None)
            continue
        lon, lat = point["coordinates"]
        if not (abs(lon) <= 180 and abs(lat) <= _MOST_LATITUDE):
            faults.append((row, f"not in degrees, or beyond latitude ±{_MOST_LATITUDE}"))
            continue
        around = [numpy().full(CORNERS, one) for one in (lon, lat)]
        lons, lats, _ = geodesic.fwd(*around, azimuths, numpy().full(CORNERS, radius))
        if max(lons) - min(lons) > 180:
            faults.append((row, "across the antimeridian"))
        ring = numpy().column_stack([lons, lats]).round(DECIMALS).tolist()
        discs.append({"type": "Polygon", "coordinates": [[*ring, ring[0]]]})
    if faults:
        raise _unusable_error(
            f"discs with a radius of {radius:g} m are not possible around", faults, name
        )
    return replace(points, crs=None, geometries=tuple(discs))


def _unusable_error(what: str, faults: Sequence[tuple[int, str]], name: str | None) -> FileRejected:
    """:param faults: rows, counted from 0, and what is wrong with each"""
    rows_by_kind: dict[str, list[int]] = {}
    for row, kind in faults:
        # Rows of a GeoDataFrame are counted from 0, as in `iloc`.
        rows_by_kind.setdefault(kind, []).append(row if name is None else row + 1)
    listed = "; ".join(
        f"{name_features(rows, 'row' if name is None else 'feature')} ({kind})"
        for kind, rows in rows_by_kind.items()
    )
    of = "" if name is None else f"{name}: "
    error = FileRejected("points_unusable", f"{of}{what} {listed}")
    error.errors = tuple(Violation(f"/{row}", f"is {kind}") for row, kind in faults)
    return error
