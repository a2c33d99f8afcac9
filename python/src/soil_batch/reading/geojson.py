"""Reads GeoJSON (RFC 7946, and the member `crs` of GeoJSON 2008) without GDAL."""

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
from .findings import FileRejected, Remark, name_features
from .texts import decode_file

NAME_IT = "name it with --crs, such as --crs EPSG:28992"
# Names of WGS 84 with longitude first, which has no EPSG code.
_CRS84 = re.compile(r"(^|.*[:/])(OGC[:/][\d.]*[:/]?)?CRS84", re.IGNORECASE)
_EPSG = re.compile(r"(?:^|.*[:/])EPSG[:/](?:[\d.]*[:/])?(\d{1,6})", re.IGNORECASE)
_WGS84 = 4326
_GEOMETRIES = ("Polygon", "MultiPolygon", "Point", "MultiPoint", "LineString", "MultiLineString")
# Longer integers are parsed as floats: Python refuses to parse integers of more than 4,300 digits.
_MOST_DIGITS = 300
# Larger numbers are not plausible coordinates in metres or feet.
_MOST_PROJECTED = 1e9


def read_geojson(
    content: bytes, name: str, epsg: int | None, encoding: str | None
) -> tuple[Fields, tuple[Remark, ...]]:
    text, remarks = decode_file(content, name, encoding)
    document = _parse_document(text, name)
    found = _features(document, name)
    declared = _declared_code(document.get("crs"), name, epsg)
    if declared is not None and epsg not in (None, declared):
        raise crs_conflict(name, f"EPSG:{declared}", epsg)
    rows = [one["properties"] for one in found]
    infinite = [at + 1 for at, row in enumerate(rows) if _is_infinite(row)]
    if infinite:
        where = f"{name_features(infinite)} of {name}"
        remarks += (
            Remark(
                "not_finite",
                f"Attributes with numbers that are too large were removed from {where}.",
            ),
        )
        rows = [_without_infinite(row) for row in rows]
    names = list(dict.fromkeys(key for row in rows for key in row))
    geometries = [one["geometry"] for one in found]
    code = declared or epsg or _WGS84
    places = first_positions(geometries)
    projected = [one for one in places if 360 < max(map(abs, one)) < _MOST_PROJECTED]
    if declared is None and epsg not in (None, _WGS84) and not projected:
        raise FileRejected(
            "crs_conflict",
            f"{name} has coordinates in degrees, which are WGS 84 (RFC 7946), not EPSG:{epsg}",
        )
    if code == _WGS84 and places and len(projected) == len(places):
        named = f"names no coordinate reference system: {NAME_IT}"
        if declared is not None:
            named = "declares WGS 84: correct its member crs"
        raise FileRejected(
            "crs_needed",
            f"{name} has coordinates such as {projected[0]}, which are not longitude and latitude, but {named}",
        )
    crs = None if code == _WGS84 else find_wkt(code)
    columns = tuple(Column(key, "json", [row.get(key) for row in rows]) for key in names)
    return Fields(crs, tuple(geometries), columns, None, "geometry"), remarks


def find_wkt(epsg: int) -> str:
    try:
        return str(pyproj().CRS.from_epsg(epsg).to_wkt())
    except pyproj().exceptions.CRSError:
        raise FileRejected("crs_unknown", f"EPSG:{epsg} is not a known CRS") from None


def crs_conflict(name: str, declared: str, epsg: int | None) -> FileRejected:
    return FileRejected(
        "crs_conflict", f"{name} declares that it is in {declared}, not in EPSG:{epsg}"
    )


def _parse_document(text: str, name: str) -> dict[str, Any]:
    try:
        document = json.loads(text, parse_constant=_reject_constant, parse_int=_parse_integer)
    except RecursionError:
        raise FileRejected("damaged", f"{name} nests arrays or objects too deeply") from None
    except ValueError as error:
        if text.startswith("\x1e") or str(error).startswith("Extra data"):
            raise FileRejected(
                "unknown_format",
                f"{name} is a sequence of JSON texts: save it as a single GeoJSON"
                " FeatureCollection",
            ) from None
        raise FileRejected("damaged", f"{name} is not valid JSON: {error}") from None
    if not isinstance(document, dict):
        raise FileRejected("unknown_format", f"{name} is JSON but not GeoJSON")
    return document


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def _parse_integer(digits: str) -> float:
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
        # PHP may write an empty object as an empty array.
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
    """Adds the feature's `id`, which RFC 7946 places next to the properties, unless they have an `id`."""
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


def _declared_code(crs: Any, name: str, chosen: int | None) -> int | None:
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
            f"the coordinate reference system of {name} (its member crs) {what}, not an EPSG code:"
            f" {NAME_IT}",
        )
    return None if found is None else int(found[1])


def first_positions(geometries: Sequence[Any]) -> list[Any]:
    """Returns the first position of each area, or of each point geometry if there are no areas."""
    areas = [place for one in geometries if (place := first_position(one)) is not None]
    return [
        place[:2] for place in areas or (one for each in geometries for one in points_in(each)[:1])
    ]
