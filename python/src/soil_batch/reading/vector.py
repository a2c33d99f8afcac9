"""Formats that GDAL reads."""

from __future__ import annotations

import datetime
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..columns import Column, distinct, to_json_value
from ..extras import pyogrio, pyproj
from ..fields import Fields
from .archive import wrong_layer
from .dbf import as_plain_table
from .findings import FileRejected, OtherDrivers, Remark
from .geojson import NAME_IT, conflict, first_places, wkt_of
from .geopackage import stored_layer
from .limits import MOST_FIELDS
from .load import DRIVERS
from .texts import decode_text, decoded
from .wkb import geometry_of

_CSV_GEOMETRIES = ("wkt", "geom", "geometry", "the_geom", "wkt_geom", "shape")
_CSV_OPTIONS = {
    "GEOM_POSSIBLE_NAMES": ",".join(_CSV_GEOMETRIES),
    # GDAL reads the first geometry alone, so that several would go unnoticed.
    "KEEP_GEOM_COLUMNS": "YES",
    # Values stay texts: as numbers, codes would lose their zeros.
    "AUTODETECT_TYPE": "NO",
}
# These types are texts, numbers, dates and truth. Of others, such as memos, a .dbf has the number of a block.
_READ = ("C", "N", "F", "D", "L")
_TRUTH = {"T": True, "Y": True, "F": False, "N": False}
# Such a name says that the system is not known.
_NO_NAME = re.compile(r"((undefined|unknown|unnamed)\b.*)?", re.IGNORECASE | re.DOTALL)
# This Mercator is on the ellipsoid, Web Mercator on a sphere.
_OTHER_MERCATOR = re.compile(
    r'Web[ _]Mercator.*SPHEROID\s*\[[^\]]*,\s*298[^\]]*\].*PROJECTION\s*\[\s*"Mercator"',
    re.IGNORECASE | re.DOTALL,
)
_SEPARATOR_LINE = re.compile(r'\A"?sep=.?"?\r?\n', re.IGNORECASE)
# PostGIS writes EWKT, or EWKB in hexadecimal digits: byte order, type with 0x20 for an SRID, and that.
_EWKT = re.compile(r"""(?<![^\s",;|])SRID\s*=\s*(\d+)\s*;\s*(?=[A-Z])""", re.IGNORECASE)
_EWKB = re.compile(
    r"""(?<![^\s",;|])(?:01[\dA-F]{2}0000[26AE]0|(00)[26AE]00000[\dA-F]{2})([\dA-F]{8})(?=[\dA-F])""",
    re.IGNORECASE,
)


def read_vector(
    path: Path, kind: str, name: str, layer: str | None, epsg: int | None, encoding: str | None
) -> tuple[Fields, str | None, tuple[Remark, ...]]:
    """The fields, the layer that has them, and what the user should know."""
    others = set(_import_pyogrio().list_drivers()) - set(DRIVERS)
    if others:
        raise OtherDrivers(sorted(others))
    key = own = chosen = codec = rows = None
    types = ""
    remarks: tuple[Remark, ...] = ()
    if kind == "GPKG":
        layer, key, rows = stored_layer(path, name, layer)
        chosen = _index_of(path, name, layer)
    elif kind == "OpenFileGDB":
        layer, chosen = _listed_layer(path, name, layer)
    elif kind == "ESRI Shapefile":
        stem = Path(name.split(" in ")[0]).stem
        if layer not in (None, stem):
            raise wrong_layer(name, [stem], layer)
        _require_parts(path, name)
        _require_one_mercator(path, name)
        layer = stem
        table = as_plain_table(path, name, encoding)
        codec, remarks, rows, types = table.codec, table.remarks, table.rows, table.types
    elif kind == "CSV":
        own, remarks = _as_plain_csv(path, name, encoding)
    meta, fids, wkb, values = _read_layer(path, kind, name, chosen, rows)
    if wkb is None:
        what = 'write them as WKT into a column named "wkt" or "geometry"'
        hint = f": {what}" if kind == "CSV" else ""
        raise FileRejected("no_polygons", f"{name} has no polygons{hint}")
    columns = _columns(meta, values, codec)
    if kind == "CSV":
        columns = _without_geometry(columns, name)
    if len(types) == len(columns):
        columns = [_of_type(one, type_) for one, type_ in zip(columns, types) if type_ in _READ]
    if key is not None and key not in [one.name for one in columns]:
        # People give a GeoPackage's key names, and name fields by it.
        columns.insert(0, Column(key, "int64", fids.tolist()))
    geometries = geometries_of(wkb)
    crs = crs_of(own or meta["crs"], name, epsg, geometries)
    fields = Fields(crs, geometries, distinct(columns), None, "geometry")
    return fields, None if kind in ("CSV", "FlatGeobuf") else layer, remarks


def _import_pyogrio() -> Any:
    """Without the packages that pyogrio needs for data frames: their import takes longer than most files."""
    hidden = [name for name in ("geopandas", "pandas", "pyarrow") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        return pyogrio()
    finally:
        for name in hidden:
            del sys.modules[name]


def geometries_of(wkb: Any) -> tuple[Any, ...]:
    """A damaged one is a field without geometry, whose job fails."""
    found = []
    for one in wkb:
        try:
            found.append(None if one is None else geometry_of(one))
        except ValueError:
            found.append(None)
    return tuple(found)


def _read_layer(path: Path, kind: str, name: str, layer: int | None, rows: int | None) -> Any:
    options: dict[str, Any] = {"GPKG": {"LIST_ALL_TABLES": "NO"}, "CSV": _CSV_OPTIONS}.get(kind, {})
    # A Shapefile's texts come with a character for each byte: `texts` knows more of encodings than GDAL.
    encoding = "ISO-8859-1" if kind == "ESRI Shapefile" else "UTF-8" if kind == "CSV" else None
    # Beyond the last feature, pyogrio raises what one of them had.
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
        raise _damaged(str(error).replace(str(path), name), name) from None
    if rows is not None and len(found[1]) != most:
        raise _damaged(f"GDAL finds {len(found[1]):,} of its {rows:,} features", name)
    return found


def _gdal_errors() -> tuple[type[Exception], ...]:
    """What pyogrio raises. GDAL's messages name the copy."""
    errors = pyogrio().errors
    return (errors.DataSourceError, errors.DataLayerError, ValueError, RuntimeError)


def _damaged(what: str, name: str) -> FileRejected:
    return FileRejected("damaged", f"{name} is damaged: {what}")


def _layers(path: Path, name: str) -> list[tuple[str, bool]]:
    """The layers by name, and whether they have geometry: tables have none."""
    try:
        return [(str(one), kind is not None) for one, kind in pyogrio().list_layers(path)]
    except _gdal_errors() as error:
        raise _damaged(str(error).replace(str(path), name), name) from None


def _index_of(path: Path, name: str, layer: str) -> int:
    """Layers are read by index: GDAL may find another one by its name."""
    names = [one for one, _ in _layers(path, name)]
    if layer not in names:
        raise _damaged(f'GDAL does not find its layer "{layer}"', name)
    return names.index(layer)


def _listed_layer(path: Path, name: str, wanted: str | None) -> tuple[str, int]:
    layers = _layers(path, name)
    chosen = [
        (one, at)
        for at, (one, has_geometry) in enumerate(layers)
        if has_geometry and wanted in (None, one)
    ]
    if len(chosen) != 1:
        raise wrong_layer(name, [one for one, has_geometry in layers if has_geometry], wanted)
    return chosen[0]


def _require_parts(path: Path, name: str) -> None:
    for ending in (".shx", ".dbf"):
        if not path.with_suffix(ending).exists():
            raise FileRejected(
                "part_missing",
                f"the {ending} file of {name} is missing: a Shapefile needs its .shp, .shx and .dbf"
                " files, and has its system in a .prj file, side by side",
            )


def _require_one_mercator(path: Path, name: str) -> None:
    """PROJ goes by the name of this system (https://github.com/OSGeo/PROJ/issues/4639): 18 km apart."""
    prj = path.with_suffix(".prj")
    text = prj.read_bytes()[:10_000].decode("utf-8", "replace") if prj.exists() else ""
    if _OTHER_MERCATOR.search(text):
        raise FileRejected(
            "crs_unusable",
            f"the .prj file of {name} names Web Mercator, but describes another Mercator projection: export"
            " the fields again, in EPSG:4326",
        )


def _of_type(column: Column, type_: str) -> Column:
    if type_ == "D":
        return Column(column.name, "date", [_date(one) for one in column.values])
    if type_ == "L":
        truths = [_TRUTH.get(str(one).upper()) for one in column.values]
        return Column(column.name, "boolean" if None in truths else "bool", truths)
    return column


def _date(text: Any) -> str | None:
    """Some programs write zeros for no date."""
    try:
        return datetime.datetime.strptime(str(text), "%Y%m%d").date().isoformat()
    except ValueError:
        return None


def _columns(meta: Any, values: Any, codec: str | None) -> list[Column]:
    def text_of(text: str) -> str:
        return text if codec is None else decode_text(text.encode("latin-1"), codec)

    columns = []
    kinds = zip(meta["fields"], meta["ogr_types"], meta["ogr_subtypes"], values)
    for field, ogr, subtype, array in kinds:
        if ogr == "OFTBinary":
            continue
        ones = [to_json_value(one) for one in array.tolist()]
        missing = any(one is None for one in ones)
        if subtype == "OFSTBoolean":
            ones = [None if one is None else bool(one) for one in ones]
            dtype = "boolean" if missing else "bool"
        elif ogr in ("OFTInteger", "OFTInteger64"):
            ones = [None if one is None else int(one) for one in ones]
            dtype = "Int64" if missing else "int64"
        else:
            dtype = {"OFTReal": "float64", "OFTDate": "date", "OFTDateTime": "datetime64[ms]"}.get(
                ogr, "object"
            )
        if ogr == "OFTString":
            ones = [None if one is None else text_of(one) for one in ones]
        columns.append(Column(text_of(str(field)), dtype, ones))
    return columns


def _as_plain_csv(
    path: Path, name: str, encoding: str | None
) -> tuple[str | None, tuple[Remark, ...]]:
    """Writes the copy again, in UTF-8 and without the systems that PostGIS puts into each geometry."""
    text, remarks = decoded(path.read_bytes(), name, encoding)
    # Excel writes a line with the separator first, and GDAL finds the separator by itself.
    text = _SEPARATOR_LINE.sub("", text)
    codes = {int(one[1]) for one in _EWKT.finditer(text)}
    codes |= {
        int.from_bytes(bytes.fromhex(one[2]), "big" if one[1] else "little")
        for one in _EWKB.finditer(text)
    }
    # 0 stands for an unknown system.
    codes.discard(0)
    if len(codes) > 1:
        listed = ", ".join(f"EPSG:{one}" for one in sorted(codes))
        raise FileRejected("crs_conflict", f"{name} has geometries in several systems: {listed}")
    path.write_text(_EWKT.sub("", text), encoding="utf-8", newline="")
    return (f"EPSG:{codes.pop()}" if codes else None), remarks


def _without_geometry(columns: list[Column], name: str) -> list[Column]:
    """GDAL itself writes several geometries of a feature into columns that start with _WKT."""
    found = [
        one.name
        for one in columns
        if re.fullmatch("|".join((*_CSV_GEOMETRIES, "_wkt.*")), one.name, re.IGNORECASE | re.DOTALL)
    ]
    if len(found) > 1:
        raise FileRejected(
            "geometries_several",
            f"{name} has several columns of geometries: {', '.join(found)}. Rename or remove all but one",
        )
    return [one for one in columns if one.name not in found]


def crs_of(own: Any, name: str, epsg: int | None, geometries: Sequence[Any]) -> str | None:
    """As WKT; None for WGS 84."""
    system = None if own is None else _known_crs(own, name)
    if system is not None and _NO_NAME.fullmatch(system.name or "") and not system.to_epsg():
        # One that is called unknown gives way to that of the user.
        system = None
    if system is None and epsg is None:
        raise FileRejected(
            "crs_needed",
            f"{name} does not name its coordinate reference system, without which its coordinates"
            f" mean nothing: {_name_it(geometries)}",
        )
    if system is None:
        return None if epsg == 4326 else wkt_of(epsg or 0)
    # QGIS names no code in the .prj file of a Shapefile.
    is_crs84 = system.to_authority() == ("OGC", "CRS84")
    code = 4326 if is_crs84 else system.to_epsg() or _code_like(system)
    if epsg is not None and code != epsg:
        raise conflict(name, system.name if code is None else f"EPSG:{code}", epsg)
    return None if code == 4326 else str(system.to_wkt())


def _code_like(system: Any) -> int | None:
    """The code of one that has its name. Some have the name alone, and another unit or meridian."""
    code: int | None = system.to_epsg(min_confidence=20)
    if code is None:
        return None
    like = pyproj().CRS.from_epsg(code)
    is_like = all(
        math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)
        for a, b in zip(_units_of(system), _units_of(like))
    )
    return code if is_like else None


def _units_of(system: Any) -> tuple[float, float]:
    return system.prime_meridian.longitude, system.axis_info[0].unit_conversion_factor


def _known_crs(own: Any, name: str) -> Any:
    try:
        return pyproj().CRS.from_user_input(own)
    except pyproj().exceptions.CRSError:
        raise FileRejected(
            "crs_unknown",
            f"the coordinate reference system of {name} is not known: {str(own)[:80]}",
        ) from None


def _name_it(geometries: Sequence[Any]) -> str:
    places = first_places(geometries)
    if places and all(abs(lon) <= 180 and abs(lat) <= 90 for lon, lat in places):
        return "if they are longitude and latitude, add --crs EPSG:4326"
    return NAME_IT
