"""GeoJSON (RFC 7946), and the field `crs` of GeoJSON 2008, without GDAL."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from ..columns import Column
from ..extras import pyproj
from ..fields import Fields
from ..geometry import first_position, points_in
from .findings import FileRejected, Remark, features
from .texts import decoded

NAME_IT = "say which it is with --crs, such as --crs EPSG:28992"
# These names of WGS 84 longitude and latitude have no EPSG code.
_CRS84 = re.compile(r"(^|.*[:/])(OGC[:/][\d.]*[:/]?)?CRS84", re.IGNORECASE)
_EPSG = re.compile(r"(?:^|.*[:/])EPSG[:/](?:[\d.]*[:/])?(\d{1,6})", re.IGNORECASE)
_WGS84 = 4326
_GEOMETRIES = ("Polygon", "MultiPolygon", "Point", "MultiPoint", "LineString", "MultiLineString")
# Longer ones are beyond float64, and Python reads none of more than 4,300 digits.
_MOST_DIGITS = 300
# No system has coordinates beyond this, in metres or feet.
_MOST_PROJECTED = 1e9


def read_geojson(
    content: bytes, name: str, epsg: int | None, encoding: str | None
) -> tuple[Fields, tuple[Remark, ...]]:
    text, remarks = decoded(content, name, encoding)
    document = _parsed(text, name)
    found = _features(document, name)
    own = _own_code(document.get("crs"), name, epsg)
    if own is not None and epsg not in (None, own):
        raise conflict(name, f"EPSG:{own}", epsg)
    rows = [one["properties"] for one in found]
    infinite = [at + 1 for at, row in enumerate(rows) if _is_infinite(row)]
    if infinite:
        where = f"{features(infinite)} of {name}"
        remarks += (Remark("not_finite", f"Numbers too large to read in {where} are left empty."),)
        rows = [_without_infinite(row) for row in rows]
    names = list(dict.fromkeys(key for row in rows for key in row))
    geometries = [one["geometry"] for one in found]
    code = own or epsg or _WGS84
    places = first_places(geometries)
    projected = [one for one in places if 360 < max(map(abs, one)) < _MOST_PROJECTED]
    if own is None and epsg not in (None, _WGS84) and not projected:
        raise FileRejected(
            "crs_conflict",
            f"{name} has coordinates in degrees, which are WGS 84 (RFC 7946), not EPSG:{epsg}",
        )
    if code == _WGS84 and places and len(projected) == len(places):
        raise FileRejected(
            "crs_needed",
            f"{name} has coordinates such as {projected[0]}, which are not longitude and latitude,"
            f" but names no coordinate reference system: {NAME_IT}",
        )
    crs = None if code == _WGS84 else wkt_of(code)
    columns = tuple(Column(key, "json", [row.get(key) for row in rows]) for key in names)
    return Fields(crs, tuple(geometries), columns, None, "geometry"), remarks


def wkt_of(epsg: int) -> str:
    try:
        return str(pyproj().CRS.from_epsg(epsg).to_wkt())
    except pyproj().exceptions.CRSError:
        raise FileRejected("crs_unknown", f"EPSG:{epsg} is not known") from None


def conflict(name: str, own: str, epsg: int | None) -> FileRejected:
    return FileRejected(
        "crs_conflict", f"{name} says itself that it is in {own}, not in EPSG:{epsg}"
    )


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        document = json.loads(text, parse_constant=_no_constant, parse_int=_integer)
    except RecursionError:
        raise FileRejected("damaged", f"{name} nests arrays and objects too deep") from None
    except ValueError as error:
        # RFC 8142 puts a record separator before each text; others put each on its line.
        if text.startswith("\x1e") or str(error).startswith("Extra data"):
            raise FileRejected(
                "unknown_format",
                f"{name} has several JSON texts, as GeoJSON text sequences have: save it as one GeoJSON"
                " FeatureCollection",
            ) from None
        raise FileRejected("damaged", f"{name} is not valid JSON: {error}") from None
    if not isinstance(document, dict):
        raise FileRejected("unknown_format", f"{name} is JSON but not GeoJSON")
    return document


def _no_constant(name: str) -> None:
    raise ValueError(f"it has the value {name}")


def _integer(digits: str) -> float:
    return int(digits) if len(digits) < _MOST_DIGITS else float(digits)


def _features(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    kind = document.get("type")
    if kind == "FeatureCollection":
        found = document.get("features")
    elif kind == "GeometryCollection":
        found = document.get("geometries")
    elif kind in ("Feature", *_GEOMETRIES):
        found = [document]
    else:
        found = None
    if not isinstance(found, list):
        raise FileRejected("unknown_format", f"{name} is JSON but not a GeoJSON feature collection")
    for at, one in enumerate(found):
        # PHP writes an empty object as an empty array.
        properties = (one.get("properties") or None) if isinstance(one, dict) else 0
        if not isinstance(properties, (dict, type(None))):
            raise FileRejected("damaged", f"feature {at + 1} of {name} is not a GeoJSON Feature")
    return [
        {"geometry": one.get("geometry"), "properties": _properties(one)}
        if one.get("type") == "Feature"
        else {"geometry": one, "properties": {}}
        for one in found
    ]


def _properties(feature: dict[str, Any]) -> dict[str, Any]:
    """With the identifier, which RFC 7946 puts next to them."""
    properties = feature.get("properties") or {}
    own = feature.get("id")
    if properties.get("id") is None and isinstance(own, (str, int, float)):
        return {**properties, "id": own}
    return properties


def _is_infinite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isinf(value)
    parts = value.values() if isinstance(value, dict) else value
    return isinstance(value, (dict, list)) and any(_is_infinite(one) for one in parts)


def _without_infinite(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if _is_infinite(value) else value for key, value in row.items()}


def _own_code(crs: Any, name: str, chosen: int | None) -> int | None:
    if crs is None:
        return None
    properties = crs.get("properties") if isinstance(crs, dict) else None
    given = properties.get("name") if isinstance(properties, dict) else None
    text = given if isinstance(given, str) else ""
    if _CRS84.fullmatch(text):
        return _WGS84
    found = _EPSG.fullmatch(text)
    if found is None and chosen is None:
        what = f"is {text[:80]!r}" if text else "has no name"
        raise FileRejected(
            "crs_needed",
            f"the coordinate reference system of {name} (its field crs) {what}, not an EPSG code:"
            f" {NAME_IT}",
        )
    return None if found is None else int(found[1])


def first_places(geometries: Sequence[Any]) -> list[Any]:
    """The first position of each area, or else of points. Coordinates in metres without a system are a common mistake."""
    areas = [place for one in geometries if (place := first_position(one)) is not None]
    return [
        place[:2] for place in areas or (one for each in geometries for one in points_in(each)[:1])
    ]
