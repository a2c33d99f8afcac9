"""Well-known binary as GeoJSON (OGC 06-103r4, 8.2), as it is: GEOS rejects or closes what is not closed."""

from __future__ import annotations

import struct
from typing import Any

from ..extras import numpy

_POINT, _LINE, _POLYGON, _TRIANGLE = 1, 2, 3, 17
_MULTIPLE = {
    4: "MultiPoint",
    5: "MultiLineString",
    6: "MultiPolygon",
    # The faces of a PolyhedralSurface and of a TIN are polygons.
    15: "MultiPolygon",
    16: "MultiPolygon",
}
_COLLECTION = 7
# EWKB and GDAL set a bit for each; ISO adds thousands to the type.
_Z, _M, _SRID = 0x80000000, 0x40000000, 0x20000000
_ISO_Z, _ISO_M = (1, 3), (2, 3)


def geometry_of(wkb: bytes) -> dict[str, Any]:
    """Measures (M) are dropped. ValueError for what is cut short."""
    try:
        geometry, _ = _geometry(wkb, 0)
    except (struct.error, IndexError, RecursionError) as error:
        raise ValueError(f"not a whole geometry: {error}") from None
    return geometry


def _geometry(wkb: bytes, at: int) -> tuple[dict[str, Any], int]:
    order = "<" if wkb[at] else ">"
    (code,) = struct.unpack_from(f"{order}I", wkb, at + 1)
    at += 9 if code & _SRID else 5
    thousands, kind = divmod(code & 0xFFFF, 1000)
    has_z = bool(code & _Z) or thousands in _ISO_Z
    size = 2 + has_z + (bool(code & _M) or thousands in _ISO_M)
    shape = (order, size, 3 if has_z else 2)
    if kind == _POINT:
        ((*position,),), at = _read_positions(wkb, at, 1, *shape)
        return {"type": "Point", "coordinates": position}, at
    if kind == _LINE:
        line, at = _line(wkb, at, *shape)
        return {"type": "LineString", "coordinates": line}, at
    count, at = _count(wkb, at, order)
    parts: list[Any] = []
    if kind in (_POLYGON, _TRIANGLE):
        for _ in range(count):
            ring, at = _line(wkb, at, *shape)
            parts.append(ring)
        return {"type": "Polygon", "coordinates": parts}, at
    if kind != _COLLECTION and kind not in _MULTIPLE:
        raise ValueError(f"the geometry type {kind} is not known")
    for _ in range(count):
        part, at = _geometry(wkb, at)
        parts.append(part)
    if kind == _COLLECTION:
        return {"type": "GeometryCollection", "geometries": parts}, at
    return {"type": _MULTIPLE[kind], "coordinates": [one.get("coordinates") for one in parts]}, at


def _count(wkb: bytes, at: int, order: str) -> tuple[int, int]:
    (count,) = struct.unpack_from(f"{order}I", wkb, at)
    return count, at + 4


def _line(wkb: bytes, at: int, order: str, size: int, kept: int) -> tuple[list[list[float]], int]:
    count, at = _count(wkb, at, order)
    return _read_positions(wkb, at, count, order, size, kept)


def _read_positions(
    wkb: bytes, at: int, count: int, order: str, size: int, kept: int
) -> tuple[list[list[float]], int]:
    found = numpy().frombuffer(wkb, f"{order}f8", count * size, at).reshape(count, size)
    positions: list[list[float]] = found[:, :kept].tolist()
    return positions, at + 8 * count * size
