"""Reads GeoParquet (https://geoparquet.org/releases/v1.1.0) without GEOS, which fails on rings that are not closed."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from ..extras import pyproj
from ..fields import Fields, convert_columns, convert_index
from .findings import FileRejected
from .limits import MOST_FIELDS
from .vector import decode_geometries, determine_crs

# GeoArrow encodes these as nested lists of {x, y}.
_NATIVE = {"point": "Point", "polygon": "Polygon", "multipolygon": "MultiPolygon"}


def read_parquet(path: Path, name: str, epsg: int | None) -> Fields:
    try:
        arrow, parquet = map(importlib.import_module, ("pyarrow", "pyarrow.parquet"))
    except ImportError:
        raise ImportError(
            f"reading {name}, a GeoParquet file, needs pyarrow: pip install pyarrow"
        ) from None
    try:
        with parquet.ParquetFile(path) as file:
            if file.metadata.num_rows > MOST_FIELDS:
                raise FileRejected(
                    "too_large", f"{name} has more than {MOST_FIELDS:,} features: split it"
                )
            described = json.loads((file.schema_arrow.metadata or {}).get(b"geo", b"null"))
            table = file.read()
    except (arrow.ArrowException, OSError) as error:
        raise FileRejected("damaged", f"{name} is damaged: {error}") from None
    try:
        primary = described["primary_column"]
        column = described["columns"][primary]
        values, encoding = table[primary].to_pylist(), column["encoding"]
    except (KeyError, TypeError):
        raise FileRejected("unknown_format", f"{name} is Parquet, but not GeoParquet") from None
    geometries = _convert_geometries(values, encoding, name)
    others = [one.name for one in table.schema if _is_binary(arrow.types, one.type)]
    frame = table.drop_columns([*{primary, *described["columns"], *others}]).to_pandas()
    # A missing `crs` means CRS84, and null means an unknown CRS.
    declared = column.get("crs", "OGC:CRS84")
    known = None if declared is None else pyproj().CRS.from_user_input(declared)
    crs = determine_crs(known, name, epsg, geometries)
    return Fields(crs, geometries, convert_columns(frame), convert_index(frame), "geometry")


def _is_binary(types: Any, kind: Any) -> bool:
    return bool(types.is_binary(kind) or types.is_large_binary(kind))


def _convert_geometries(values: list[Any], encoding: str, name: str) -> tuple[Any, ...]:
    if encoding == "WKB":
        return decode_geometries(values)
    kind = _NATIVE.get(encoding)
    if kind is None:
        raise FileRejected(
            "no_polygons", f"{name} has no polygons; its geometries have the encoding {encoding}"
        )
    return tuple(
        None if one is None else {"type": kind, "coordinates": _to_positions(one)} for one in values
    )


def _to_positions(value: Any) -> Any:
    if isinstance(value, dict):
        return [value["x"], value["y"]]
    return [_to_positions(one) for one in value]
