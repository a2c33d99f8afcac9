"""Checks GeoPackages (SQLite databases, OGC 12-128r19) before GDAL opens them, because their schema may run code."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from pathlib import Path

from ..errors import invalid_input
from .archive import wrong_layer_error
from .findings import FileRejected
from .limits import WRITE_AHEAD

# The end of a rollback journal that names a super-journal, a file that SQLite would delete after the recovery
# (https://www.sqlite.org/fileformat.html, section 3).
_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")


def recover_database(path: Path, name: str) -> str | None:
    """Applies a write-ahead log or rollback journal to the database, because `choose_layer` would ignore it.

    :returns: the digest of the recovered file; None without a log or journal
    """
    wal, journal = (Path(f"{path}{one}") for one in WRITE_AHEAD)
    if not any(one.exists() and one.stat().st_size > 0 for one in (wal, journal)):
        return None
    if journal.exists() and journal.read_bytes().endswith(_SUPER_JOURNAL):
        raise invalid_input(
            f"{name} was left in the middle of a change to several databases: open and close it in"
            " the program that changed it"
        )
    try:
        connection = sqlite3.connect(path)
        try:
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
            (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise FileRejected("damaged", f"{name} is damaged: {error}") from None
    if is_busy:
        raise FileRejected("damaged", f"{name} could not be recovered: close it in the GIS first")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def choose_layer(path: Path, name: str, wanted: str | None) -> tuple[str, str | None, int]:
    """Chooses a layer. Only stored tables are allowed: views may run endless queries, and generated columns may take unlimited memory.

    :returns: the layer's name, its key column, and the number of its rows
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
            raise FileRejected(
                "unknown_format", f"{name} is an SQLite database, but not a GeoPackage"
            )
        found = connection.execute("SELECT table_name FROM gpkg_geometry_columns").fetchall()
        layers = [str(one) for (one,) in found]
        _require_one_geometry(name, layers, wanted)
        chosen = [one for one in layers if wanted in (None, one)]
        if len(chosen) != 1:
            raise wrong_layer_error(name, layers, wanted)
        (layer,) = chosen
        # SQLite ignores case only for ASCII letters.
        definition = stored.get(_ascii_lower(layer), "")
        key = _require_stored(connection, name, layer, definition)
        _require_one_crs(connection, name, layer)
        (rows,) = connection.execute(f"SELECT count(*) FROM {_quote(layer)}").fetchone()
        return layer, key, int(rows)
    except sqlite3.Error as error:
        raise FileRejected("damaged", f"{name} is damaged: {error}") from None
    finally:
        connection.close()


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _require_one_crs(connection: sqlite3.Connection, name: str, layer: str) -> None:
    """Requires the CRS of each geometry, which GDAL ignores, to equal the layer's (GeoPackage 1.3, requirement 33).

    Many writers leave it undefined (0 or -1), which is allowed.
    """
    column, layer_crs = connection.execute(
        "SELECT column_name, srs_id FROM gpkg_geometry_columns WHERE table_name = ?", (layer,)
    ).fetchone()
    geometry = _quote(str(column))
    headers = connection.execute(
        f"SELECT DISTINCT substr({geometry}, 4, 5) FROM {_quote(layer)}"
        f" WHERE typeof({geometry}) = 'blob'"
    )
    for (header,) in headers:
        system = int.from_bytes(header[1:], "little" if header[0] & 1 else "big", signed=True)
        if len(header) == 5 and system not in (layer_crs, 0, -1):
            raise FileRejected(
                "crs_conflict",
                f'"{layer}" in {name} declares CRS {layer_crs}, but some of its geometries declare {system}:'
                " export it again",
            )


def _require_one_geometry(name: str, layers: list[str], wanted: str | None) -> None:
    tables = [_ascii_lower(one) for one in layers]
    if wanted is not None:
        tables = [one for one in tables if one == _ascii_lower(wanted)]
    if len(tables) > 1 and len(set(tables)) == 1:
        raise FileRejected(
            "geometries_several",
            f'"{tables[0]}" in {name} has several geometry columns: export it with only one',
        )


def _ascii_lower(text: str) -> str:
    return "".join(one.lower() if one.isascii() else one for one in text)


def _require_stored(
    connection: sqlite3.Connection, name: str, table: str, definition: str
) -> str | None:
    """Requires a stored table. Returns its integer key column, if it has exactly one."""
    kind, _, sql = definition.partition(" ")
    if kind != "table" or re.match(r"create\s+virtual", sql, re.IGNORECASE):
        raise invalid_input(
            f'"{table}" in {name} is a view or a virtual table: export it as a stored table'
        )
    columns = connection.execute(f"PRAGMA table_xinfo({_quote(table)})").fetchall()
    if any(hidden for *_, hidden in columns):
        raise invalid_input(f'"{table}" in {name} has generated columns: export it without them')
    keys = [
        column for _, column, kind, _, _, key, _ in columns if key and kind.upper() == "INTEGER"
    ]
    return str(keys[0]) if len(keys) == 1 else None
