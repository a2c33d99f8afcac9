"""Formats a run as CSV and GeoPackage, and its failed fields as GeoJSON."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from ..columns import Column
from ..extras import numpy, pyogrio, shapely
from ..fields import Fields, shape_of
from .columns import ResultJob, ResultTable, Scalar

# Other separators at which a reader may begin a cell, such as the semicolon of spreadsheets in many countries.
_SEPARATORS = ";\t\n\v\f\r\x85\u2028\u2029"
_FORMULA = "=+-@＝＋－＠"
# Ignorable characters outside the categories that begin with C (Unicode, DerivedCoreProperties.txt).
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_NEEDS_QUOTES = re.compile(r'[",\r\n;\t]|^\s|\s$')


def format_csv(fields: Fields, table: ResultTable) -> bytes:
    """Formats a table as CSV for spreadsheets, with the byte order mark that Excel needs and without formulas."""
    names = table.name_attributes([column.name for column in fields.columns])
    header = [*(names[column.name] for column in fields.columns), *(c.name for c in table.columns)]
    lines = [format_csv_row(header)]
    for row, at in enumerate(table.fields):
        attributes = [_to_scalar(column.values[at]) for column in fields.columns]
        lines.append(
            format_csv_row([*attributes, *(column.values[row] for column in table.columns)])
        )
    return ("\ufeff" + "".join(lines)).encode("utf-8", "replace")


def format_csv_row(cells: Iterable[Scalar]) -> str:
    """Formats a row as in RFC 4180."""
    return ",".join(map(_format_cell, cells)) + "\r\n"


def _format_cell(value: Scalar) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, int):
        return str(value)
    text = guard_formula(value)
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if _NEEDS_QUOTES.search(text) else text


def guard_formula(text: str) -> str:
    """
    Puts an apostrophe before text that a spreadsheet would run as a formula. A formula may also begin after a separator
    that only some readers recognise, or after characters that a reader drops
    (https://owasp.org/www-community/attacks/CSV_Injection).
    """
    starts = [0, *(at + 1 for at, one in enumerate(text) if one in _SEPARATORS)]
    found = [at for at in starts if _is_formula(text, at)]
    if text.lstrip("'")[:1] in ("\t", "\r", "\n") and 0 not in found:
        found.insert(0, 0)
    for at in reversed(found):
        text = f"{text[:at]}'{text[at:]}"
    return text


def _is_formula(text: str, start: int) -> bool:
    while start < len(text) and text[start] not in _SEPARATORS and _may_be_dropped(text[start]):
        start += 1
    return start < len(text) and text[start] in _FORMULA


def _may_be_dropped(character: str) -> bool:
    hidden = unicodedata.category(character)[0] == "C" or _IGNORABLE.match(character) is not None
    return hidden or character.isspace() or character in "'\""


def _to_scalar(value: Any) -> Scalar:
    """Converts arrays and objects, which GeoJSON allows as attributes, to JSON text."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return json.dumps(value, ensure_ascii=False)


def format_geopackage(fields: Fields, table: ResultTable) -> bytes:
    names = table.name_attributes([column.name for column in fields.columns])
    columns: list[tuple[str, str, Sequence[Scalar]]] = []
    for column in fields.columns:
        values = [_to_scalar(column.values[at]) for at in table.fields]
        columns.append((names[column.name], _determine_dtype(column), values))
    columns += [(one.name, one.dtype, one.values) for one in table.columns]
    shapes = [shape_of(one) for one in fields.geometries]
    wkb = shapely().to_wkb([shapes[at] for at in table.fields])
    content = io.BytesIO()
    arrays = [_to_array(dtype, values) for _, dtype, values in columns]
    pyogrio().raw.write(
        content,
        geometry=numpy().array(wkb, dtype=object),
        field_data=[values for values, _ in arrays],
        field_mask=[missing for _, missing in arrays],
        fields=[name for name, _, _ in columns],
        layer="results",
        driver="GPKG",
        geometry_type="MultiPolygon",
        crs=fields.crs or "EPSG:4326",
        promote_to_multi=True,
        layer_options={"FID": "fid", "GEOMETRY_NAME": "geom"},
    )
    return content.getvalue()


_DTYPES = {
    "bool": ("bool", False),
    "int64": ("int64", 0),
    "float64": ("float64", float("nan")),
    "date": ("datetime64[D]", "1970-01-01"),
    "datetime": ("datetime64[ms]", "1970-01-01"),
}


def _to_array(dtype: str, values: Sequence[Scalar]) -> tuple[Any, Any]:
    missing = [value is None for value in values]
    if dtype == "object":
        texts = [None if value is None else str(value) for value in values]
        return numpy().array(texts, dtype=object), None
    kind, empty = _DTYPES[dtype]
    filled = [empty if absent else value for value, absent in zip(values, missing)]
    mask = None if dtype == "float64" else numpy().array(missing, dtype=bool)
    return numpy().array(filled, dtype=kind), mask


def _determine_dtype(column: Column) -> str:
    values = [value for value in column.values if value is not None]
    if column.dtype == "date":
        return "date"
    if column.dtype.startswith("datetime64") and "," not in column.dtype:
        return "datetime"
    if values and all(isinstance(value, bool) for value in values):
        return "bool"
    if any(isinstance(value, (bool, str, list, dict)) for value in values):
        return "object"
    if values and all(isinstance(value, int) and abs(value) < 2**63 for value in values):
        return "float64" if column.dtype.startswith(("float", "Float")) else "int64"
    return "float64" if values or column.dtype.startswith(("float", "Float")) else "object"


def format_failed_geojson(fields: Fields, rows: Sequence[ResultJob]) -> bytes | None:
    """Formats the failed fields, and a point for each fault whose position is known; None if no field failed."""
    features = [one for row in rows for one in _failure_features(fields, row)]
    if not features:
        return None
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in features)
    text = f'{{"type":"FeatureCollection","features":[\n{lines}\n]}}\n'
    return text.encode("utf-8", "replace")


def _failure_features(fields: Fields, row: ResultJob) -> list[Any]:
    job = row.job
    if job is None or job.status != "failed":
        return []
    properties = {
        "name": row.run_job.name,
        "year": row.run_job.year,
        "error_code": job.error_code,
        "error_message": job.error_message,
        "job_id": job.job_id,
    }
    polygon = fields.wgs84[row.run_job.field_index]
    place = job.error_location
    found = [
        {"type": "Feature", "geometry": polygon, "properties": {"part": "field", **properties}}
    ]
    if place is not None:
        point = {"type": "Point", "coordinates": [place.lon, place.lat]}
        fault = {"part": "fault", **properties, "ring": place.ring, "vertex": place.vertex}
        found.append({"type": "Feature", "geometry": point, "properties": fault})
    return found
