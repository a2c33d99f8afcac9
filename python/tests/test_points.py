from __future__ import annotations

import json
import math
import random

import geopandas
import pyproj
import pytest
import shapely
from conftest import ROOT

import soil_batch as sb
from commands import Command, rows_of
from soil_batch.reading.discs import MOST_RADIUS, require_radius
from soil_batch.reading.findings import FileRejected
from soil_batch.reading.load import load

GEOD = pyproj.Geod(ellps="WGS84")
CREATION = r"^POST /v1/batch$"
# In metres of the Dutch grid, within the coverage of the default model.
X, Y = 181_100.0, 332_900.0
RUN = ("run", "samples.gpkg", "--year", "2021", "--name-field", "id", "--yes", "--json")


def samples(places: list[tuple[float, ...]], crs: int = 28992) -> geopandas.GeoDataFrame:
    ids = [f"P{at + 1}" for at in range(len(places))]
    values = {"id": ids, "soc": [1.5 + at for at in range(len(places))]}
    return geopandas.GeoDataFrame(values, geometry=[shapely.Point(*one) for one in places], crs=crs)


def collection(*geometries: object) -> dict:
    features = [{"type": "Feature", "properties": {}, "geometry": one} for one in geometries]
    return {"type": "FeatureCollection", "features": features}


def point(*position: float) -> dict:
    return {"type": "Point", "coordinates": list(position)}


@pytest.fixture
def command(capsys, monkeypatch, tmp_path, proxy, service) -> Command:
    return Command(capsys, monkeypatch, tmp_path, proxy.url, service.api_key)


def test_the_corners_of_a_disc_lie_at_its_radius_and_enclose_its_area():
    chosen = random.Random(61)
    for _ in range(300):
        lon, lat = chosen.uniform(-179.9, 179.9), chosen.uniform(-88.9, 88.9)
        radius = math.exp(chosen.uniform(0, math.log(MOST_RADIUS)))
        if abs(lon) > 180 - math.degrees(1.1 * radius / 6.3e6 / math.cos(math.radians(lat))):
            continue
        (disc,) = load(collection(point(lon, lat)), buffer=radius).fields.geometries
        (ring,) = disc["coordinates"]
        assert ring[0] == ring[-1]
        lons, lats = zip(*ring)
        _, _, distances = GEOD.inv([lon] * len(ring), [lat] * len(ring), lons, lats)
        assert max(abs(one - radius) for one in distances) < 0.001
        # The area of an anticlockwise ring is positive.
        area, _ = GEOD.polygon_area_perimeter(lons, lats)
        assert area == pytest.approx(math.pi * radius**2, rel=0.005)


def test_a_disc_is_the_same_as_in_the_console():
    discs = json.loads((ROOT / "test" / "fixtures" / "fields" / "discs.json").read_text())
    for one in discs:
        (disc,) = load(collection(point(*one["place"])), buffer=one["radius"]).fields.geometries
        (ring,) = disc["coordinates"]
        assert ring[:-1] == pytest.approx(
            [pytest.approx(corner, abs=1e-8) for corner in one["corners"]]
        )


def test_the_largest_disc_does_not_exceed_the_area_limit_of_a_job(client):
    square_metres = 10_000 * client.limits().hectares_per_job
    assert math.pi * MOST_RADIUS**2 <= square_metres < math.pi * (MOST_RADIUS + 1) ** 2
    given = collection(point(5.74, 50.967))
    assert client.estimate(given, 2021, buffer=MOST_RADIUS).failures["error_code"].tolist() == []


@pytest.mark.parametrize(
    "buffer",
    [
        0,
        -50,
        0.5,
        MOST_RADIUS + 1,
        math.nan,
        math.inf,
        "50 m",
        [50],
        pytest.param(10**400, id="huge"),
    ],
)
def test_invalid_radii_are_rejected(buffer):
    with pytest.raises(sb.InvalidRequest, match="buffer must be"):
        require_radius(buffer)


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        ({"type": "Polygon", "coordinates": [[[5, 50], [6, 50], [6, 51], [5, 50]]]}, "an area"),
        ({"type": "LineString", "coordinates": [[5, 50], [6, 50]]}, "a line"),
        ({"type": "MultiPoint", "coordinates": [[5, 50], [6, 50]]}, "several points"),
        ({"type": "GeometryCollection", "geometries": [point(5, 50)] * 2}, "several points"),
        ({"type": "Curve"}, "an unknown geometry"),
        (point(181_100, 50), "not in degrees"),
        pytest.param(point(10**400, 50), "not in degrees", id="huge"),
        (point(5, 89.5), "not in degrees, or beyond"),
        (point(0, -90), "not in degrees, or beyond"),
        (point(179.9999, -17), "across the antimeridian"),
        (point(-180, 66), "across the antimeridian"),
    ],
)
def test_geometries_that_cannot_become_discs_are_rejected_with_their_row(tmp_path, bad, kind):
    given = collection(point(5.74, 50.967), bad)
    with pytest.raises(FileRejected, match=rf"row 1 \({kind}") as frame:
        load(given, buffer=50)
    assert [one.pointer for one in frame.value.errors] == ["/1"]
    path = tmp_path / "samples.geojson"
    path.write_text(json.dumps(given))
    with pytest.raises(FileRejected, match=rf"feature 2 \({kind}") as file:
        load(path, buffer=50)
    assert file.value.kind == "points_unusable"


def test_empty_points_heights_and_multipoints_of_one_point_are_accepted(tmp_path):
    alone = {"type": "MultiPoint", "coordinates": [[5.74, 50.967]]}
    path = tmp_path / "samples.gpkg"
    shapes = [
        shapely.Point(5.74, 50.967),
        shapely.geometry.shape(alone),
        shapely.Point(5.74, 50.967, 31.5),
        shapely.Point(),
        None,
    ]
    geopandas.GeoDataFrame({"id": range(5)}, geometry=shapes, crs=4326).to_file(path)
    loaded = load(path, buffer=50)
    first, *others = loaded.fields.geometries
    assert others == [first, first, None, None]
    assert [one.kind for one in loaded.remarks] == ["heights"]
    frame = load(geopandas.read_file(path), buffer=50)
    assert frame.fields.geometries == loaded.fields.geometries
    with pytest.raises(FileRejected, match="no points"):
        load(geopandas.read_file(path).iloc[3:], buffer=50)


@pytest.mark.parametrize("ending", ["gpkg", "shp", "fgb", "csv", "kml", "parquet", "geojson"])
def test_points_of_a_file_become_discs_at_their_longitude_and_latitude(tmp_path, ending):
    crs = 4326 if ending in ("kml", "geojson") else 28992
    frame = samples([(X, Y)]).to_crs(crs)
    path = tmp_path / f"samples.{ending}"
    if ending == "csv":
        frame.assign(wkt=frame.geometry.to_wkt()).drop(columns="geometry").to_csv(path)
    elif ending == "parquet":
        frame.to_parquet(path, geometry_encoding="geoarrow")
    elif ending == "kml":
        marks = [
            f"<Placemark><Point><coordinates>{one.x},{one.y}</coordinates></Point></Placemark>"
            for one in frame.geometry
        ]
        path.write_text(f'<kml xmlns="http://www.opengis.net/kml/2.2">{"".join(marks)}</kml>')
    else:
        frame.to_file(path)
    loaded = load(path, crs=crs if ending == "csv" else None, buffer=50)
    assert loaded.fields.crs is None
    for disc, place in zip(loaded.fields.geometries, frame.to_crs(4326).geometry, strict=True):
        lons, lats = zip(*disc["coordinates"][0])
        _, _, distances = GEOD.inv([place.x] * len(lons), [place.y] * len(lons), lons, lats)
        assert distances == pytest.approx([50] * len(lons), abs=0.001)


def test_points_in_metres_need_a_crs(tmp_path):
    path = tmp_path / "samples.geojson"
    path.write_text(json.dumps(collection(point(X, Y))))
    with pytest.raises(FileRejected) as error:
        load(path, buffer=50)
    assert error.value.kind == "crs_needed"
    assert load(path, crs=28992, buffer=50).fields.geometries[0]["type"] == "Polygon"
    with pytest.raises(FileRejected) as error:
        load(path, crs=25832, buffer=50)
    assert error.value.kind == "crs_unusable"


def test_a_run_of_points_keeps_their_attributes_and_continues_only_with_the_same_radius(
    command, proxy
):
    samples([(X, Y), (X + 300, Y), (X, Y + 300)]).to_file(command.folder / "samples.gpkg")
    refused = command(*RUN)
    assert (refused.code, proxy.seen(CREATION)) == (1, [])
    assert "--buffer" in refused.err
    done = command(*RUN, "--buffer", "50")
    assert (done.code, done.submitted_jobs()) == (0, [3])
    folder = command.folder / "samples_2021"
    rows = rows_of(folder)
    assert [(name, row["soc"]) for name, row in rows.items()] == [
        ("P1", "1.5"),
        ("P2", "2.5"),
        ("P3", "3.5"),
    ]
    table = geopandas.read_file(folder / "results.gpkg")
    areas = table.to_crs(28992).area
    assert areas.tolist() == pytest.approx([math.pi * 50**2] * 3, rel=0.005)
    again = command(*RUN, "--buffer", "50.0")
    assert (again.code, again.submitted_jobs()) == (0, [])
    other = command(*RUN, "--buffer", "60")
    assert (other.code, len(proxy.seen(CREATION))) == (1, 1)
    assert rows_of(folder) == rows
    replaced = command(*RUN, "--buffer", "60", "--replace")
    assert (replaced.code, replaced.submitted_jobs()) == (0, [3])


def test_small_and_overlapping_discs_cause_warnings(command, client):
    samples([(X, Y), (X, Y), (X + 300, Y)]).to_file(command.folder / "samples.gpkg")
    (cell,) = [one.grid.cell_size for one in client.models() if one.id == "meuse-soc"]
    small = command(*RUN, "--buffer", 0.4 * cell)
    assert small.code == 0
    (estimate,) = [one for one in small.events if one["event"] == "estimate"]
    codes = [one["code"] for one in estimate["warnings"]]
    assert codes.count("smaller_than_cell") == 3
    (total,) = [one for one in small.events if one["event"] == "total"]
    assert "overlap" in json.dumps(total["warnings"])


def test_a_geodataframe_of_points_is_predicted(client, tmp_path):
    frame = samples([(X, Y), (X + 300, Y)])
    table = client.predict(
        frame, year=2021, name="id", dir=tmp_path / "maps", buffer=50, progress=False
    )
    assert table["status"].tolist() == ["completed"] * 2
    assert table["soc"].tolist() == frame["soc"].tolist()
    with pytest.raises(sb.InvalidRequest, match="buffer=50"):
        client.estimate(frame, year=2021)
