"""GeoPackages that are open in a GIS, whose saved edits may be in a separate file."""

from __future__ import annotations

import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import ROOT

from soil_batch.errors import InvalidRequest
from soil_batch.reading import load as loading
from soil_batch.reading.load import load


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return Path(shutil.copy(ROOT / "test/fixtures/fields/unclosed.gpkg", tmp_path / "fields.gpkg"))


@contextmanager
def open_package(package: Path, *statements: str) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(package, isolation_level=None)
    try:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        # GDAL's triggers use functions that this SQLite lacks.
        for (name,) in found.fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        for statement in statements:
            connection.execute(statement)
        yield connection
    finally:
        connection.close()


def names(path: Path) -> list[object]:
    return list(load(path).fields.column("name"))


def test_edits_in_the_write_ahead_log_are_read(package: Path):
    before = load(package).source
    with open_package(
        package, "PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0"
    ) as connection:
        connection.execute("UPDATE fields SET name = 'saved' WHERE fid = 3")
        assert package.with_name("fields.gpkg-wal").stat().st_size > 0
        assert names(package) == ["saved", "f1"]
        first = load(package).source
        assert first is not None and before is not None and first.sha256 != before.sha256
        assert load(package).source == first
        connection.execute("UPDATE fields SET name = 'again' WHERE fid = 3")
        second = load(package).source
        assert second is not None and second.sha256 != first.sha256
        assert names(package) == ["again", "f1"]
        connection.execute("BEGIN")
        connection.execute("UPDATE fields SET name = 'not saved' WHERE fid = 3")
        assert names(package) == ["again", "f1"]
        # The GIS can commit, because reading has not changed its files.
        connection.execute("COMMIT")
    assert names(package) == ["not saved", "f1"]


def test_an_incomplete_change_is_rolled_back(package: Path, tmp_path: Path):
    """A program that dies while writing leaves a hot journal."""
    with open_package(package, "PRAGMA journal_mode=DELETE", "PRAGMA cache_spill=1") as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE more AS SELECT hex(randomblob(50000)) AS text")
        connection.execute("UPDATE fields SET name = 'half' || hex(randomblob(20000))")
        copy = tmp_path / "torn.gpkg"
        for ending in ("", "-journal"):
            shutil.copy(f"{package}{ending}", f"{copy}{ending}")
        connection.execute("ROLLBACK")
    assert copy.read_bytes() != package.read_bytes()
    assert names(copy) == ["f0", "f1"]


def test_a_journal_that_names_another_file_is_rejected(package: Path, tmp_path: Path):
    """After a recovery, SQLite deletes the file that is named at the end of the journal."""
    other = tmp_path / "other"
    other.write_text("")
    name = str(other).encode()
    end = (
        b"\0\0\0\1" + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big")
    ) + bytes.fromhex("d9d505f920a163d7")
    Path(f"{package}-journal").write_bytes(bytes(512) + end)
    with pytest.raises(InvalidRequest, match="several databases"):
        load(package)
    assert other.exists()


def test_the_write_ahead_log_in_an_archive_is_read(package: Path, tmp_path: Path):
    with open_package(package, "PRAGMA journal_mode=WAL") as connection:
        connection.execute("UPDATE fields SET name = 'saved' WHERE fid = 3")
        with zipfile.ZipFile(tmp_path / "fields.zip", "w") as archive:
            for ending in ("", "-wal", "-shm"):
                archive.write(f"{package}{ending}", f"farm/fields.gpkg{ending}")
    assert names(tmp_path / "fields.zip") == ["saved", "f1"]


def test_a_file_saved_during_the_copy_is_copied_again(package: Path, monkeypatch):
    copies = []
    copy = loading.copy_regular

    def saved_meanwhile(source, target, most):
        done = copy(source, target, most)
        copies.append(source)
        if len(copies) == 1:
            with open_package(package, "UPDATE fields SET name = 'later' WHERE fid = 3"):
                pass
        return done

    monkeypatch.setattr(loading, "copy_regular", saved_meanwhile)
    assert names(package) == ["later", "f1"]
    assert len(copies) == 2
