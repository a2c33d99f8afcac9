"""Parses the table of measurements, before it is compared with maps or a design."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import invalid_input
from ..extras import geopandas, pandas, pyproj
from ..fields import Fields, shape_of
from ..reading.limits import MOST_BYTES
from ..reading.load import copy_regular, parse_epsg

# Larger than any value of a soil property. The squares of much larger values would overflow to infinity.
_LARGEST = 1e15
_PLACES = (("lon", "lat"), ("x", "y"))
#: Values of the column `unreachable` that mean that the place was reachable: some people fill it in for each place.
_REACHED = {"no", "false", "0", "0.0"}
#: The columns of a design's table that are read back.
NUMBER, STRATUM, UNREACHABLE = "number", "stratum", "unreachable"


@dataclass(frozen=True)
class Sample:
    #: Row in the table, counted from 1.
    row: int
    #: None where nothing was measured.
    value: float | None
    #: Longitude and latitude; None without coordinates.
    place: tuple[float, float] | None
    #: Number of the place in the design, or of the plot; None if the table has no number.
    number: int | None
    #: Name of the stratum; None if the table names none.
    stratum: str | None
    #: The reason why the place was not sampled, if the table gives one.
    unreachable: str | None


def read_samples(path: str, value: str, crs: str | None) -> Any:
    """Reads a CSV file as a frame, with points from the columns lon and lat (WGS 84 without `crs`), or x and y in `crs`.

    A table with the numbers of a design needs no coordinates.
    """
    wanted = {value, NUMBER, STRATUM, UNREACHABLE, *(name for pair in _PLACES for name in pair)}
    # Given the path itself, pandas would fetch a URL, extract an archive or wait for a pipe.
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "samples.csv"
        copy_regular(Path(path), copy, MOST_BYTES)
        # Where the decimal separator is a comma, spreadsheets separate columns with semicolons.
        with open(copy, "rb") as file:
            header = file.readline()
        is_local = b";" in header and b"," not in header
        separator = ";" if is_local else ","
        try:
            _require_columns(copy, separator, wanted)
            table = pandas().read_csv(
                copy,
                sep=separator,
                decimal="," if is_local else ".",
                encoding="utf-8-sig",
                compression=None,
                index_col=False,
                usecols=lambda name: name in wanted,
                dtype={STRATUM: str, UNREACHABLE: str},
            )
        except (ValueError, csv.Error) as error:
            raise invalid_input(f"{path} is not a valid CSV file: {error}") from None
    found = next((one for one in _PLACES if set(one) <= set(table.columns)), None)
    if found is None and NUMBER in table.columns:
        return table
    if found is None:
        raise invalid_input(
            f"{path} needs the column 'number', the columns lon and lat, or the columns x and y"
        )
    if found == ("x", "y") and crs is None:
        raise invalid_input(f"name the CRS of x and y in {path} with --crs EPSG:…")
    epsg = 4326 if crs is None else parse_epsg(crs)
    places = [pandas().to_numeric(table[name], errors="coerce") for name in found]
    points = geopandas().points_from_xy(*places)
    try:
        return geopandas().GeoDataFrame(table, geometry=points, crs=epsg)
    except pyproj().exceptions.CRSError:
        raise invalid_input(f"EPSG:{epsg} is not a known CRS") from None


def _require_columns(path: Path, separator: str, wanted: Collection[str]) -> None:
    """Rejects what pandas accepts silently: two columns with one name, and lines with more values than the header."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = csv.reader(file, delimiter=separator)
        header = next(rows, [])
        twice = sorted(one for one in wanted if header.count(one) > 1)
        if twice:
            raise ValueError(f"two columns are called {twice[0]!r}")
        for row in rows:
            if any(row[len(header) :]):
                raise ValueError(
                    f"line {rows.line_num} has {len(row)} values but the header has {len(header)} names: is the comma both the"
                    " decimal point and the separator?"
                )


def parse_samples(table: Any, value: str) -> list[Sample]:
    """:param table: a GeoDataFrame of points, or a DataFrame with the column `number`"""
    if value not in table:
        raise invalid_input(f"the samples have no column {value!r}")
    if len(table) == 0:
        raise invalid_input("there are no samples")
    texts = [
        None if one is None or one != one or str(one).strip() == "" else one for one in table[value]
    ]
    values = (
        pandas().to_numeric(pandas().Series(texts, dtype=object), errors="coerce").astype(float)
    )
    bad = [
        at
        for at, (text, number) in enumerate(zip(texts, values))
        if text is not None and not abs(number) < _LARGEST
    ]
    if bad:
        raise invalid_input(
            f"sample {bad[0] + 1} of {len(table)}: {str(texts[bad[0]])!r} in column {value!r} is not a number between"
            f" −{_LARGEST:g} and {_LARGEST:g}"
        )
    places, numbers = _parse_places(table), _parse_numbers(table)
    strata = _parse_texts(table, STRATUM)
    reasons = [
        None if one is not None and one.lower() in _REACHED else one
        for one in _parse_texts(table, UNREACHABLE)
    ]
    return [
        Sample(
            at + 1,
            float(values[at]) if text is not None else None,
            places[at],
            numbers[at],
            strata[at],
            reasons[at],
        )
        for at, text in enumerate(texts)
    ]


def require_measured(samples: Sequence[Sample], value: str) -> None:
    """Requires each sample to have a place and a value, and no two samples to have the same place."""
    seen: dict[tuple[float, float], int] = {}
    for sample in samples:
        if sample.place is None or sample.value is None:
            raise invalid_input(
                f"sample {sample.row} of {len(samples)} has no place or no value in {value!r}"
            )
        before = seen.setdefault(sample.place, sample.row)
        if before != sample.row:
            raise invalid_input(
                f"samples {before} and {sample.row} are from the same place: replace them with their mean"
            )


def _parse_places(table: Any) -> list[tuple[float, float] | None]:
    if not hasattr(table, "geometry"):
        return [None] * len(table)
    points = table.geometry
    good = ~points.isna() & (points.geom_type == "Point") & points.is_valid & ~points.is_empty
    found: list[tuple[float, float] | None] = [None] * len(table)
    rows = good.to_numpy().nonzero()[0].tolist()
    if rows:
        wgs84 = Fields.of_frame(table.iloc[rows][[points.name]]).wgs84
        for row, place in zip(rows, map(shape_of, wgs84)):
            found[row] = (place.x, place.y)
    return found


def _parse_numbers(table: Any) -> list[int | None]:
    if NUMBER not in table:
        return [None] * len(table)
    numbers = pandas().to_numeric(table[NUMBER], errors="coerce").astype(float)
    given = ~table[NUMBER].isna()
    bad = (given & ~((numbers % 1 == 0) & numbers.between(1, _LARGEST))).to_numpy().nonzero()[0]
    if len(bad):
        raise invalid_input(
            f"sample {int(bad[0]) + 1} of {len(table)} has the number {table[NUMBER].iloc[int(bad[0])]!r};"
            " expected a whole number of at least 1"
        )
    return [None if one != one else int(one) for one in numbers]


def _parse_texts(table: Any, name: str) -> list[str | None]:
    if name not in table:
        return [None] * len(table)
    return [None if one is None or one != one else str(one).strip() or None for one in table[name]]
