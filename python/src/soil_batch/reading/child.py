"""The process that reads one file and prints its fields as JSON."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import SoilError, invalid_input
from ..fields import Fields
from ..geometry import area_of, points_in
from .archive import extract_archive
from .discs import require_points
from .findings import FileRejected, LeftOut, OtherDrivers, Remark, describe_left_out, name_features
from .geojson import crs_conflict, read_geojson
from .geopackage import recover_database
from .kml import NAME, read_kml
from .limits import MOST_FIELDS, MOST_MEMORY, WRITE_AHEAD
from .texts import marked_encoding, require_codec

FORMATS = (
    "GeoJSON, GeoPackage, Shapefile, FlatGeobuf, KML, file geodatabase, GeoParquet or CSV with WKT"
)
# The number of bytes read to recognise a format: KML may begin with a long comment.
_SIGNATURE_BYTES = 100_000
_SIGNATURES = {
    # https://www.sqlite.org/fileformat.html, section 1.3
    b"SQLite format 3\0": "GPKG",
    # https://github.com/flatgeobuf/flatgeobuf: "fgb", major version 3, "fgb"
    b"fgb\x03fgb": "FlatGeobuf",
    # File code 9994 (ESRI Shapefile Technical Description, July 1998, table 1)
    b"\x00\x00\x27\x0a": "ESRI Shapefile",
    # Local file header, or the end record of an empty archive (APPNOTE.TXT 4.3.7 and 4.3.16)
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"PAR1": "GeoParquet",
}


_HEIGHTS = "Heights (Z) are ignored: fields are two-dimensional."


@dataclass(frozen=True)
class ReadOptions:
    layer: str | None
    epsg: int | None
    #: Python's name of the encoding.
    encoding: str | None
    #: Whether each point becomes a disc.
    has_points: bool


@dataclass(frozen=True)
class FileFields:
    fields: Fields
    layer: str | None
    name: str | None = None
    remarks: tuple[Remark, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    #: SHA-256 of a recovered database; None stands for the file's own hash.
    sha256: str | None = None


def read_fields(path: Path, name: str, options: ReadOptions) -> FileFields:
    kind = recognise_format(path, name)
    if kind == "zip":
        inner, shown, layer, label = extract_archive(path, name, options.layer)
        if recognise_format(inner, shown) == "zip":
            raise invalid_input(f"{shown} in {name} is itself an archive: extract it first")
        found = read_fields(inner, f"{shown} in {name}", replace(options, layer=layer))
        return replace(found, layer=label or found.layer, sha256=None)
    if kind == "GeoJSON":
        if options.layer is not None:
            raise invalid_input(f"{name} is GeoJSON, which has no layers: omit the layer")
        content = path.read_bytes()
        fields, remarks = read_geojson(content, name, options.epsg, options.encoding)
        return _check_fields(name, FileFields(fields, None, None, remarks), options)
    if kind == "KML":
        _require_wgs84(name, options.epsg)
        content = path.read_bytes()
        fields, remarks = read_kml(content, name, options.layer, options.encoding)
        named = NAME if fields.has_values(NAME) else None
        return _check_fields(name, FileFields(fields, options.layer, named, remarks), options)
    if kind == "GeoParquet":
        from .parquet import read_parquet

        fields = read_parquet(path, name, options.epsg)
        return _check_fields(name, FileFields(fields, None), options)
    sha256 = recover_database(path, name) if kind == "GPKG" else None
    from .vector import read_vector

    fields, layer, remarks = read_vector(
        path, kind, name, options.layer, options.epsg, options.encoding
    )
    return _check_fields(name, FileFields(fields, layer, None, remarks, sha256=sha256), options)


def recognise_format(path: Path, name: str) -> str:
    """Recognises the format by the first bytes, because names may be wrong. CSV has no signature."""
    if path.is_dir():
        return "OpenFileGDB"
    with open(path, "rb") as file:
        start = file.read(_SIGNATURE_BYTES)
    for signature, kind in _SIGNATURES.items():
        if start.startswith(signature):
            return kind
    text = start.decode(marked_encoding(start) or "utf-8", "replace")
    # GeoJSON text sequences have a record separator before each text (RFC 8142).
    text = text.removeprefix("\ufeff").lstrip("\x1e").lstrip()
    if text[:1] in ("{", "["):
        return "GeoJSON"
    if text.startswith("<") and re.search(r"<(\w+:)?kml[\s>]", text):
        return "KML"
    if path.suffix.lower() == ".csv" and text and "\0" not in text:
        return "CSV"
    if not start:
        raise FileRejected("empty", f"{name} is empty")
    if path.suffix.lower() in (".dbf", ".shx", ".prj", ".cpg"):
        raise FileRejected(
            "part_missing",
            f"{name} is only one part of a Shapefile: give its .shp file, or a .zip with all its parts",
        )
    raise FileRejected("unknown_format", f"{name} has an unknown format; expected {FORMATS}")


def _require_wgs84(name: str, epsg: int | None) -> None:
    if epsg not in (None, 4326):
        raise crs_conflict(name, "EPSG:4326", epsg)


def _check_fields(name: str, found: FileFields, options: ReadOptions) -> FileFields:
    given = found.fields.geometries
    if len(given) > MOST_FIELDS:
        raise FileRejected("too_large", f"{name} has more than {MOST_FIELDS:,} features: split it")
    if not options.has_points:
        return _keep_areas(name, found)
    points = require_points(found.fields, name)
    has_heights = any(
        abs(one) > 0 for each in given for place in points_in(each) for one in place[2:]
    )
    remarks = (Remark("heights", _HEIGHTS),) if has_heights else ()
    return replace(found, fields=points, remarks=(*found.remarks, *remarks))


def _keep_areas(name: str, found: FileFields) -> FileFields:
    """Removes features that are not areas. Features without a geometry remain: their jobs fail."""
    given = found.fields.geometries
    areas = [area_of(one) for one in given]
    left_out = tuple(
        LeftOut(at + 1, one.left_out) for at, one in enumerate(areas) if one.left_out is not None
    )
    told = "; ".join(describe_left_out(left_out))
    kinds = {one.left_out for one in areas if one.left_out or one.geometry}
    if kinds == {"point"}:
        raise FileRejected(
            "radius_needed",
            f"{name} has only points, which have no area: pass --buffer 50 to predict discs of 50 m radius around them",
        )
    if all(one.geometry is None for one in areas):
        raise FileRejected("no_polygons", f"{name} has no fields{f': {told}' if told else ''}")
    remarks = list(found.remarks)
    if any("heights" in one.remarks for one in areas):
        remarks.append(Remark("heights", _HEIGHTS))
    for kind, text in (
        ("parts_ignored", "points or lines next to the area, which are ignored"),
        ("not_finite", "a coordinate that is not a finite number: the job will fail"),
    ):
        rows = [at + 1 for at, one in enumerate(areas) if kind in one.remarks]
        if rows:
            has = "has" if len(rows) == 1 else "have"
            remarks.append(Remark(kind, f"In {name}, {name_features(rows)} {has} {text}."))
    if told:
        remarks.append(Remark("left_out", f"Left out of {name}: {told}."))
    kept = [at for at, one in enumerate(areas) if one.left_out is None]
    fields = replace(found.fields, geometries=tuple(one.geometry for one in areas)).only(kept)
    return replace(found, fields=fields, remarks=tuple(remarks), left_out=left_out)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        # Windows lacks `resource`; memory is not limited there.
        return
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(task: Any) -> dict[str, Any]:
    (path,) = (one for one in (Path(task["folder"]) / "input").iterdir() if _is_main_file(one))
    try:
        encoding = None if task["encoding"] is None else require_codec(task["encoding"])
        options = ReadOptions(task["layer"], task["epsg"], encoding, task["has_points"])
        found = read_fields(path, task["name"], options)
    except SoilError as error:
        return {"error": str(error), "kind": getattr(error, "kind", None)}
    except OtherDrivers as error:
        return {"drivers": error.names}
    except ImportError as error:
        return {"missing": str(error)}
    return {
        "fields": json.loads(found.fields.json),
        "layer": found.layer,
        "name": found.name,
        "remarks": [asdict(one) for one in found.remarks],
        "left_out": [asdict(one) for one in found.left_out],
        "sha256": found.sha256,
    }


def _is_main_file(path: Path) -> bool:
    is_part = path.suffix in (".shx", ".dbf", ".prj", ".cpg") and path.with_suffix(".shp").exists()
    return not is_part and not path.name.endswith(WRITE_AHEAD)


if __name__ == "__main__":
    _limit_memory()
    sys.stdout.write(json.dumps(main(json.loads(sys.argv[1]))))
