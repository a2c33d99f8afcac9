"""Reads files with GDAL."""

from __future__ import annotations

import datetime
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..columns import Column, number_duplicates, to_json_value
from ..extras import pyogrio, pyproj
from ..fields import Fields
from .archive import wrong_layer_error
from .dbf import rewrite_table
from .findings import FileRejected, OtherDrivers, Remark
from .geojson import NAME_IT, crs_conflict, find_wkt, first_positions
from .geopackage import choose_layer
from .limits import MOST_FIELDS
from .load import DRIVERS
from .texts import decode_file, decode_text
from .wkb import decode_geometry

_CSV_GEOMETRIES = ("wkt", "geom", "geometry", "the_geom", "wkt_geom", "shape")
_CSV_OPTIONS = {
    "GEOM_POSSIBLE_NAMES": ",".join(_CSV_GEOMETRIES),
    # Keeps all geometry columns: GDAL reads only the first one, so that others would go unnoticed.
    "KEEP_GEOM_COLUMNS": "YES",
    # Keeps values as text: as numbers, codes would lose leading zeros.
    "AUTODETECT_TYPE": "NO",
}
# Text, numbers, dates and logical values. Other types are binary or, like memos, block numbers of another file.
_READ = ("C", "N", "F", "D", "L")
_TRUTH = {"T": True, "Y": True, "F": False, "N": False}
# Names that stand for an unknown CRS.
_NO_NAME = re.compile(r"((undefined|unknown|unnamed)\b.*)?", re.IGNORECASE | re.DOTALL)
# A CRS that is named Web Mercator but projects the ellipsoid; Web Mercator projects a sphere.
_OTHER_MERCATOR = re.compile(
    r'Web[ _]Mercator.*SPHEROID\s*\[[^\]]*,\s*298[^\]]*\].*PROJECTION\s*\[\s*"Mercator"',
    re.IGNORECASE | re.DOTALL,
)
_SEPARATOR_LINE = re.compile(r'\A"?sep=.?"?\r?\n', re.IGNORECASE)
# PostGIS writes EWKT, or EWKB in hexadecimal: the byte order, the type with the flag 0x20000000, and the SRID.
_EWKT = re.compile(r"""(?<![^\s",;|])SRID\s*=\s*(\d+)\s*;\s*(?=[A-Z])""", re.IGNORECASE)
_EWKB = re.compile(
    r"""(?<![^\s",;|])(?:01[\dA-F]{2}0000[26AE]0|(00)[26AE]00000[\dA-F]{2})([\dA-F]{8})(?=[\dA-F])""",
    re.IGNORECASE,
)


def read_vector(
    path: Path, kind: str, name: str, layer: str | None, epsg: int | None, encoding: str | None
) -> tuple[Fields, str | None, tuple[Remark, ...]]:
    others = set(_import_pyogrio().list_drivers()) - set(DRIVERS)
    if others:
        raise OtherDrivers(sorted(others))
    key = declared = chosen = codec = rows = None
    types = ""
    remarks: tuple[Remark, ...] = ()
    if kind == "GPKG":
        layer, key, rows = choose_layer(path, name, layer)
        chosen = _find_layer_index(path, name, layer)
    elif kind == "OpenFileGDB":
        layer, chosen = _choose_listed_layer(path, name, layer)
    elif kind == "ESRI Shapefile":
        stem = Path(name.split(" in ")[0]).stem
        if layer not in (None, stem):
            raise wrong_layer_error(name, [stem], layer)
        _require_parts(path, name)
        _reject_false_web_mercator(path, name)
        layer = stem
        table = rewrite_table(path, name, encoding)
        codec, remarks, rows, types = table.codec, table.remarks, table.rows, table.types
    elif kind == "CSV":
        declared, remarks = _rewrite_csv(path, name, encoding)
    meta, fids, wkb, values = _read_layer(path, kind, name, chosen, rows)
    if wkb is None:
        what = 'write them as WKT into a column named "wkt" or "geometry"'
        hint = f": {what}" if kind == "CSV" else ""
        raise FileRejected("no_polygons", f"{name} has no polygons{hint}")
    columns = _convert_columns(meta, values, codec)
    if kind == "CSV":
        columns = _remove_geometry_column(columns, name)
    if len(types) == len(columns):
        columns = [
            _convert_column(one, type_) for one, type_ in zip(columns, types) if type_ in _READ
        ]
    if key is not None and key not in [one.name for one in columns]:
        # Kept as a column, because people name fields by the key.
        columns.insert(0, Column(key, "int64", fids.tolist()))
    geometries = decode_geometries(wkb)
    crs = determine_crs(declared or meta["crs"], name, epsg, geometries)
    fields = Fields(crs, geometries, number_duplicates(columns), None, "geometry")
    return fields, None if kind in ("CSV", "FlatGeobuf") else layer, remarks


def _import_pyogrio() -> Any:
    """Imports pyogrio without the packages for data frames, whose import is slow."""
    hidden = [name for name in ("geopandas", "pandas", "pyarrow") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        return pyogrio()
    finally:
        for name in hidden:
            del sys.modules[name]


def decode_geometries(wkb: Any) -> tuple[Any, ...]:
    """Decodes geometries. A damaged one counts as missing, so that its job fails."""
    found = []
    for one in wkb:
        try:
            found.append(None if one is None else decode_geometry(one))
        except ValueError:
            found.append(None)
    return tuple(found)


def _read_layer(path: Path, kind: str, name: str, layer: int | None, rows: int | None) -> Any:
    options: dict[str, Any] = {"GPKG": {"LIST_ALL_TABLES": "NO"}, "CSV": _CSV_OPTIONS}.get(kind, {})
    # Latin-1 preserves the bytes of a Shapefile's text for `texts.py`, which detects encodings better than GDAL.
    encoding = "ISO-8859-1" if kind == "ESRI Shapefile" else "UTF-8" if kind == "CSV" else None
    # If pyogrio read beyond the last feature, it would raise an error that an earlier feature caused.
    most = MOST_FIELDS + 1 if rows is None else min(rows, MOST_FIELDS + 1)
    try:
        found = pyogrio().raw.read(
            path,
            layer=layer,
            encoding=encoding,
            max_features=most,
            return_fids=True,
            datetime_as_string=True,
            **options,
        )
    except _gdal_errors() as error:
        raise _damaged_error(str(error).replace(str(path), name), name) from None
    if rows is not None and len(found[1]) != most:
        raise _damaged_error(f"GDAL can read only {len(found[1]):,} of its {rows:,} features", name)
    return found


def _gdal_errors() -> tuple[type[Exception], ...]:
    """The messages of these exceptions name the copy of the file, not the user's file."""
    errors = pyogrio().errors
    return (errors.DataSourceError, errors.DataLayerError, ValueError, RuntimeError)


def _damaged_error(what: str, name: str) -> FileRejected:
    return FileRejected("damaged", f"{name} is damaged: {what}")


def _list_layers(path: Path, name: str) -> list[tuple[str, bool]]:
    """:returns: the names of the layers, and whether each has geometries"""
    try:
        return [(str(one), kind is not None) for one, kind in pyogrio().list_layers(path)]
    except _gdal_errors() as error:
        raise _damaged_error(str(error).replace(str(path), name), name) from None


def _find_layer_index(path: Path, name: str, layer: str) -> int:
    """Finds the index of a layer, because GDAL could find a different layer by name."""
    names = [one for one, _ in _list_layers(path, name)]
    if layer not in names:
        raise _damaged_error(f'GDAL cannot find its layer "{layer}"', name)
    return names.index(layer)


def _choose_listed_layer(path: Path, name: str, wanted: str | None) -> tuple[str, int]:
    layers = _list_layers(path, name)
    chosen = [
        (one, at)
        for at, (one, has_geometry) in enumerate(layers)
        if has_geometry and wanted in (None, one)
    ]
    if len(chosen) != 1:
        raise wrong_layer_error(name, [one for one, has_geometry in layers if has_geometry], wanted)
    return chosen[0]


def _require_parts(path: Path, name: str) -> None:
    for ending in (".shx", ".dbf"):
        if not path.with_suffix(ending).exists():
            raise FileRejected(
                "part_missing",
                f"the {ending} file of {name} is missing: a Shapefile needs its .shp, .shx and .dbf files in the"
                " same folder, and a .prj file that names its CRS",
            )


def _reject_false_web_mercator(path: Path, name: str) -> None:
    """Rejects a CRS whose name makes PROJ read it as Web Mercator, up to 18 km off (https://github.com/OSGeo/PROJ/issues/4639)."""
    prj = path.with_suffix(".prj")
    text = prj.read_bytes()[:10_000].decode("utf-8", "replace") if prj.exists() else ""
    if _OTHER_MERCATOR.search(text):
        raise FileRejected(
            "crs_unusable",
            f"the .prj file of {name} names Web Mercator but defines another Mercator projection: export"
            " the fields again in EPSG:4326",
        )


def _convert_column(column: Column, type_: str) -> Column:
    if type_ == "D":
        return Column(column.name, "date", [_parse_date(one) for one in column.values])
    if type_ == "L":
        truths = [_TRUTH.get(str(one).upper()) for one in column.values]
        return Column(column.name, "boolean" if None in truths else "bool", truths)
    return column


def _parse_date(text: Any) -> str | None:
    """Returns None for an invalid date: some programs write zeros for a missing date."""
    try:
        return datetime.datetime.strptime(str(text), "%Y%m%d").date().isoformat()
    except ValueError:
        return None


def _convert_columns(meta: Any, values: Any, codec: str | None) -> list[Column]:
    def text_of(text: str) -> str:
        return text if codec is None else decode_text(text.encode("latin-1"), codec)

    columns = []
    kinds = zip(meta["fields"], meta["ogr_types"], meta["ogr_subtypes"], values)
    for field, ogr, subtype, array in kinds:
        if ogr == "OFTBinary":
            continue
        converted = [to_json_value(one) for one in array.tolist()]
        missing = any(one is None for one in converted)
        if subtype == "OFSTBoolean":
            converted = [None if one is None else bool(one) for one in converted]
            dtype = "boolean" if missing else "bool"
        elif ogr in ("OFTInteger", "OFTInteger64"):
            converted = [None if one is None else int(one) for one in converted]
            dtype = "Int64" if missing else "int64"
        else:
            dtype = {"OFTReal": "float64", "OFTDate": "date", "OFTDateTime": "datetime64[ms]"}.get(
                ogr, "object"
            )
        if ogr == "OFTString":
            converted = [None if one is None else text_of(one) for one in converted]
        columns.append(Column(text_of(str(field)), dtype, converted))
    return columns


def _rewrite_csv(
    path: Path, name: str, encoding: str | None
) -> tuple[str | None, tuple[Remark, ...]]:
    """Rewrites the copied CSV in UTF-8, without the SRIDs that PostGIS writes before WKT."""
    text, remarks = decode_file(path.read_bytes(), name, encoding)
    # Excel may write a first line that names the separator, which GDAL detects by itself.
    text = _SEPARATOR_LINE.sub("", text)
    codes = {int(one[1]) for one in _EWKT.finditer(text)}
    codes |= {
        int.from_bytes(bytes.fromhex(one[2]), "big" if one[1] else "little")
        for one in _EWKB.finditer(text)
    }
    # 0 stands for an unknown CRS.
    codes.discard(0)
    if len(codes) > 1:
        listed = ", ".join(f"EPSG:{one}" for one in sorted(codes))
        raise FileRejected("crs_conflict", f"{name} has geometries in several CRSs: {listed}")
    path.write_text(_EWKT.sub("", text), encoding="utf-8", newline="")
    return (f"EPSG:{codes.pop()}" if codes else None), remarks


def _remove_geometry_column(columns: list[Column], name: str) -> list[Column]:
    """Removes the geometry column, whose name may also start with `_WKT`."""
    found = [
        one.name
        for one in columns
        if re.fullmatch("|".join((*_CSV_GEOMETRIES, "_wkt.*")), one.name, re.IGNORECASE | re.DOTALL)
    ]
    if len(found) > 1:
        raise FileRejected(
            "geometries_several",
            f"{name} has several geometry columns: {', '.join(found)}. Rename or remove all but one",
        )
    return [one for one in columns if one.name not in found]


def determine_crs(
    declared: Any, name: str, epsg: int | None, geometries: Sequence[Any]
) -> str | None:
    """:returns: the CRS as WKT; None for WGS 84"""
    system = None if declared is None else _parse_crs(declared, name)
    if system is not None and _NO_NAME.fullmatch(system.name or "") and not system.to_epsg():
        # A CRS whose name means unknown does not count, so that the user can name one.
        system = None
    if system is None and epsg is None:
        raise FileRejected(
            "crs_needed",
            f"{name} does not name its coordinate reference system, which is needed to locate its"
            f" fields: {_suggest_crs(geometries)}",
        )
    if system is None:
        return None if epsg == 4326 else find_wkt(epsg or 0)
    # The .prj files that QGIS writes contain no EPSG code, so it is also looked up by the name of the CRS.
    is_crs84 = system.to_authority() == ("OGC", "CRS84")
    code = 4326 if is_crs84 else system.to_epsg() or _find_code_by_name(system)
    if epsg is not None and code != epsg:
        raise crs_conflict(name, system.name if code is None else f"EPSG:{code}", epsg)
    return None if code == 4326 else str(system.to_wkt())


def _find_code_by_name(system: Any) -> int | None:
    """Finds the EPSG code of the CRS with a similar name, unless the two differ in unit or prime meridian."""
    code: int | None = system.to_epsg(min_confidence=20)
    if code is None:
        return None
    like = pyproj().CRS.from_epsg(code)
    is_like = all(
        math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)
        for a, b in zip(_read_units(system), _read_units(like))
    )
    return code if is_like else None


def _read_units(system: Any) -> tuple[float, float]:
    return system.prime_meridian.longitude, system.axis_info[0].unit_conversion_factor


def _parse_crs(declared: Any, name: str) -> Any:
    try:
        return pyproj().CRS.from_user_input(declared)
    except pyproj().exceptions.CRSError:
        raise FileRejected(
            "crs_unknown",
            f"the coordinate reference system of {name} is unknown: {str(declared)[:80]}",
        ) from None


def _suggest_crs(geometries: Sequence[Any]) -> str:
    places = first_positions(geometries)
    if places and all(abs(lon) <= 180 and abs(lat) <= 90 for lon, lat in places):
        return "if the coordinates are longitude and latitude, add --crs EPSG:4326"
    return NAME_IT
