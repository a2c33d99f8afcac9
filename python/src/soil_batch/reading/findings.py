"""Errors and remarks about a file of fields. `test/fixtures/fields/README.md` lists their kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidRequest

_MOST_ROWS = 10
_LEFT_OUT = {
    "point": ("a point, not an area", "points, not areas"),
    "line": ("a line, not an area", "lines, not areas"),
    "closed_line": ("a closed line, not an area", "closed lines, not areas"),
    "collection": ("a collection without an area", "collections without an area"),
    "other": ("not an area", "not areas"),
}


class FileRejected(InvalidRequest):
    """A file, or points in a GeoDataFrame, cannot be used. `kind` is the reason."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message, type="invalid-input")
        self.kind = kind


class OtherDrivers(Exception):
    """GDAL has drivers that must not be used."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


@dataclass(frozen=True)
class Remark:
    kind: str
    text: str


@dataclass(frozen=True)
class LeftOut:
    """A feature that is not a field."""

    #: Position in the file, counted from 1.
    row: int
    kind: str


def describe_left_out(left_out: Sequence[LeftOut]) -> list[str]:
    texts = []
    for kind, (one, several) in _LEFT_OUT.items():
        rows = [each.row for each in left_out if each.kind == kind]
        if rows:
            texts.append(
                f"{name_features(rows)} {f'is {one}' if len(rows) == 1 else f'are {several}'}"
            )
    return texts


def name_features(rows: Sequence[int], what: str = "feature") -> str:
    shown = [str(one) for one in rows[:_MOST_ROWS]]
    more = len(rows) - len(shown)
    listed = ", ".join([*shown, *([f"{more} more"] if more else [])])
    return f"{what} {listed}" if len(rows) == 1 else f"{what}s {listed}"
