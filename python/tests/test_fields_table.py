"""The files of `test/fixtures/fields`, which the console's reader reads, too."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

import pyproj
import pytest
from conftest import ROOT

from soil_batch.reading import load as loading
from soil_batch.reading.findings import FileRejected
from soil_batch.reading.load import Loaded, load

FOLDER = ROOT / "test" / "fixtures" / "fields"
CASES = json.loads((FOLDER / "expected.json").read_text())["cases"]
# Attributes that name a field, as in the console.
NAMES = ("name", "naam", "title", "label", "field", "id", "fid", "objectid")


def hectares_of(geometry: Any) -> float:
    geod = pyproj.Geod(ellps="WGS84")
    polygons = geometry["coordinates"]
    total = 0.0
    for polygon in [polygons] if geometry["type"] == "Polygon" else polygons:
        areas = [abs(geod.polygon_area_perimeter(*zip(*ring))[0]) for ring in polygon]
        total += areas[0] - sum(areas[1:])
    return total / 10_000


def attributes_of(loaded: Loaded, row: int) -> dict[str, Any]:
    return {column.name: column.values[row] for column in loaded.fields.columns}


def name_of(attributes: dict[str, Any]) -> str | None:
    by_name = {key.lower(): value for key, value in attributes.items()}
    found = (by_name.get(one) for one in NAMES)
    return next((str(one) for one in found if one is not None), None)


def read(case: dict[str, Any]) -> Loaded | FileRejected:
    try:
        return load(FOLDER / case["file"], **case.get("choices", {}))
    except FileRejected as error:
        return error


@pytest.fixture(scope="module")
def found() -> Iterator[list[Future[Loaded | FileRejected]]]:
    """Each file is read by a process of its own, which takes a second, and longer under load."""
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(os.cpu_count()) as pool:
        patch.setattr(loading, "MOST_SECONDS", 300)
        yield [pool.submit(read, case) for case in CASES]


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: f"{at}-{CASES[at]['file']}")
def test_a_file_has_the_fields_of_the_table(found: list[Future[Loaded | FileRejected]], at: int):
    case = {**CASES[at], **CASES[at].get("differs", {}).get("command", {})}
    loaded = found[at].result()
    if isinstance(loaded, FileRejected):
        assert loaded.kind == case.get("error")
        return
    assert "error" not in case
    assert {one.kind for one in loaded.remarks} - {"left_out"} == set(case.get("remarks", []))
    assert [asdict(one) for one in loaded.left_out] == case.get("left_out", [])
    assert len(loaded.fields.wgs84) == len(case["fields"])
    for row, expected in enumerate(case["fields"]):
        attributes = attributes_of(loaded, row)
        assert name_of(attributes) == expected["name"]
        for key, value in expected.get("attributes", {}).items():
            assert attributes.get(key) == value
        if "hectares" in expected:
            found = hectares_of(loaded.fields.wgs84[row])
            assert found == pytest.approx(expected["hectares"], rel=0.001, abs=0.0005)
