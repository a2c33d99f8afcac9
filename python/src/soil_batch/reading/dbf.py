"""Rewrites the copied table of a Shapefile (dBASE III) where GDAL would misread it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .findings import FileRejected, Remark
from .limits import MOST_FIELDS
from .texts import Text, choose_codec, find_code_page, trimmed_length

_DESCRIPTOR = 32
_HEADER_END = 0x0D
_NAME_BYTES = 10
_DELETED = ord("*")
# The numbers of bytes of the header and each record of an .shx index (ESRI Shapefile Technical Description, July 1998).
_INDEX_HEADER, _INDEX_RECORD = 100, 8
_NUMBER = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)
# GDAL reads longer integers, and numbers with decimals, as float64, which is exact up to 2⁵³.
_MOST_INTEGER_DIGITS, _MOST_EXACT = 18, 2**53


@dataclass(frozen=True)
class RewrittenTable:
    codec: str
    remarks: tuple[Remark, ...]
    #: The number of rows that are not marked as deleted.
    rows: int
    #: The letter of each column's type.
    types: str


@dataclass(frozen=True)
class _Column:
    #: Offset of the column's descriptor in the file.
    descriptor: int
    kind: bytes
    #: Offset of the column in a row.
    at: int
    width: int


def rewrite_table(shp: Path, name: str, chosen: str | None) -> RewrittenTable:
    """Corrects numbers, declares dates and logical values as text, and removes incomplete characters from text."""
    path = shp.with_suffix(".dbf")
    table = bytearray(path.read_bytes())
    count, header, size = (
        _read_number(table, at, length) for at, length in ((4, 4), (8, 2), (10, 2))
    )
    shapes = (shp.with_suffix(".shx").stat().st_size - _INDEX_HEADER) // _INDEX_RECORD
    if count != shapes:
        raise FileRejected(
            "damaged",
            f"{name} has {shapes:,} shapes, but its .dbf file has {count:,} rows, so rows may belong to"
            " other fields: export it again",
        )
    if max(_DESCRIPTOR, header + count * size) > len(table):
        raise FileRejected("damaged", f"{name} is damaged: its .dbf file ends before its last row")
    starts = [header + row * size for row in range(count)]
    starts = [start for start in starts if table[start] != _DELETED]
    if len(starts) > MOST_FIELDS:
        raise FileRejected("too_large", f"{name} has more than {MOST_FIELDS:,} features: split it")
    columns = _read_columns(table, header)
    _reject_wide_text(table, columns, size, name)
    texts: dict[int, Text] = {}
    for column in columns:
        name_at = column.descriptor
        texts[name_at] = _read_cell(table, name_at, _NAME_BYTES)
        places = [start + column.at for start in starts]
        if column.kind == b"C":
            texts.update({at: _read_cell(table, at, column.width) for at in places})
        elif column.kind in (b"N", b"F"):
            _rewrite_numbers(table, column, places)
        elif column.kind in (b"D", b"L"):
            # GDAL fails on dates that do not exist, and reads an empty logical value as false: type C is text.
            table[column.descriptor + 11] = ord("C")
    codec, remarks = choose_codec(list(texts.values()), name, chosen, _stated_encoding(shp, table))
    for at, text in texts.items():
        whole, end = trimmed_length(text, codec), len(text.content)
        table[at + whole : at + end] = bytes(end - whole)
    path.write_bytes(table)
    types = "".join(one.kind.decode("latin-1") for one in columns)
    return RewrittenTable(codec, remarks, len(starts), types)


def _read_number(table: bytearray, offset: int, length: int) -> int:
    return int.from_bytes(table[offset : offset + length], "little")


def _read_columns(table: bytearray, header: int) -> list[_Column]:
    columns, at = [], 1
    for start in range(_DESCRIPTOR, header - _DESCRIPTOR + 1, _DESCRIPTOR):
        if table[start] == _HEADER_END:
            break
        width = table[start + 16]
        columns.append(_Column(start, bytes(table[start + 11 : start + 12]), at, width))
        at += width
    return columns


def _reject_wide_text(table: bytearray, columns: list[_Column], size: int, name: str) -> None:
    """Rejects text columns wider than 255 bytes: their width continues in the byte for decimals, which GDAL ignores."""
    width = 1 + sum(one.width for one in columns)
    more = sum(256 * table[one.descriptor + 17] for one in columns if one.kind == b"C")
    if more > 0 and width + more == size:
        raise FileRejected(
            "too_large",
            f"the .dbf file of {name} has text columns of more than 255 bytes: shorten them, or export the fields"
            " as GeoPackage",
        )


def _read_cell(table: bytearray, offset: int, width: int) -> Text:
    content = bytes(table[offset : offset + width]).split(b"\0")[0]
    return Text(content, len(content) == width)


def _rewrite_numbers(table: bytearray, column: _Column, places: list[int]) -> None:
    """Values that are not numbers, such as asterisks after an overflow, become empty."""
    width, decimals_at = column.width, column.descriptor + 17
    cells = [_read_cell(table, at, width).content.strip().replace(b",", b".") for at in places]
    cells = [one if _NUMBER.fullmatch(one) else b"" for one in cells]
    whole = [int(one) for one in cells if one.lstrip(b"+-").isdigit()]
    if len(whole) < len([one for one in cells if one]):
        # GDAL would cut the decimals of numbers in a column that declares no decimals.
        table[decimals_at] = table[decimals_at] or 1
    is_float = table[decimals_at] > 0 or width > _MOST_INTEGER_DIGITS
    if is_float and any(abs(one) > _MOST_EXACT for one in whole):
        table[column.descriptor + 11] = ord("C")
    for at, cell in zip(places, cells):
        table[at : at + width] = cell.ljust(width)


def _stated_encoding(shp: Path, table: bytearray) -> str | None:
    cpg = shp.with_suffix(".cpg")
    if cpg.exists() and (text := cpg.read_bytes()[:100].decode("ascii", "replace").strip()):
        return text
    return find_code_page(table[29])
