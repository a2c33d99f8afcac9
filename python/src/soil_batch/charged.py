"""The area that the service charges, to split a run by the quota of a day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .extras import pyproj
from .fields import shape_of
from .schemas.limits import Limits

_M2_PER_HECTARE = 10_000


def charged_hectares(geometries: Sequence[Any], limits: Limits) -> list[float]:
    """Of each geometry in WGS 84: ground area, or outline and rings if they are more."""
    try:
        geod = pyproj().Geod(ellps="WGS84")
        return [_charged(geod, shape_of(one), limits) for one in geometries]
    except ImportError:
        # Without the extra, a day's quota of hectares does not split a run.
        return [0.0] * len(geometries)


def _charged(geod: Any, geometry: Any, limits: Limits) -> float:
    if geometry is None:
        return 0.0
    area, perimeter = geod.geometry_area_perimeter(geometry)
    polygons = getattr(geometry, "geoms", [geometry])
    rings = sum(1 + len(polygon.interiors) for polygon in polygons)
    square_metres = max(
        abs(area),
        perimeter * limits.charged_width_metres,
        rings * limits.charged_square_metres_per_ring,
    )
    return float(square_metres) / _M2_PER_HECTARE
