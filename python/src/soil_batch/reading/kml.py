"""
KML (OGC 12-007r2), without GDAL: it keeps one of several rings in one innerBoundaryIs, reads one folder
at a time and invents names for those without.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from ..columns import Column
from ..fields import Fields
from .archive import wrong_layer
from .findings import FileRejected, Remark
from .texts import decoded

# GDAL and QGIS give the columns these names.
NAME, _DESCRIPTION, _FOLDER = "Name", "Description", "Folder"
_MULTIPLE = ("MultiGeometry", "MultiPolygon")
_LINES = ("LinearRing", "LineString", "Point")
_OTHERS = ("Model", "MultiTrack", "Track")
_NUMBERS = re.compile(r"u?int|u?short|float|double")
_INTEGER = re.compile(r"[+-]?\d{1,300}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_NAMED_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']""")


def read_kml(
    content: bytes, name: str, layer: str | None, encoding: str | None
) -> tuple[Fields, tuple[Remark, ...]]:
    """The Placemarks of all folders, or of those that are called as the layer."""
    named = _NAMED_ENCODING.match(content.removeprefix(b"\xef\xbb\xbf").lstrip())
    text, remarks = decoded(content, name, encoding, named and named[1].decode())
    try:
        root = _tree(text)
        schemas = _placemark_schemas(root)
        placemarks = list(_placemarks(root, {"Placemark", *schemas}, ()))
        chosen = [one for one in placemarks if layer is None or layer in one.folders]
        types = _types(root)
        rows = [_properties(one, types, schemas.get(one.element.tag, {})) for one in chosen]
        geometries = [_geometry(one.element) for one in chosen]
    except (expat.ExpatError, _Entity) as error:
        raise FileRejected("damaged", f"{name} is not valid KML: {error}") from None
    except RecursionError:
        raise FileRejected("damaged", f"{name} nests elements too deep") from None
    has_links = next(root.iter("NetworkLink"), None) is not None
    if layer is not None and not chosen:
        folders = dict.fromkeys(folder for one in placemarks for folder in one.folders if folder)
        raise wrong_layer(name, list(folders), layer)
    if has_links and not placemarks:
        raise FileRejected(
            "no_polygons",
            f"{name} has no fields, only a link to another file: download that one, in Google My Maps"
            " by exporting the map without a network link",
        )
    if has_links:
        remarks += (Remark("links", f"{name} links to other files, which are not read."),)
    names = list(dict.fromkeys(key for row in rows for key in row))
    columns = tuple(Column(key, "json", [row.get(key) for row in rows]) for key in names)
    return Fields(None, tuple(geometries), columns, None, "geometry"), remarks


class _Entity(Exception):
    def __init__(self) -> None:
        super().__init__("it defines entities")


def _tree(text: str) -> Element:
    """Names without the prefix of their namespace: files use some that they do not declare."""
    builder = TreeBuilder()
    # The parser must ignore what the text says of its encoding.
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = lambda tag, attributes: builder.start(_local(tag), attributes)
    parser.EndElementHandler = lambda tag: builder.end(_local(tag))
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = _refuse_entity
    parser.Parse(text.lstrip().encode("utf-8", "replace"), True)
    return builder.close()


def _local(tag: str) -> str:
    return tag.rpartition(":")[2]


def _refuse_entity(*_: object) -> None:
    raise _Entity


@dataclass(frozen=True)
class _Placemark:
    element: Element
    #: Names of what contains it, the innermost last; None for a folder without one.
    folders: tuple[str | None, ...]
    #: The innermost folder's name; None in a document alone.
    folder: str | None


def _placemark_schemas(root: Element) -> dict[str, dict[str, str]]:
    """Before KML 2.2, a schema could name an element that is a Placemark. The types of the elements that it adds."""
    return {
        schema.get("name") or _read_text_of(schema, "name"): {
            field.get("name", ""): field.get("type", "") for field in schema.iter("SimpleField")
        }
        for schema in root.iter("Schema")
        if "Placemark" in (schema.get("parent"), _read_text_of(schema, "parent"))
    }


def _placemarks(
    element: Element,
    tags: set[str],
    folders: tuple[str | None, ...],
    folder: str | None = None,
) -> Iterator[_Placemark]:
    for child in element:
        if child.tag in tags:
            yield _Placemark(child, folders, folder)
        elif child.tag in ("Folder", "Document"):
            name = _read_text_of(child, "name") or None
            inner = name if child.tag == "Folder" else folder
            yield from _placemarks(child, tags, (*folders, name), inner)


def _types(root: Element) -> dict[tuple[str, str], str]:
    return {
        (schema.get("id", ""), field.get("name", "")): field.get("type", "")
        for schema in root.iter("Schema")
        for field in schema.iter("SimpleField")
    }


def _properties(
    placemark: _Placemark, types: dict[tuple[str, str], str], own_types: dict[str, str]
) -> dict[str, Any]:
    element = placemark.element
    own = {
        NAME: _read_text_of(element, "name"),
        _DESCRIPTION: _read_text_of(element, "description"),
        _FOLDER: placemark.folder,
    }
    found: dict[str, Any] = {key: text for key, text in own.items() if text}
    for child in element:
        if child.tag in own_types:
            found[child.tag] = _typed((child.text or "").strip(), own_types[child.tag])
    for data in element.findall("ExtendedData/Data"):
        found[data.get("name", "")] = _read_text_of(data, "value")
    for schema in element.findall("ExtendedData/SchemaData"):
        own_id = schema.get("schemaUrl", "").rpartition("#")[2]
        for simple in schema.findall("SimpleData"):
            key = simple.get("name", "")
            found[key] = _typed((simple.text or "").strip(), types.get((own_id, key), ""))
    return found


def _typed(text: str, kind: str) -> Any:
    """What is not a number stays a text. A number without a fraction is an integer, as identifiers are."""
    if not _NUMBERS.fullmatch(kind) or not _NUMBER.fullmatch(text):
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        return text
    return int(number) if number.is_integer() else number


def _geometry(element: Element) -> Any:
    """As GeoJSON; None without geometry."""
    parts = [one for one in map(_part, element) if one is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    return {"type": "GeometryCollection", "geometries": parts}


def _part(element: Element) -> Any:
    if element.tag == "Polygon":
        return _polygon(element)
    if element.tag in _MULTIPLE:
        parts = [one for one in map(_part, element) if one is not None]
        return {"type": "GeometryCollection", "geometries": parts}
    if element.tag in _LINES:
        kind = "Point" if element.tag == "Point" else "LineString"
        return {"type": kind, "coordinates": _parse_positions(element)}
    return {"type": element.tag} if element.tag in _OTHERS else None


def _polygon(element: Element) -> Any:
    """Each further outer ring, which KML does not have, is a separate polygon."""
    outer, inner = (
        [_parse_positions(ring) for ring in element.findall(f"{boundary}/LinearRing")]
        for boundary in ("outerBoundaryIs", "innerBoundaryIs")
    )
    if not outer:
        return {"type": "Polygon", "coordinates": []}
    first, *others = outer
    rings = [first, *inner]
    if not others:
        return {"type": "Polygon", "coordinates": rings}
    return {"type": "MultiPolygon", "coordinates": [rings, *([ring] for ring in others)]}


def _parse_positions(element: Element) -> list[list[float]]:
    text = _read_text_of(element, "coordinates")
    # Some write a space after each comma, others a comma after each position.
    tuples = [one.split(",") for one in re.sub(r"\s*,\s*", ",", text).split()]
    if any(len(one) not in (2, 3) for one in tuples):
        tuples = [one.strip(",").split(",") for one in text.split()]
    return [_position(one) for one in tuples]


def _position(parts: list[str]) -> list[float]:
    if len(parts) > 3:
        # Nobody knows which of the commas are decimal points.
        return [math.nan, math.nan]
    return [_parse_number(part) for part in (*parts, "")[: max(2, len(parts))]]


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _read_text_of(element: Element, tag: str) -> str:
    return (element.findtext(tag) or "").strip()
