"""Files of fields in every format."""

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
from soil_batch.reading.load import Loaded, load

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


def values(loaded: Loaded, name: str) -> list:
    return list(loaded.fields.column(name))


def off_by_metres(loaded: Loaded, row: int, corners: list) -> float:
    """The farthest that a corner of the field lies from the nearest of PROJ's."""
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
def test_lies_within_a_decimetre_of_where_proj_puts_it(files: Path, code: int, ending: str):
    loaded = load(files / f"{code}.{ending}")
    assert loaded.fields.crs_name == f"EPSG:{code}"
    assert loaded.remarks == ()
    names = values(loaded, "id")
    # FlatGeobuf orders features by place.
    assert sorted(names) == ["veld 1", "veld 2", "veld 3"]
    corners = json.loads((files / "corners.json").read_text())[str(code)]
    for row, name in enumerate(names):
        at = int(name[-1]) - 1
        assert values(loaded, "area")[row] == 1.5 * at
        assert off_by_metres(loaded, row, corners[at]) < 0.1


def test_keeps_types_and_the_key_of_a_geopackage(files: Path):
    loaded = load(files / "28992.gpkg")
    kinds = [(column.name, column.dtype) for column in loaded.fields.columns]
    assert kinds == [("fid", "int64"), ("id", "object"), ("area", "float64")]
    assert loaded.source is not None
    assert (loaded.source.layer, len(loaded.source.sha256)) == ("28992", 64)


def test_several_layers_need_the_name_of_one(files: Path):
    with pytest.raises(InvalidRequest, match=r'has 2 layers: "fields 2021", "trial"; .*--layer'):
        load(files / "layers.gpkg")
    with pytest.raises(InvalidRequest, match='has no layer "fields 2022", but "fields 2021"'):
        load(files / "layers.gpkg", "fields 2022")
    assert len(load(files / "layers.gpkg", "trial").fields.geometries) == 1


def test_heights_are_dropped_with_a_note(files: Path):
    loaded = load(files / "heights.gpkg")
    assert [one.kind for one in loaded.remarks] == ["heights"]
    assert not shapely.has_z(shapely.geometry.shape(loaded.fields.wgs84[0]))
    corners = json.loads((files / "corners.json").read_text())["28992"]
    assert off_by_metres(load(files / "height-system.gpkg"), 0, corners[0]) < 0.1


@pytest.mark.parametrize("name", ["no-crs.gpkg", "no-crs.fgb", "no-crs.shp", "no-crs.csv"])
def test_a_file_without_a_system_needs_to_be_told_which(files: Path, name: str):
    with pytest.raises(
        InvalidRequest, match=r"does not name its coordinate reference system.*--crs"
    ):
        load(files / name)
    loaded = load(files / name, crs=28992)
    corners = json.loads((files / "corners.json").read_text())["28992"]
    for row, one in enumerate(values(loaded, "id")):
        assert off_by_metres(loaded, row, corners[int(one[-1]) - 1]) < 0.1
    with pytest.raises(InvalidRequest, match=r"in EPSG:32755, a field of .* far from"):
        load(files / name, crs="EPSG:32755")


def test_a_system_that_the_file_names_is_not_overruled(files: Path):
    with pytest.raises(InvalidRequest, match="says itself that it is in EPSG:28992"):
        load(files / "28992.gpkg", crs=31370)
    assert len(load(files / "28992.gpkg", crs=28992).fields.geometries) == 3


def test_coordinates_where_the_system_is_not_defined_are_refused(files: Path):
    with pytest.raises(InvalidRequest, match=r"outside\.gpkg: .*outside of the area.*British"):
        load(files / "outside.gpkg")


def test_a_shapefile_that_names_no_encoding_is_in_utf_8_or_windows_1252(files: Path, tmp_path):
    for encoding in ("utf-8", "cp1252"):
        for part in ("shp", "shx", "prj"):
            (tmp_path / f"f.{part}").write_bytes((files / f"28992.{part}").read_bytes())
        dbf = bytearray((files / "28992.dbf").read_bytes())
        dbf[29] = 0
        text = "Süd ü".encode(encoding)
        at = dbf.index(b"veld 1")
        dbf[at : at + len(text)] = text
        (tmp_path / "f.dbf").write_bytes(dbf)
        assert values(load(tmp_path / "f.shp"), "id")[0].startswith("Süd ü")


def test_csv_has_texts_and_needs_a_column_of_polygons(files: Path):
    loaded = load(files / "no-crs.csv", crs=28992)
    assert values(loaded, "area") == ["0", "1.5", "3"]
    with pytest.raises(InvalidRequest, match='a column named "wkt" or "geometry"'):
        load(files / "table.csv", crs=28992)


KML = """<?xml version="1.0" encoding="UTF-8"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
<Placemark><name>Nord</name><ExtendedData>{data}</ExtendedData><MultiGeometry>{polygon}{polygon}
</MultiGeometry></Placemark></Document></kml>"""
KML_POLYGON = (
    "<Polygon><outerBoundaryIs><LinearRing><coordinates>5.75,50.97,0 5.76,50.97,0 5.76,50.98,0 5.75,50.97,0"
    "</coordinates></LinearRing></outerBoundaryIs></Polygon>"
)


@pytest.mark.parametrize(
    ("data", "name", "value"),
    [
        ('<Data name="crop"><value>rye</value></Data>', "crop", "rye"),
        (
            '<SchemaData schemaUrl="#s"><SimpleData name="soc">3.5</SimpleData></SchemaData>',
            *("soc", 3.5),
        ),
    ],
)
def test_kml_names_fields_by_their_placemarks_and_has_their_data(tmp_path, data, name, value):
    file = tmp_path / "fields.kml"
    text = KML.format(data=data, polygon=KML_POLYGON)
    if "Schema" in data:
        schema = '<Schema id="s"><SimpleField name="soc" type="double"/></Schema>'
        text = text.replace("<Document>", f"<Document>{schema}")
    file.write_text(text)
    loaded = load(file)
    assert loaded.name == "Name"
    assert values(loaded, "Name") == ["Nord"]
    assert values(loaded, name) == [value]
    assert loaded.remarks == ()
    assert [one["type"] for one in loaded.fields.geometries] == ["MultiPolygon"]
    with pytest.raises(InvalidRequest, match="says itself that it is in EPSG:4326"):
        load(file, crs=28992)


def geojson(tmp_path: Path, value: object) -> Path:
    file = tmp_path / "fields.geojson"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


def test_geojson_in_metres_needs_its_system(tmp_path: Path):
    ring = [[181000, 332500], [181200, 332500], [181200, 332700], [181000, 332500]]
    metres = {"type": "Polygon", "coordinates": [ring]}
    file = geojson(tmp_path, metres)
    with pytest.raises(InvalidRequest, match="--crs"):
        load(file)
    lon, lat = load(file, crs=28992).fields.wgs84[0]["coordinates"][0][0]
    assert (lon, lat) == (pytest.approx(5.757, abs=0.001), pytest.approx(50.982, abs=0.001))
    with pytest.raises(InvalidRequest, match="EPSG:999999 is not known"):
        load(file, crs=999999)
    named = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::28992"}}
    collection = {"type": "FeatureCollection", "crs": named, "features": []}
    collection["features"].append({"type": "Feature", "properties": {"id": 1}, "geometry": metres})
    assert load(geojson(tmp_path, collection)).fields.crs_name == "EPSG:28992"


def test_geojson_in_degrees_is_in_no_other_system(tmp_path: Path):
    ring = [[5.75, 50.97, 3], [5.76, 50.97, 3], [5.76, 50.98, 3], [5.75, 50.97, 3]]
    file = geojson(tmp_path, {"type": "Polygon", "coordinates": [ring]})
    with pytest.raises(InvalidRequest, match="in degrees"):
        load(file, crs=28992)
    assert load(file, crs=4326).fields.wgs84[0]["coordinates"][0][0] == [5.75, 50.97]
    with pytest.raises(InvalidRequest, match="has no layers"):
        load(file, "fields")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("{", "is not valid JSON"),
        ('{"type": "FeatureCollection", "features": [NaN]}', "is not valid JSON"),
        ("[" * 1_000_000, "nests arrays and objects too deep"),
        ("[1]", "not GeoJSON"),
        ('{"type": "Topology"}', "not a GeoJSON feature collection"),
        (
            '{"type": "FeatureCollection", "features": [3]}',
            "feature 1 of .* is not a GeoJSON Feature",
        ),
        ('{"type": "Point", "coordinates": [1, 2]}', "feature 1 is a point"),
    ],
)
def test_what_is_no_geojson_is_refused(tmp_path: Path, content: str, message: str):
    with pytest.raises(InvalidRequest, match=message):
        load(geojson(tmp_path, content))


@pytest.mark.parametrize(
    ("name", "layer", "read"),
    [("one.zip", None, "28992"), ("two.zip", "25832", "25832"), ("package.zip", None, "28992")],
)
def test_an_archive_of_one_file_is_read(files: Path, name, layer, read):
    loaded = load(files / name, layer)
    assert loaded.source is not None
    assert (loaded.source.layer, len(loaded.fields.geometries)) == (read, 3)


def test_a_file_geodatabase_is_a_folder_or_an_archive_of_one(files: Path, tmp_path: Path):
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
