"""Attribute columns as JSON values with their type."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from .extras import pandas


@dataclass(frozen=True)
class Column:
    name: str
    #: The pandas dtype, or `date`, or `json` for attributes of GeoJSON.
    dtype: str
    #: None, bool, int, finite float or text: dates and times in ISO 8601, other values as JSON.
    values: list[Any]


def to_column(name: str, series: Any) -> Column:
    missing = series.isna().tolist()
    values = [
        None if absent else to_json_value(value)
        for value, absent in zip(series.astype(object).tolist(), missing)
    ]
    return Column(name, str(series.dtype), values)


def number_duplicates(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Makes names unique: of columns with the same name, the first keeps it, and the others get a number."""
    taken = {one.name for one in columns}
    seen: set[str] = set()
    found = []
    for column in columns:
        name = column.name
        if name in seen:
            name = next(free for n in count(1) if (free := f"{column.name}_{n}") not in taken)
            taken.add(name)
        seen.add(name)
        found.append(Column(name, column.dtype, column.values))
    return tuple(found)


def to_series(column: Column, index: Any = None) -> Any:
    values = column.values
    series = pandas().Series(values, index=index, dtype=None if _has_values(values) else object)
    if column.dtype in ("date", "json", "object"):
        return series
    try:
        if column.dtype.startswith("datetime64"):
            series = pandas().to_datetime(series, format="ISO8601", utc="," in column.dtype)
        return series.astype(column.dtype)
    # The dtype may belong to another version of pandas, or to an extension that is not loaded.
    except (TypeError, ValueError):
        return series


def _has_values(values: list[Any]) -> bool:
    return any(value is not None for value in values)


def to_json_value(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    return json.dumps(value, default=str, ensure_ascii=False)
