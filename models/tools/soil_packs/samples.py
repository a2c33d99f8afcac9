"""Tables of samples (CSV, RFC 4180) with the columns lon and lat (WGS 84)."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from .commands import PackError


@dataclass(frozen=True)
class Table:
    columns: list[str]
    rows: list[list[str]]

    def numbers(self, name: str) -> np.ndarray:
        """:raises PackError: with the sample that has none"""
        return np.array([self._number(i, name, text) for i, text in enumerate(self._of(name))])

    @property
    def positions(self) -> np.ndarray:
        """lon and lat."""
        return np.column_stack([self.numbers("lon"), self.numbers("lat")])

    def names(self, name: str) -> np.ndarray:
        texts = self._of(name)
        for i, text in enumerate(texts):
            if not text:
                raise PackError(f"sample {i + 1}, {name}: expected a name, got nothing")
        return np.array(texts, dtype=object)

    def _of(self, name: str) -> list[str]:
        if name not in self.columns:
            raise PackError(f"the table has no column {name}; it has {', '.join(self.columns)}")
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    @staticmethod
    def _number(i: int, name: str, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if math.isfinite(value):
            return value
        raise PackError(f'sample {i + 1}, {name}: expected a number, got "{text}"')


def read_file(path: str | PathLike[str]) -> Table:
    """:raises PackError: as `read_table`"""
    # Spreadsheets write a byte order mark.
    return read_table(Path(path).read_text("utf-8-sig"))


def read_table(text: str) -> Table:
    """:raises PackError: with the sample, what is wrong and what is allowed"""
    lines = csv.reader(io.StringIO(text), skipinitialspace=True)
    columns, *rows = [[field.strip() for field in line] for line in lines if any(line)] or [[]]
    if "lon" not in columns or "lat" not in columns:
        raise PackError(
            "the header must contain the columns lon and lat (WGS84 degrees), separated by commas;"
            f" got {','.join(columns)}"
        )
    for i, row in enumerate(rows):
        if len(row) != len(columns):
            raise PackError(f"sample {i + 1} has {len(row)} fields, the header has {len(columns)}")
    table = Table(columns, rows)
    for name, most in (("lon", 180), ("lat", 90)):
        for i, value in enumerate(table.numbers(name)):
            if abs(value) > most:
                raise PackError(f"sample {i + 1}: expected degrees within ±{most}, got {value}")
    return table
