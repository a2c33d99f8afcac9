"""The files of `test/fixtures/fields`, which also test the console's reader."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import pyproj
import pytest
from conftest import ROOT

from soil_batch.geometry import positions_of
from soil_batch.reading.findings import FileRejected
from soil_batch.reading.load import LoadedFields, load

FOLDER = ROOT / "test" / "fixtures" / "fields"
CASES = json.loads((FOLDER / "expected.json").read_text())["cases"]
NAMES = ("name", "naam", "title", "label", "field", "id", "fid", "objectid")


def hectares_of(geometry: Any) -> float:
    geod = pyproj.Geod(ellps="WGS84")
    polygons = geometry["coordinates"]
    total = 0.0
    for polygon in [polygons] if geometry["type"] == "Polygon" else polygons:
        areas = [abs(geod.polygon_area_perimeter(*zip(*ring))[0]) for ring in polygon]
        total += areas[0] - sum(areas[1:])
    return total / 10_000


def center_of(geometry: Any) -> list[float]:
    lons, lats = zip(*(place[:2] for place in positions_of(geometry["coordinates"])))
    return [(min(lons) + max(lons)) / 2, (min(lats) + max(lats)) / 2]


def attributes_of(loaded: LoadedFields, row: int) -> dict[str, Any]:
    return {column.name: column.values[row] for column in loaded.fields.columns}


def find_name(attributes: dict[str, Any]) -> str | None:
    named = [(key.lower(), str(value)) for key, value in attributes.items() if value is not None]
    return next((value for one in NAMES for key, value in named if key == one), None)


def read(case: dict[str, Any]) -> LoadedFields | FileRejected:
    try:
        return load(FOLDER / case["file"], **case.get("choices", {}))
    except FileRejected as error:
        return error


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: f"{at}-{CASES[at]['file']}")
def test_a_file_gives_the_expected_fields(at: int):
    case = {**CASES[at], **CASES[at].get("differs", {}).get("command", {})}
    loaded = read(CASES[at])
    if isinstance(loaded, FileRejected):
        assert loaded.kind == case.get("error")
        return
    assert "error" not in case
    assert {one.kind for one in loaded.remarks} - {"left_out"} == set(case.get("remarks", []))
    assert [asdict(one) for one in loaded.left_out] == case.get("left_out", [])
    assert len(loaded.fields.wgs84) == len(case["fields"])
    for row, expected in enumerate(case["fields"]):
        geometry = loaded.fields.wgs84[row]
        attributes = attributes_of(loaded, row)
        assert find_name(attributes) == expected["name"]
        for key, value in expected.get("attributes", {}).items():
            assert attributes.get(key) == value
        if "hectares" in expected:
            area = hectares_of(geometry)
            assert area == pytest.approx(expected["hectares"], rel=0.001, abs=0.0005)
            assert all(len(place) == 2 for place in positions_of(geometry["coordinates"]))
        if "center" in expected:
            assert center_of(geometry) == pytest.approx(expected["center"], abs=1e-6)


def test_expected_areas_equal_areas_computed_by_hand():
    west, south, side = 5.74, 50.967, 0.001
    corners = [(0, 0), (side, 0), (side, side), (0, side)]
    ring = [(west + x, south + y) for x, y in corners]
    square = hectares_of({"type": "Polygon", "coordinates": [ring]})
    shares = {
        "half of a square, and one to four squares": (0.5, 1, 2, 3, 4),
        "sixteen squares without one, or without three with sides of 0.4": (15, 16 - 3 * 0.4**2),
        "a hundred squares, without a hole of 64 that contains 16, or without a triangle": (
            100 - 64 + 16,
            100 - 3 * 4 / 2,
        ),
        "a square with sides of 0.001 grad, which are 0.0009 degrees": (0.9**2,),
        "the circle around a square, two of these, and half of the circle within a square": (
            math.pi / 2,
            math.pi,
            math.pi / 8,
        ),
    }
    known = [square * share for several in shares.values() for share in several]
    # A hectare in RD New, whose scale differs from 1 by less than the tolerance.
    known.append(1.0)
    # A polygon of 64 corners on a circle with a radius of 50 m.
    known.append(32 * math.sin(math.tau / 64) * 50**2 / 10_000)
    cases = [*CASES, *(one["differs"].get("command", {}) for one in CASES if "differs" in one)]
    listed = {
        field["hectares"]
        for case in cases
        for field in case.get("fields", [])
        if "hectares" in field
    }
    for hectares in listed:
        assert any(hectares == pytest.approx(one, rel=0.001) for one in known), hectares
