"""Reads tables of samples with the columns lon and lat (WGS 84), or with points."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from .commands import PackError


def as_table(samples: Any) -> pandas.DataFrame:
    """Converts a table or points to a table that starts with lon and lat (WGS 84)."""
    table = pandas.DataFrame(samples).copy()
    if hasattr(samples, "geometry") and hasattr(samples, "to_crs"):
        if samples.crs is None:
            raise PackError("the samples have no CRS: set it with set_crs(…)")
        points = samples.geometry.to_crs(4326)
        if not (points.geom_type == "Point").all():
            raise PackError("the samples must be points")
        table = table.drop(columns=[samples.geometry.name, "lon", "lat"], errors="ignore")
        table.insert(0, "lon", points.x)
        table.insert(1, "lat", points.y)
        table.attrs["rounding"] = _estimate_rounding(samples.geometry, points)
    if "lon" not in table or "lat" not in table:
        raise PackError("the samples need the columns lon and lat (WGS 84), or points")
    return table


def last_decimal(values: np.ndarray) -> float:
    """Returns the largest power of ten of which all values are multiples; 0 if all values are 0."""
    texts = {str(value) for value in np.unique(values)[:10_000]}
    exponents = [Decimal(text).normalize().as_tuple().exponent for text in texts]
    kept = [int(at) for at, text in zip(exponents, texts) if float(text) != 0]
    return 10.0 ** min(kept) if kept else 0.0


def _estimate_rounding(points: Any, in_degrees: Any) -> tuple[float, float]:
    """Estimates by how many degrees points may be off because their coordinates are rounded in their own CRS."""
    halves = (last_decimal(axis.to_numpy()) / 2 for axis in (points.x, points.y))
    moved = points.translate(*halves).to_crs(4326)
    lon, lat = (
        float(np.abs(a - b).max()) for a, b in ((moved.x, in_degrees.x), (moved.y, in_degrees.y))
    )
    return lon, lat


def read_file(path: str | PathLike[str]) -> pandas.DataFrame:
    # Spreadsheets may write a byte order mark.
    return read_table(Path(path).read_text("utf-8-sig"))


def read_table(text: str) -> pandas.DataFrame:
    """Reads a CSV (RFC 4180) as text. pandas' own reader would fill short rows and shift long rows.

    :raises PackError: if lon or lat is missing, or a sample does not have as many fields as the header
    """
    lines = csv.reader(io.StringIO(text), skipinitialspace=True)
    columns, *rows = [[field.strip() for field in line] for line in lines if any(line)] or [[]]
    if "lon" not in columns or "lat" not in columns:
        raise PackError(
            "the header must contain the columns lon and lat (WGS84 degrees), separated by commas;"
            f" got {','.join(columns)}"
        )
    for i, row in enumerate(rows):
        if len(row) != len(columns):
            raise PackError(
                f"sample {i + 1} does not have as many fields as the header: {len(row)} instead of {len(columns)}"
            )
    return pandas.DataFrame(rows, columns=columns)


def positions(table: pandas.DataFrame) -> np.ndarray:
    """Returns lon and lat of each sample. :raises PackError: naming a sample with invalid coordinates"""
    lon_lat = np.column_stack([numbers(table, name) for name in ("lon", "lat")])
    for name, values, most in zip(("lon", "lat"), lon_lat.T, (180, 90)):
        beyond = np.abs(values) > most
        if beyond.any():
            at = beyond.argmax()
            raise PackError(
                f"sample {at + 1}, {name}: expected degrees within ±{most}, got {values[at]}"
            )
    return lon_lat


def numbers(table: pandas.DataFrame, name: str) -> np.ndarray:
    """Returns the numbers in a column. :raises PackError: naming the first sample without a finite number"""
    column = _column(table, name)
    values = pandas.to_numeric(column, errors="coerce").to_numpy(float, na_value=np.nan)
    wrong = ~np.isfinite(values)
    if wrong.any():
        at = wrong.argmax()
        raise PackError(f'sample {at + 1}, {name}: expected a number, got "{column.iloc[at]}"')
    return values


def names(table: pandas.DataFrame, name: str) -> np.ndarray:
    """Returns the names in a column. :raises PackError: naming the first sample whose name is missing"""
    column = _column(table, name)
    missing = (column.isna() | (column == "")).to_numpy()
    if missing.any():
        raise PackError(f"sample {missing.argmax() + 1}, {name}: expected a name, got nothing")
    return column.astype(str).to_numpy(object)


def _column(table: pandas.DataFrame, name: str) -> pandas.Series:
    columns = list(table.columns)
    if columns.count(name) != 1:
        found = "no column" if name not in columns else "several columns"
        raise PackError(f"the table has {found} {name}; it has {', '.join(map(str, columns))}")
    return table[name]
