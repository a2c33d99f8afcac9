"""Formats that GDAL reads."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

from ..columns import Column, plain
from ..errors import invalid_input
from ..extras import geopandas, pyogrio, pyproj, shapely
from ..fields import Fields
from .archive import wrong_layer
from .geojson import NAME_IT, wkt_of
from .limits import MOST_FIELDS
from .load import DRIVERS

# Columns of LIBKML that say how a Placemark is drawn.
_KML_COLUMNS = (
    "id",
    "timestamp",
    "begin",
    "end",
    "altitudeMode",
    "tessellate",
    "extrude",
    "visibility",
    "drawOrder",
    "icon",
)
_CSV_OPTIONS = {
    "GEOM_POSSIBLE_NAMES": "wkt,geom,geometry,the_geom,wkt_geom,shape",
    "KEEP_GEOM_COLUMNS": "NO",
    # Values stay texts: as numbers, codes would lose their zeros.
    "AUTODETECT_TYPE": "NO",
}
_LANGUAGE_DRIVER_BYTE = 29
# Names that say that the system is not known.
_NO_NAME = re.compile(r"((undefined|unknown|unnamed)\b.*)?", re.IGNORECASE | re.DOTALL)


def read_vector(
    path: Path, kind: str, name: str, layer: str | None, epsg: int | None
) -> tuple[Fields, str | None, tuple[str, ...]]:
    """The fields, the layer that has them, and what the user should know."""
    others = set(pyogrio().list_drivers()) - set(DRIVERS)
    if others:
        raise invalid_input(f"{name} is not read: GDAL would try {', '.join(sorted(others))}, too")
    key = None
    if kind == "GPKG":
        layer, key = _geopackage_layer(path, name, layer)
    elif kind == "ESRI Shapefile":
        stem = Path(name.split(" in ")[0]).stem
        if layer not in (None, stem):
            raise wrong_layer(name, [stem], layer)
        _require_parts(path, name)
        layer = stem
    try:
        chosen = layer if kind in ("GPKG", "LIBKML", "OpenFileGDB") else None
        if kind in ("LIBKML", "OpenFileGDB"):
            layer = chosen = _listed_layer(path, name, layer)
        meta, fids, geometry, values = _read(path, kind, chosen)
    # pyogrio raises each of these; GDAL's messages name the copy.
    except (pyogrio().errors.DataSourceError, ValueError, RuntimeError) as error:
        reason = str(error).replace(str(path), name)
        raise invalid_input(f"{name} is damaged: {reason}") from None
    if geometry is None:
        what = 'write them as WKT into a column named "wkt" or "geometry"'
        hint = f": {what}" if kind == "CSV" else ""
        raise invalid_input(f"{name} has no polygons{hint}")
    columns = _columns(meta, values, kind)
    if key is not None and key not in [one.name for one in columns]:
        # People give a GeoPackage's key names, and name fields by it.
        columns.insert(0, Column(key, "int64", fids.tolist()))
    geometries, notes = _geometries(geometry)
    crs = _crs(meta["crs"], name, epsg)
    fields = Fields(crs, geometries, tuple(columns), None, "geometry")
    return fields, None if kind in ("CSV", "FlatGeobuf") else layer, notes


def read_parquet(path: Path, name: str, epsg: int | None) -> Fields:
    try:
        frame = geopandas().read_parquet(path)
    except ImportError:
        raise ImportError(f"{name} is GeoParquet: pip install pyarrow") from None
    except (ValueError, OSError) as error:
        raise invalid_input(f"{name} is damaged, or not GeoParquet: {error}") from None
    own = None if frame.crs is None else frame.crs.to_wkt()
    frame = frame.set_crs(_crs(own, name, epsg) or "OGC:CRS84", allow_override=True)
    if len(frame) > MOST_FIELDS:
        raise invalid_input(f"{name} has more than {MOST_FIELDS:,} features: split it")
    return Fields.of_frame(frame)


def _read(path: Path, kind: str, layer: str | None) -> Any:
    options: dict[str, Any] = {"GPKG": {"LIST_ALL_TABLES": "NO"}, "CSV": _CSV_OPTIONS}.get(kind, {})
    encodings: tuple[str | None, ...] = (None,)
    if kind == "ESRI Shapefile" and not _names_encoding(path):
        # UTF-8 if every text is valid in it, which other encodings hardly ever are.
        encodings = ("UTF-8", "CP1252")
    for encoding in encodings:
        try:
            return pyogrio().raw.read(
                path,
                layer=layer,
                encoding=encoding,
                max_features=MOST_FIELDS + 1,
                return_fids=True,
                datetime_as_string=True,
                **options,
            )
        except UnicodeDecodeError:
            if encoding == encodings[-1]:
                raise
    raise AssertionError


def _names_encoding(path: Path) -> bool:
    cpg = path.with_suffix(".cpg")
    if cpg.exists() and cpg.read_bytes().strip():
        return True
    with open(path.with_suffix(".dbf"), "rb") as file:
        return file.read(_LANGUAGE_DRIVER_BYTE + 1)[_LANGUAGE_DRIVER_BYTE:] not in (b"", b"\0")


def _require_parts(path: Path, name: str) -> None:
    for ending in (".shx", ".dbf"):
        if not path.with_suffix(ending).exists():
            raise invalid_input(
                f"the {ending} file of {name} is missing: a Shapefile needs its .shp, .shx and .dbf"
                " files, and has its system in a .prj file, side by side"
            )


def _listed_layer(path: Path, name: str, wanted: str | None) -> str:
    # Those without a type are tables without geometry.
    names = [str(one) for one, kind in pyogrio().list_layers(path) if kind is not None]
    chosen = [one for one in names if wanted in (None, one)]
    if len(chosen) != 1:
        raise wrong_layer(name, names, wanted)
    return chosen[0]


def _geopackage_layer(path: Path, name: str, wanted: str | None) -> tuple[str, str | None]:
    """
    The layer, and its key. A view may be a query without end, and a generated column may take any memory:
    only stored tables are read.
    """
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        stored = dict(
            connection.execute(
                "SELECT lower(name), type || ' ' || coalesce(sql, '') FROM sqlite_master"
                " WHERE type IN ('table', 'view')"
            ).fetchall()
        )
        for table, definition in stored.items():
            if table.startswith("gpkg_"):
                _require_stored(connection, name, table, definition)
        if "gpkg_geometry_columns" not in stored:
            raise invalid_input(f"{name} is an SQLite file, but no GeoPackage")
        found = connection.execute("SELECT table_name FROM gpkg_geometry_columns").fetchall()
        layers = [str(one) for (one,) in found]
        chosen = [one for one in layers if wanted in (None, one)]
        if len(chosen) != 1:
            raise wrong_layer(name, layers, wanted)
        (layer,) = chosen
        # SQLite ignores the case of ASCII letters alone.
        definition = stored.get(_ascii_lower(layer), "")
        return layer, _require_stored(connection, name, layer, definition)
    except sqlite3.Error as error:
        raise invalid_input(f"{name} is damaged: {error}") from None
    finally:
        connection.close()


def _ascii_lower(text: str) -> str:
    return "".join(one.lower() if one.isascii() else one for one in text)


def _require_stored(
    connection: sqlite3.Connection, name: str, table: str, definition: str
) -> str | None:
    """The key of a stored table."""
    kind, _, sql = definition.partition(" ")
    if kind != "table" or re.match(r"create\s+virtual", sql, re.IGNORECASE):
        raise invalid_input(
            f'"{table}" in {name} is no stored table, but a view or a virtual one: export it'
        )
    quoted = table.replace('"', '""')
    columns = connection.execute(f'PRAGMA table_xinfo("{quoted}")').fetchall()
    if any(hidden for *_, hidden in columns):
        raise invalid_input(f'"{table}" in {name} has columns that are computed: export it')
    keys = [
        column for _, column, kind, _, _, key, _ in columns if key and kind.upper() == "INTEGER"
    ]
    return str(keys[0]) if len(keys) == 1 else None


def _columns(meta: Any, values: Any, kind: str) -> list[Column]:
    columns = []
    kinds = zip(meta["fields"], meta["ogr_types"], meta["ogr_subtypes"], values)
    for field, ogr, subtype, array in kinds:
        if ogr == "OFTBinary" or (kind == "LIBKML" and field in _KML_COLUMNS):
            continue
        ones = [plain(one) for one in array.tolist()]
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
        columns.append(Column(_description(str(field), kind), dtype, ones))
    return columns


def _description(field: str, kind: str) -> str:
    """As GDAL's other driver and QGIS call it."""
    return "Description" if kind == "LIBKML" and field == "description" else field


def _geometries(wkb: Any) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    shapes = shapely().from_wkb(wkb, on_invalid="ignore")
    heights = shapely().get_coordinates(shapes, include_z=True)[:, 2]
    # KML has a height of 0 for each corner.
    has_heights = bool((abs(heights) > 0).any())
    notes = ("Heights (Z) are not used: the fields are two-dimensional.",) if has_heights else ()
    found = [
        {"type": "geometry of another kind"}
        if one is None and given is not None
        else _geometry(one)
        for one, given in zip(shapely().force_2d(shapes), wkb)
    ]
    return tuple(found), notes


def _geometry(shape: Any) -> Any:
    if shape is None or (shape.is_empty and shape.geom_type in ("Polygon", "MultiPolygon")):
        return None
    if shape.geom_type == "GeometryCollection" and not shape.is_empty:
        # A MultiGeometry of KML.
        parts = shapely().get_parts(shape)
        if all(one.geom_type == "Polygon" for one in parts):
            shape = shapely().geometry.MultiPolygon(list(parts))
    return shapely().geometry.mapping(shape)


def _crs(own: str | None, name: str, epsg: int | None) -> str | None:
    """As WKT; None for WGS 84."""
    system = None if own is None else pyproj().CRS.from_user_input(own)
    if system is not None and _NO_NAME.fullmatch(system.name or "") and not system.to_epsg():
        # One that is called unknown gives way to that of the user.
        system = None
    if system is None and epsg is None:
        raise invalid_input(
            f"{name} does not name its coordinate reference system, without which its coordinates"
            f" mean nothing: {NAME_IT}"
        )
    if system is None:
        return None if epsg == 4326 else wkt_of(epsg or 0)
    # QGIS names no code in the .prj file of a Shapefile.
    code = system.to_epsg() or system.to_epsg(min_confidence=20)
    if epsg is not None and code != epsg:
        shown = system.name if code is None else f"EPSG:{code}"
        raise invalid_input(f"{name} says itself that it is in {shown}, not in EPSG:{epsg}")
    return None if code == 4326 else str(system.to_wkt())
