from __future__ import annotations

import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from commands import Command, triangle, write_fields
from fault_proxy import HALF, SIGN_IN, Plan
from soil_batch.folder import Folder
from soil_batch.report.write import write_report
from soil_batch.run_state import Outcomes
from soil_batch.snapshot import RunSnapshot, read_snapshot
from soil_batch.stored import read_stored

MADE = ("results.gpkg", "all_meuse-soc-1.0.0_1990-1993.vrt", "report.html")
RUN = ("run", "f.geojson", "--year", "2021", "--name-field", "id", "--yes", "--out", "maps")


@pytest.fixture
def command(capsys, monkeypatch, tmp_path, proxy, service) -> Command:
    return Command(capsys, monkeypatch, tmp_path, proxy.url, service.api_key)


@pytest.fixture
def maps(command) -> Path:
    write_fields(command.folder / "f.geojson", {"a": triangle(), "b": triangle(1)})
    assert command(*RUN).code == 0
    return command.folder / "maps"


def modification_times(maps: Path) -> dict[str, int]:
    return {name: (maps / name).stat().st_mtime_ns for name in MADE}


def test_geopackage_virtual_raster_and_report_of_an_unchanged_run_are_not_written_again(
    command, maps
):
    before = modification_times(maps)
    assert command(*RUN).code == 0
    assert command("download", "maps").code == 0
    assert modification_times(maps) == before
    command("report", "maps")
    assert modification_times(maps) != before


def test_an_edited_geopackage_and_a_deleted_virtual_raster_are_written_again(command, maps):
    contents = {name: (maps / name).read_bytes() for name in MADE[:2]}
    (maps / MADE[0]).write_bytes(b"mine")
    (maps / MADE[1]).unlink()
    assert command(*RUN).code == 0
    assert (maps / MADE[0]).stat().st_size == len(contents[MADE[0]])
    assert (maps / MADE[1]).read_bytes() == contents[MADE[1]]


def test_files_are_written_again_after_a_field_changed(command, maps):
    before = modification_times(maps)
    write_fields(command.folder / "f.geojson", {"a": triangle(), "b": triangle(21)})
    assert command(*RUN).code == 0
    assert not set(modification_times(maps).values()) & set(before.values())


def test_a_report_without_the_current_jobs_is_written_again(maps):
    def read_run() -> RunSnapshot:
        return read_snapshot(None, read_stored(Folder(maps)))

    whole = (maps / "report.html").stat().st_size
    write_report(replace(read_run(), outcomes=Outcomes({}, frozenset(), {})), again=True)
    assert (maps / "report.html").stat().st_size != whole
    write_report(read_run())
    assert (maps / "report.html").stat().st_size == whole


def test_download_progress_starts_with_the_bytes_in_the_folder(command, maps, proxy, monkeypatch):
    (maps / "a_1990-1993.tif").unlink()
    proxy.plan(Plan("^GET /results/", HALF, 1), Plan("^GET /results/", SIGN_IN, 99))
    child = command.start("download", "maps")
    while not any(part.stat().st_size for part in maps.glob("a_*.part")):
        assert child.poll() is None
        time.sleep(0.02)
    child.kill()
    child.communicate()
    proxy.plan()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shares = [int(one) for one in re.findall(r"(\d+)%", command("download", "maps").err)]
    assert shares[0] == pytest.approx(75, abs=5)
    assert shares[-1] == 100
