"""GeoJSON (RFC 7946), and the field `crs` of GeoJSON 2008, without GDAL."""

from __future__ import annotations

import json
import re
from typing import Any

from ..columns import Column
from ..errors import invalid_input
from ..extras import pyproj
from ..fields import Fields

NAME_IT = "say which it is with --crs, such as --crs EPSG:28992"
# Names of WGS 84 longitude and latitude without an EPSG code.
_CRS84 = re.compile(r"(^|.*[:/])(OGC[:/][\d.]*[:/]?)?CRS84", re.IGNORECASE)
_EPSG = re.compile(r"(?:^|.*[:/])EPSG[:/](?:[\d.]*[:/])?(\d{1,6})", re.IGNORECASE)
_WGS84 = 4326
_POLYGONS = ("Polygon", "MultiPolygon")
_OTHERS = ("Point", "MultiPoint", "LineString", "MultiLineString")


def read_geojson(content: bytes, name: str, epsg: int | None) -> Fields:
    document = _parsed(content, name)
    features = _features(document, name)
    own = _own_code(document.get("crs"), name, epsg)
    if own is not None and epsg not in (None, own):
        raise invalid_input(f"{name} says itself that it is in EPSG:{own}, not in EPSG:{epsg}")
    rows = [one["properties"] for one in features]
    names = list(dict.fromkeys(key for row in rows for key in row))
    geometries = [_geometry(one["geometry"]) for one in features]
    polygons = [one for one in geometries if one is not None and one["type"] in _POLYGONS]
    far = next((place for one in polygons if not _is_degrees(place := _first(one))), None)
    if own is None and epsg not in (None, _WGS84) and far is None:
        raise invalid_input(
            f"{name} has coordinates in degrees, which are WGS 84 (RFC 7946), not EPSG:{epsg}"
        )
    code = own or epsg or _WGS84
    if code == _WGS84 and far is not None:
        raise invalid_input(
            f"{name} has coordinates such as {far}, which are no longitude and latitude, but names"
            f" no coordinate reference system: {NAME_IT}"
        )
    crs = None if code == _WGS84 else wkt_of(code)
    columns = tuple(Column(key, "json", [row.get(key) for row in rows]) for key in names)
    return Fields(crs, tuple(geometries), columns, None, "geometry")


def wkt_of(epsg: int) -> str:
    try:
        return str(pyproj().CRS.from_epsg(epsg).to_wkt())
    except pyproj().exceptions.CRSError:
        raise invalid_input(f"EPSG:{epsg} is not known") from None


def _parsed(content: bytes, name: str) -> dict[str, Any]:
    try:
        document = json.loads(content.decode("utf-8-sig"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise invalid_input(f"{name} is not in UTF-8") from None
    except RecursionError:
        raise invalid_input(f"{name} nests arrays and objects too deep") from None
    except ValueError as error:
        raise invalid_input(f"{name} is not valid JSON: {error}") from None
    if not isinstance(document, dict):
        raise invalid_input(f"{name} is JSON but not GeoJSON")
    return document


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _features(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    kind = document.get("type")
    if kind == "FeatureCollection":
        found = document.get("features")
    elif kind == "GeometryCollection":
        found = document.get("geometries")
    elif kind in ("Feature", *_POLYGONS, *_OTHERS):
        found = [document]
    else:
        found = None
    if not isinstance(found, list):
        raise invalid_input(f"{name} is JSON but not a GeoJSON feature collection")
    for at, one in enumerate(found):
        properties = one.get("properties") if isinstance(one, dict) else 0
        if not isinstance(properties, (dict, type(None))):
            raise invalid_input(f"feature {at + 1} of {name} is no GeoJSON Feature")
    return [
        {"geometry": one.get("geometry"), "properties": one.get("properties") or {}}
        if one.get("type") == "Feature"
        else {"geometry": one, "properties": {}}
        for one in found
    ]


def _geometry(value: Any) -> Any:
    """None for an empty one. One without a type is no polygon."""
    if value is None:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return {"type": "object without type", "coordinates": []}
    coordinates = value.get("coordinates")
    empty = value["type"] in _POLYGONS and not coordinates
    return None if empty else {"type": value["type"], "coordinates": _flat(coordinates)}


def _flat(value: Any) -> Any:
    """Without heights. What is no position stays as it is: the service says what is wrong with it."""
    if not isinstance(value, list):
        return value
    if len(value) > 2 and all(isinstance(one, (int, float)) for one in value):
        return value[:2]
    return [_flat(one) for one in value]


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
        raise invalid_input(
            f"the coordinate reference system of {name} (its field crs) {what}, no EPSG code: {NAME_IT}"
        )
    return None if found is None else int(found[1])


def _first(geometry: Any) -> Any:
    """The first position; None without one."""
    place = None if geometry is None else geometry["coordinates"]
    while isinstance(place, list) and place and isinstance(place[0], list):
        place = place[0]
    if not isinstance(place, list) or len(place) < 2:
        return None
    return place if all(isinstance(one, (int, float)) for one in place) else None


def _is_degrees(place: Any) -> bool:
    """Coordinates in metres, in GeoJSON that does not name its system, are the most common mistake."""
    return place is None or (abs(place[0]) <= 360 and abs(place[1]) <= 360)
