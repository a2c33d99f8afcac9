"""Reads one file within limits, and prints its fields as JSON. `load.py` starts it."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import SoilError, invalid_input
from ..fields import Fields
from .archive import extracted
from .geojson import read_geojson
from .limits import MOST_FIELDS, MOST_MEMORY

FORMATS = (
    "GeoJSON, GeoPackage, Shapefile, FlatGeobuf, KML, file geodatabase, GeoParquet or CSV with WKT"
)
_SIGNATURE_BYTES = 1024
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


@dataclass(frozen=True)
class Read:
    fields: Fields
    layer: str | None
    #: The column that names the fields if the user names none.
    name: str | None
    notes: tuple[str, ...] = ()


def read(path: Path, name: str, layer: str | None, epsg: int | None) -> Read:
    kind = kind_of(path, name)
    if kind == "zip":
        inner, shown, layer = extracted(path, name, layer)
        if kind_of(inner, shown) == "zip":
            raise invalid_input(f"{shown} in {name} is an archive itself: extract it first")
        return read(inner, f"{shown} in {name}", layer, epsg)
    if kind == "GeoJSON":
        if layer is not None:
            raise invalid_input(f"{name} is GeoJSON, which has no layers: omit the layer")
        return _kept(name, read_geojson(path.read_bytes(), name, epsg), None, None, ())
    if kind == "GeoParquet":
        from .vector import read_parquet

        return _kept(name, read_parquet(path, name, epsg), None, None, ())
    from .vector import read_vector

    fields, found, notes = read_vector(path, kind, name, layer, epsg)
    named = "Name" if kind == "LIBKML" and fields.has_values("Name") else None
    return _kept(name, fields, found, named, notes)


def kind_of(path: Path, name: str) -> str:
    """By the first bytes: a name may be wrong, but only CSV has nothing else."""
    if path.is_dir():
        return "OpenFileGDB"
    with open(path, "rb") as file:
        start = file.read(_SIGNATURE_BYTES)
    for signature, kind in _SIGNATURES.items():
        if start.startswith(signature):
            return kind
    text = start.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if text[:1] in ("{", "["):
        return "GeoJSON"
    if text.startswith("<") and re.search(r"<(\w+:)?kml[\s>]", text):
        return "LIBKML"
    if path.suffix.lower() == ".csv" and text and "\0" not in text:
        return "CSV"
    if not start:
        raise invalid_input(f"{name} is empty")
    if path.suffix.lower() in (".dbf", ".shx", ".prj", ".cpg"):
        raise invalid_input(
            f"{name} is only a part of a Shapefile: name its .shp file, or a .zip of all its parts"
        )
    raise invalid_input(f"{name} is not {FORMATS}")


def _kept(
    name: str, fields: Fields, layer: str | None, named: str | None, notes: tuple[str, ...]
) -> Read:
    """Without what is no polygon. A field without geometry is one whose job fails."""
    if len(fields.geometries) > MOST_FIELDS:
        raise invalid_input(f"{name} has more than {MOST_FIELDS:,} features: split it")
    kinds = [None if one is None else one["type"] for one in fields.geometries]
    others = [kind for kind in kinds if kind not in (None, "Polygon", "MultiPolygon")]
    kept = [at for at, kind in enumerate(kinds) if kind in (None, "Polygon", "MultiPolygon")]
    if all(kinds[at] is None for at in kept):
        what = ", ".join(f"{others.count(one)} {one}" for one in dict.fromkeys(others))
        found = f"no polygon, but {what}" if others else "no fields"
        raise invalid_input(f"{name} has {found}")
    if others:
        what = ", ".join(f"{others.count(one)} {one}" for one in dict.fromkeys(others))
        notes = (*notes, f"Left out of {name}, as it is no polygon: {what}.")
    return Read(fields.only(kept), layer, named, notes)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        # Windows has no such limit for a process that is not in a job object.
        return
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(task: Any) -> dict[str, Any]:
    (path,) = (one for one in (Path(task["folder"]) / "input").iterdir() if _is_main(one))
    try:
        found = read(path, task["name"], task["layer"], task["epsg"])
    except SoilError as error:
        return {"error": str(error)}
    except ImportError as error:
        return {"missing": str(error)}
    return {
        "fields": json.loads(found.fields.json),
        "layer": found.layer,
        "name": found.name,
        "notes": found.notes,
    }


def _is_main(path: Path) -> bool:
    """Not a part of a Shapefile beside its `.shp`."""
    return not (path.suffix in (".shx", ".dbf", ".prj", ".cpg") and _shp_of(path).exists())


def _shp_of(path: Path) -> Path:
    return path.with_suffix(".shp")


if __name__ == "__main__":
    _limit_memory()
    sys.stdout.write(json.dumps(main(json.loads(sys.argv[1]))))
