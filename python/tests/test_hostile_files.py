from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import time
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

from soil_batch.errors import InvalidRequest
from soil_batch.reading import load as loading
from soil_batch.reading.load import load

EXAMPLE = ROOT / "examples" / "fields.gpkg"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return Path(shutil.copy(EXAMPLE, tmp_path / "fields.gpkg"))


def execute_statements(package: Path, *statements: str) -> Path:
    with sqlite3.connect(package) as connection:
        # GDAL's triggers use functions that this SQLite lacks.
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in found.fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        for statement in statements:
            connection.execute(statement)
    connection.close()
    return package


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


@pytest.mark.usefixtures("own_reader")
def test_a_view_of_an_endless_query_is_rejected(package: Path):
    execute_statements(
        package,
        "ALTER TABLE fields RENAME TO stored",
        f"CREATE VIEW fields AS {ENDLESS} SELECT i AS fid, NULL AS geom FROM n",
    )
    started = time.monotonic()
    with pytest.raises(InvalidRequest, match="is a view"):
        load(package)
    assert time.monotonic() - started < loading.MOST_SECONDS


@pytest.mark.usefixtures("own_reader")
def test_a_view_instead_of_the_layer_list_is_rejected(package: Path):
    execute_statements(
        package,
        "ALTER TABLE gpkg_geometry_columns RENAME TO others",
        f"CREATE VIEW gpkg_geometry_columns AS {ENDLESS} SELECT i AS table_name FROM n",
    )
    with pytest.raises(InvalidRequest, match="is a view"):
        load(package)


def test_generated_columns_are_rejected(package: Path):
    execute_statements(
        package, "ALTER TABLE fields ADD COLUMN big AS (hex(zeroblob(500000000))) VIRTUAL"
    )
    with pytest.raises(InvalidRequest, match="generated columns"):
        load(package)


VRT = """<OGRVRTDataSource><OGRVRTLayer name="other"><SrcDataSource>{other}</SrcDataSource>
</OGRVRTLayer></OGRVRTDataSource>"""


@pytest.mark.parametrize("name", ["fields.gpkg", "fields.kml", "fields.geojson", "fields.csv"])
def test_a_file_cannot_return_the_content_of_a_file_that_it_refers_to(tmp_path: Path, name: str):
    file = tmp_path / name
    file.write_text(VRT.format(other=EXAMPLE))
    with pytest.raises(InvalidRequest) as raised:
        load(file, crs=28992)
    assert "Stein" not in str(raised.value)


@pytest.mark.usefixtures("own_reader")
def test_drivers_that_are_not_allowed_are_reported(package: Path, monkeypatch):
    # Simulates a GDAL that ignores `GDAL_SKIP`.
    ignored = loading.child_environment("CSV")
    monkeypatch.setattr(loading, "child_environment", lambda skipped: ignored)
    with pytest.raises(InvalidRequest, match="OGR_VRT"):
        load(package)


def test_pipes_and_devices_are_rejected_without_waiting(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.geojson")
    for path in (tmp_path / "pipe.geojson", Path("/dev/zero")):
        with pytest.raises(InvalidRequest, match="a pipe or a device"):
            load(path)
    with pytest.raises(InvalidRequest, match="is a folder"):
        load(tmp_path)
    shutil.copy(EXAMPLE, tmp_path / "f.shp")
    os.mkfifo(tmp_path / "f.dbf")
    with pytest.raises(InvalidRequest, match=r"f\.dbf is a pipe"):
        load(tmp_path / "f.shp")


def test_a_large_file_is_rejected(package: Path):
    os.truncate(package, 200_000_000)
    with pytest.raises(InvalidRequest, match="has 200 MB; at most 100 MB"):
        load(package)


@pytest.mark.usefixtures("own_reader")
def test_reading_has_a_timeout(package: Path, monkeypatch):
    monkeypatch.setattr(loading, "MOST_SECONDS", 0.05)
    with pytest.raises(InvalidRequest, match="takes more than"):
        load(package)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
@pytest.mark.usefixtures("own_reader")
def test_reading_has_a_memory_limit(tmp_path: Path):
    file = tmp_path / "fields.geojson"
    file.write_bytes(b"[" + b"{}," * 30_000_000 + b"{}]")
    with pytest.raises(InvalidRequest, match="cannot be read"):
        load(file)


def write_archive(tmp_path: Path, entries: dict[str, bytes]) -> Path:
    file = tmp_path / "fields.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in entries.items():
            made.writestr(name, content)
    return file


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"a.geojson": bytes(101_000_000)}, "larger than 100 MB"),
        ({f"{at}.shp": b"" for at in range(1001)}, "1001 files"),
        ({"a.jpg": b""}, "does not contain fields"),
        ({}, "does not contain fields"),
        ({"a.gpkg": b"", "b.kml": b""}, "2 files with fields"),
        ({"a.shp": b"", "b.shp": b""}, 'has 2 layers: "a", "b"'),
        ({"a.shp": b"\x00\x00\x27\x0a"}, "the .shx file of a.shp"),
        ({"a.geojson": b"PK\x03\x04"}, "is itself an archive"),
    ],
)
def test_an_archive_without_one_readable_file_of_fields_is_rejected(tmp_path, entries, message):
    with pytest.raises(InvalidRequest, match=message):
        load(write_archive(tmp_path, entries))


def test_an_archive_is_extracted_only_into_its_folder(tmp_path: Path):
    fields = b'{"type": "Polygon", "coordinates": [[[5, 50], [6, 50], [6, 51], [5, 50]]]}'
    file = write_archive(tmp_path, {"../../outside.geojson": fields})
    assert len(load(file).fields.geometries) == 1
    assert not (tmp_path.parent / "outside.geojson").exists()


def test_a_damaged_archive_is_rejected(tmp_path: Path):
    file = write_archive(tmp_path, {"a.geojson": b'{"type": "Polygon", "coordinates": []}' * 50})
    content = bytearray(file.read_bytes())
    file.write_bytes(content[:-10])
    with pytest.raises(InvalidRequest, match="not a complete zip archive"):
        load(file)
    content[60] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(InvalidRequest, match="not a complete zip archive"):
        load(file)


@pytest.mark.usefixtures("own_reader")
@pytest.mark.parametrize(("start", "end"), [(40_000, None), (20_000, 60_000), (0, 3000)])
def test_a_damaged_geopackage_is_rejected(package: Path, start: int, end: int | None):
    content = bytearray(package.read_bytes())
    if end is None:
        del content[start:]
    else:
        content[start:end] = b"\xff" * (end - start)
    package.write_bytes(content)
    with pytest.raises(InvalidRequest, match=r"fields\.gpkg"):
        load(package)
