from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyproj
import pytest
import shapely
from conftest import ROOT

from soil_batch.errors import InvalidRequest
from soil_batch.reading import load as loading
from soil_batch.reading.load import LoadedFields, load

CODES = (28992, 27700, 31370, 25832, 3857)


@pytest.fixture(scope="session")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    make = ROOT / "test" / "support" / "make_fields.py"
    made = subprocess.run(
        [sys.executable, make, folder], check=True, capture_output=True, text=True
    )
    (folder / "corners.json").write_text(made.stdout)
    return folder


def values(loaded: LoadedFields, name: str) -> list:
    return list(loaded.fields.column(name))


def off_by_metres(loaded: LoadedFields, row: int, corners: list) -> float:
    """Returns the largest distance of a corner of the field from the nearest corner computed with PROJ."""
    geod = pyproj.Geod(ellps="WGS84")
    places = shapely.get_coordinates(shapely.geometry.shape(loaded.fields.wgs84[row]))
    return max(
        min(geod.inv(lon, lat, other_lon, other_lat)[2] for other_lon, other_lat in corners)
        for lon, lat in places
    )


@pytest.mark.parametrize(
    ("code", "ending"),
    [*((code, "gpkg") for code in CODES), *((28992, one) for one in ("shp", "fgb", "geojson"))],
)
def test_fields_lie_within_a_decimetre_of_the_place_computed_by_proj(
    files: Path, code: int, ending: str
):
    loaded = load(files / f"{code}.{ending}")
    assert loaded.fields.crs_name == f"EPSG:{code}"
    assert loaded.remarks == ()
    names = values(loaded, "id")
    # FlatGeobuf orders features by location.
    assert sorted(names) == ["veld 1", "veld 2", "veld 3"]
    corners = json.loads((files / "corners.json").read_text())[str(code)]
    for row, name in enumerate(names):
        at = int(name[-1]) - 1
        assert values(loaded, "area")[row] == 1.5 * at
        assert off_by_metres(loaded, row, corners[at]) < 0.1


def test_column_types_and_the_key_of_a_geopackage_are_kept(files: Path):
    loaded = load(files / "28992.gpkg")
    kinds = [(column.name, column.dtype) for column in loaded.fields.columns]
    assert kinds == [("fid", "int64"), ("id", "object"), ("area", "float64")]
    assert loaded.source is not None
    assert (loaded.source.layer, len(loaded.source.sha256)) == ("28992", 64)


def test_kml_placemarks_name_the_fields():
    assert load(ROOT / "test" / "fixtures" / "fields" / "data.kml").name == "Name"


@pytest.mark.parametrize(
    ("content", "layer", "message"),
    [
        ("[" * 1_000_000, None, "nests arrays or objects too deeply"),
        (
            '{"type": "FeatureCollection", "features": [3]}',
            *(None, "feature 1 of .* is not a GeoJSON Feature"),
        ),
        ('{"type": "Point", "coordinates": [1, 2]}', "fields", "has no layers"),
    ],
)
def test_invalid_geojson_and_a_layer_in_geojson_are_rejected(
    tmp_path: Path, content: str, layer: str | None, message: str
):
    file = tmp_path / "fields.geojson"
    file.write_text(content)
    with pytest.raises(InvalidRequest, match=message):
        load(file, layer)


def test_a_file_geodatabase_is_read_as_a_folder_or_an_archive(files: Path, tmp_path: Path):
    import shutil

    import geopandas

    fields = geopandas.read_file(files / "28992.gpkg")
    fields.to_file(tmp_path / "fields.gdb", driver="OpenFileGDB", layer="parcels")
    loaded = load(tmp_path / "fields.gdb")
    assert values(loaded, "id") == ["veld 1", "veld 2", "veld 3"]
    assert loaded.source is not None
    assert loaded.source.layer == "parcels"
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path, "fields.gdb")
    assert len(load(archive).fields.geometries) == 3


@pytest.mark.usefixtures("own_reader")
def test_a_gdal_with_unlisted_drivers_gives_the_same_fields(files: Path, monkeypatch):
    path = files / "28992.gpkg"
    expected = load(path)
    monkeypatch.setattr(loading, "_OTHER_DRIVERS", "GML")
    assert load(path) == expected
