"""
Reads KML (OGC 12-007r2) without GDAL, which drops rings if one innerBoundaryIs has several, reads one folder at a
time, and invents names for placemarks without a name.
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
from .archive import wrong_layer_error
from .findings import FileRejected, Remark
from .texts import decode_file

# The column names that GDAL and QGIS use.
NAME, _DESCRIPTION, _FOLDER = "Name", "Description", "Folder"
_MULTIPLE = ("MultiGeometry", "MultiPolygon")
_POSITIONED = ("LinearRing", "LineString", "Point")
_OTHERS = ("Model", "MultiTrack", "Track")
_NUMBERS = re.compile(r"u?int|u?short|float|double")
_INTEGER = re.compile(r"[+-]?\d{1,300}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_NAMED_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']""")


def read_kml(
    content: bytes, name: str, layer: str | None, encoding: str | None
) -> tuple[Fields, tuple[Remark, ...]]:
    """Reads all Placemarks, or only those in a folder or document with the name `layer`."""
    named = _NAMED_ENCODING.match(content.removeprefix(b"\xef\xbb\xbf").lstrip())
    text, remarks = decode_file(content, name, encoding, named and named[1].decode())
    try:
        root = _parse_tree(text)
        schemas = _placemark_schemas(root)
        placemarks = list(_iterate_placemarks(root, {"Placemark", *schemas}, ()))
        chosen = [one for one in placemarks if layer is None or layer in one.folders]
        types = _schema_types(root)
        rows = [_properties(one, types, schemas.get(one.element.tag, {})) for one in chosen]
        geometries = [_convert_geometry(one.element) for one in chosen]
    except (expat.ExpatError, _EntityDefined) as error:
        raise FileRejected("damaged", f"{name} is not valid KML: {error}") from None
    except RecursionError:
        raise FileRejected("damaged", f"{name} nests elements too deeply") from None
    has_links = next(root.iter("NetworkLink"), None) is not None
    if layer is not None and not chosen:
        folders = dict.fromkeys(folder for one in placemarks for folder in one.folders if folder)
        raise wrong_layer_error(name, list(folders), layer)
    if has_links and not placemarks:
        raise FileRejected(
            "no_polygons",
            f"{name} contains a link to another file, but no fields: download that file (in Google My Maps,"
            " export the map without a network link)",
        )
    if has_links:
        remarks += (Remark("links", f"{name} links to other files, which were not read."),)
    names = list(dict.fromkeys(key for row in rows for key in row))
    columns = tuple(Column(key, "json", [row.get(key) for row in rows]) for key in names)
    return Fields(None, tuple(geometries), columns, None, "geometry"), remarks


class _EntityDefined(Exception):
    def __init__(self) -> None:
        super().__init__("it defines entities")


def _parse_tree(text: str) -> Element:
    """Parses elements without their namespace prefix, because some files use undeclared prefixes."""
    builder = TreeBuilder()
    # The text is already decoded, so the parser must ignore its XML encoding declaration.
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = lambda tag, attributes: builder.start(_local_name(tag), attributes)
    parser.EndElementHandler = lambda tag: builder.end(_local_name(tag))
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = _refuse_entity
    parser.Parse(text.lstrip().encode("utf-8", "replace"), True)
    return builder.close()


def _local_name(tag: str) -> str:
    return tag.rpartition(":")[2]


def _refuse_entity(*_: object) -> None:
    raise _EntityDefined


@dataclass(frozen=True)
class _Placemark:
    element: Element
    #: Names of the enclosing folders and documents, innermost last; None for one without a name.
    folders: tuple[str | None, ...]
    #: The innermost folder's name, if it has one.
    folder: str | None


def _placemark_schemas(root: Element) -> dict[str, dict[str, str]]:
    """Returns the field types of schemas that define their own Placemark elements, which KML allowed before 2.2."""
    return {
        schema.get("name") or _read_text_of(schema, "name"): {
            field.get("name", ""): field.get("type", "") for field in schema.iter("SimpleField")
        }
        for schema in root.iter("Schema")
        if "Placemark" in (schema.get("parent"), _read_text_of(schema, "parent"))
    }


def _iterate_placemarks(
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
            yield from _iterate_placemarks(child, tags, (*folders, name), inner)


def _schema_types(root: Element) -> dict[tuple[str, str], str]:
    return {
        (schema.get("id", ""), field.get("name", "")): field.get("type", "")
        for schema in root.iter("Schema")
        for field in schema.iter("SimpleField")
    }


def _properties(
    placemark: _Placemark, types: dict[tuple[str, str], str], own_types: dict[str, str]
) -> dict[str, Any]:
    element = placemark.element
    placemark_values = {
        NAME: _read_text_of(element, "name"),
        _DESCRIPTION: _read_text_of(element, "description"),
        _FOLDER: placemark.folder,
    }
    found: dict[str, Any] = {key: text for key, text in placemark_values.items() if text}
    for child in element:
        if child.tag in own_types:
            found[child.tag] = _convert_value((child.text or "").strip(), own_types[child.tag])
    for data in element.findall("ExtendedData/Data"):
        found[data.get("name", "")] = _read_text_of(data, "value")
    for schema in element.findall("ExtendedData/SchemaData"):
        own_id = schema.get("schemaUrl", "").rpartition("#")[2]
        for simple in schema.findall("SimpleData"):
            key = simple.get("name", "")
            found[key] = _convert_value((simple.text or "").strip(), types.get((own_id, key), ""))
    return found


def _convert_value(text: str, kind: str) -> Any:
    if not _NUMBERS.fullmatch(kind) or not _NUMBER.fullmatch(text):
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        return text
    return int(number) if number.is_integer() else number


def _convert_geometry(element: Element) -> Any:
    parts = [one for one in map(_convert_element, element) if one is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    return {"type": "GeometryCollection", "geometries": parts}


def _convert_element(element: Element) -> Any:
    if element.tag == "Polygon":
        return _convert_polygon(element)
    if element.tag in _MULTIPLE:
        parts = [one for one in map(_convert_element, element) if one is not None]
        return {"type": "GeometryCollection", "geometries": parts}
    if element.tag in _POSITIONED:
        kind = "Point" if element.tag == "Point" else "LineString"
        return {"type": kind, "coordinates": _parse_positions(element)}
    return {"type": element.tag} if element.tag in _OTHERS else None


def _convert_polygon(element: Element) -> Any:
    """Further outer rings, which KML does not allow, become separate polygons."""
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
    # Some programs write a space after each comma, others a comma after each position.
    tuples = [one.split(",") for one in re.sub(r"\s*,\s*", ",", text).split()]
    if any(len(one) not in (2, 3) for one in tuples):
        tuples = [one.strip(",").split(",") for one in text.split()]
    return [_parse_position(one) for one in tuples]


def _parse_position(parts: list[str]) -> list[float]:
    if len(parts) > 3:
        # It is unclear which commas are decimal separators.
        return [math.nan, math.nan]
    return [_parse_number(part) for part in (*parts, "")[: max(2, len(parts))]]


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _read_text_of(element: Element, tag: str) -> str:
    return (element.findtext(tag) or "").strip()
