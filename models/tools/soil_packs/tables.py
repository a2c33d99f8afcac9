"""Tables of samples as the project's commands read them."""

from __future__ import annotations

from typing import Any

from .commands import PackError


def as_table(samples: Any) -> Any:
    """A table with lon and lat first (WGS 84), whatever has points."""
    import pandas

    table = pandas.DataFrame(samples).copy()
    if hasattr(samples, "geometry") and hasattr(samples, "to_crs"):
        if samples.crs is None:
            raise PackError("the samples have no CRS: name it with set_crs(…)")
        points = samples.geometry.to_crs(4326)
        if not (points.geom_type == "Point").all():
            raise PackError("the samples must be points")
        table = table.drop(columns=[samples.geometry.name, "lon", "lat"], errors="ignore")
        table.insert(0, "lon", points.x)
        table.insert(1, "lat", points.y)
    if "lon" not in table or "lat" not in table:
        raise PackError("the samples need the columns lon and lat (WGS 84), or points")
    return table
