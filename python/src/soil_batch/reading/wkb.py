"""Decodes well-known binary (OGC 06-103r4, 8.2) to GeoJSON. Open rings stay open, whereas GEOS rejects or closes them."""

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
# For heights and measures, EWKB and GDAL set bits of the type; ISO adds thousands to it.
_Z, _M, _SRID = 0x80000000, 0x40000000, 0x20000000
_ISO_Z, _ISO_M = (1, 3), (2, 3)


def decode_geometry(wkb: bytes) -> dict[str, Any]:
    """Decodes a geometry without its measures (M).

    :raises ValueError: if the geometry is incomplete or of an unknown type
    """
    try:
        geometry, _ = _read_geometry(wkb, 0)
    except (struct.error, IndexError, RecursionError) as error:
        raise ValueError(f"the geometry is incomplete: {error}") from None
    return geometry


def _read_geometry(wkb: bytes, offset: int) -> tuple[dict[str, Any], int]:
    order = "<" if wkb[offset] else ">"
    (code,) = struct.unpack_from(f"{order}I", wkb, offset + 1)
    offset += 9 if code & _SRID else 5
    thousands, kind = divmod(code & 0xFFFF, 1000)
    has_z = bool(code & _Z) or thousands in _ISO_Z
    size = 2 + has_z + (bool(code & _M) or thousands in _ISO_M)
    shape = (order, size, 3 if has_z else 2)
    if kind == _POINT:
        ((*position,),), offset = _read_positions(wkb, offset, 1, *shape)
        return {"type": "Point", "coordinates": position}, offset
    if kind == _LINE:
        line, offset = _read_line(wkb, offset, *shape)
        return {"type": "LineString", "coordinates": line}, offset
    count, offset = _read_count(wkb, offset, order)
    parts: list[Any] = []
    if kind in (_POLYGON, _TRIANGLE):
        for _ in range(count):
            ring, offset = _read_line(wkb, offset, *shape)
            parts.append(ring)
        return {"type": "Polygon", "coordinates": parts}, offset
    if kind != _COLLECTION and kind not in _MULTIPLE:
        raise ValueError(f"the geometry type {kind} is unknown")
    for _ in range(count):
        part, offset = _read_geometry(wkb, offset)
        parts.append(part)
    if kind == _COLLECTION:
        return {"type": "GeometryCollection", "geometries": parts}, offset
    return {
        "type": _MULTIPLE[kind],
        "coordinates": [one.get("coordinates") for one in parts],
    }, offset


def _read_count(wkb: bytes, offset: int, order: str) -> tuple[int, int]:
    (count,) = struct.unpack_from(f"{order}I", wkb, offset)
    return count, offset + 4


def _read_line(
    wkb: bytes, offset: int, order: str, size: int, kept: int
) -> tuple[list[list[float]], int]:
    count, offset = _read_count(wkb, offset, order)
    return _read_positions(wkb, offset, count, order, size, kept)


def _read_positions(
    wkb: bytes, offset: int, count: int, order: str, size: int, kept: int
) -> tuple[list[list[float]], int]:
    found = numpy().frombuffer(wkb, f"{order}f8", count * size, offset).reshape(count, size)
    positions: list[list[float]] = found[:, :kept].tolist()
    return positions, offset + 8 * count * size
