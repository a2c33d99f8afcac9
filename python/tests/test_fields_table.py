"""The files of `test/fixtures/fields`, which the console's reader reads, too."""

from __future__ import annotations

import json
from typing import Any

import pyproj
import pytest
from conftest import ROOT

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


def read(case: dict[str, Any]) -> Loaded:
    return load(FOLDER / case["file"], **case.get("choices", {}))


HOLD = [
    "multipolygon_element.kml",
    "space_after_comma.kml",
    "unclosed.geojson",
    "two_pts.geojson",
    "curved_multisurface.gpkg",
    "deleted_rec.shp",
    "cpg_ansi1252.shp",
]


@pytest.mark.parametrize(
    "case", [one for one in CASES if one["file"] in HOLD], ids=lambda case: case["file"]
)
def test_a_file_has_the_fields_of_the_table(case: dict[str, Any]):
    loaded = read(case)
    assert len(loaded.fields.wgs84) == len(case["fields"])
    for row, expected in enumerate(case["fields"]):
        attributes = attributes_of(loaded, row)
        assert name_of(attributes) == expected["name"]
        if "hectares" in expected:
            found = hectares_of(loaded.fields.wgs84[row])
            assert found == pytest.approx(expected["hectares"], rel=0.001, abs=0.0005)
        for key, value in expected.get("attributes", {}).items():
            assert attributes[key] == value
