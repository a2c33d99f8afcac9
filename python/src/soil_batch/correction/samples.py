"""The table of measurements, row by row, before it is compared with a map or a design."""

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
from ..reading.load import copy_regular, epsg_of

# No property of soil is so large, and squares of larger numbers are infinite.
_LARGEST = 1e15
_PLACES = (("lon", "lat"), ("x", "y"))
#: Some fill the column in for each place.
_REACHED = {"no", "false", "0", "0.0"}
#: The columns of a design's table that are read again.
NUMBER, STRATUM, UNREACHABLE = "number", "stratum", "unreachable"


@dataclass(frozen=True)
class Sample:
    #: From 1, in the table.
    row: int
    #: None where nothing was measured.
    value: float | None
    #: Longitude and latitude; None without.
    place: tuple[float, float] | None
    #: That of its place in the design, or of its plot; None without.
    number: int | None
    #: As in the table; None without.
    stratum: str | None
    #: Why its place was not sampled.
    unreachable: str | None


def read_samples(path: str, value: str, crs: str | None) -> Any:
    """A CSV file as a frame: points of the columns lon and lat in degrees, or x and y in the system `crs`.

    A table with the numbers of a design needs no places.
    """
    wanted = {value, NUMBER, STRATUM, UNREACHABLE, *(name for pair in _PLACES for name in pair)}
    # pandas would fetch a URL, extract an archive, and wait for a pipe.
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "samples.csv"
        copy_regular(Path(path), copy, MOST_BYTES)
        # Spreadsheets write these where a comma is the decimal point.
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
            raise invalid_input(f"{path} cannot be read as CSV: {error}") from None
    found = next((one for one in _PLACES if set(one) <= set(table.columns)), None)
    if found is None and NUMBER in table.columns:
        return table
    if found is None:
        raise invalid_input(f"{path} has no columns lon and lat, or x and y")
    if found == ("x", "y") and crs is None:
        raise invalid_input(f"name the reference system of x and y in {path}: --crs EPSG:…")
    epsg = 4326 if crs is None else epsg_of(crs)
    places = [pandas().to_numeric(table[name], errors="coerce") for name in found]
    points = geopandas().points_from_xy(*places)
    try:
        return geopandas().GeoDataFrame(table, geometry=points, crs=epsg)
    except pyproj().exceptions.CRSError:
        raise invalid_input(f"EPSG:{epsg} is not a known reference system") from None


def _require_columns(path: Path, separator: str, wanted: Collection[str]) -> None:
    """pandas takes the first of two columns of one name, and shifts or drops the values of a line that is too long."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = csv.reader(file, delimiter=separator)
        header = next(rows, [])
        twice = sorted(one for one in wanted if header.count(one) > 1)
        if twice:
            raise ValueError(f"two columns are called {twice[0]!r}")
        for row in rows:
            if any(row[len(header) :]):
                raise ValueError(
                    f"line {rows.line_num} has {len(row)} values and the header {len(header)}: is the comma both the"
                    " decimal point and the separator?"
                )


def samples_of(table: Any, value: str) -> list[Sample]:
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
        raise invalid_input(f"sample {bad[0] + 1} of {len(table)} has no number as {value!r}")
    places, numbers = _places(table), _numbers(table)
    strata = _texts(table, STRATUM)
    reasons = [
        None if one is not None and one.lower() in _REACHED else one
        for one in _texts(table, UNREACHABLE)
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
    """Each has a place and a value, and no two have one place."""
    seen: dict[tuple[float, float], int] = {}
    for one in samples:
        if one.place is None or one.value is None:
            raise invalid_input(
                f"sample {one.row} of {len(samples)} has no place or no number as {value!r}"
            )
        before = seen.setdefault(one.place, one.row)
        if before != one.row:
            raise invalid_input(
                f"samples {before} and {one.row} are from the same place: replace them with their mean"
            )


def _places(table: Any) -> list[tuple[float, float] | None]:
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


def _numbers(table: Any) -> list[int | None]:
    if NUMBER not in table:
        return [None] * len(table)
    numbers = pandas().to_numeric(table[NUMBER], errors="coerce").astype(float)
    given = ~table[NUMBER].isna()
    bad = (given & ~((numbers % 1 == 0) & numbers.between(1, _LARGEST))).to_numpy().nonzero()[0]
    if len(bad):
        raise invalid_input(
            f"sample {int(bad[0]) + 1} of {len(table)} has {table[NUMBER].iloc[int(bad[0])]!r} as number;"
            " expected a whole number"
        )
    return [None if one != one else int(one) for one in numbers]


def _texts(table: Any, name: str) -> list[str | None]:
    if name not in table:
        return [None] * len(table)
    return [None if one is None or one != one else str(one).strip() or None for one in table[name]]
