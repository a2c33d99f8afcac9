from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import geopandas
import numpy
import pandas
import pytest
import rasterio
from scipy import stats
from shapely import affinity

import soil_batch as sb
from commands import Command
from soil_batch.command.texts import correction_lines, design_lines, measured_change_lines
from soil_batch.correction.mean_error import Stratum, estimate_mean_error

AREAS = (40.0, 25.0, 20.0, 10.0, 5.0)


def strata(errors: list[list[float]]) -> list[Stratum]:
    return [
        Stratum(str(at), area, tuple(ones)) for at, (area, ones) in enumerate(zip(AREAS, errors))
    ]


def test_the_mean_error_uses_the_stratified_estimator():
    errors = [[1.0, 3.0], [2.0, 2.5, 6.0]]
    found = estimate_mean_error(strata(errors))
    shares = [40 / 65, 25 / 65]
    parts = [w**2 * numpy.var(ones, ddof=1) / len(ones) for w, ones in zip(shares, errors)]
    assert found.value == pytest.approx(shares[0] * 2 + shares[1] * 3.5)
    assert found.standard_error == pytest.approx(sum(parts) ** 0.5)
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 1 + parts[1] ** 2 / 2)
    assert found.degrees_of_freedom == pytest.approx(freedom)
    expected = stats.t.ppf(0.95, freedom) * found.standard_error
    assert found.half_width(0.9) == pytest.approx(expected)


def test_strata_with_one_sample_are_collapsed_in_pairs_of_similar_area():
    found = estimate_mean_error(strata([[4.0], [1.0], [3.0], [2.0]]))
    w = [area / 95 for area in AREAS[:4]]
    # The two smallest strata (20 and 10 ha) form one pair, and the two largest the other.
    pairs = [((w[3] * 2, w[2] * 3), (w[3], w[2])), ((w[1] * 1, w[0] * 4), (w[1], w[0]))]
    variance = 0.0
    for (a, b), (wa, wb) in pairs:
        share = (a + b) / (wa + wb)
        variance += 2 * ((a - wa * share) ** 2 + (b - wb * share) ** 2)
    assert found.standard_error == pytest.approx(variance**0.5)
    assert found.collapsed_strata == 4


def test_the_last_three_of_an_odd_number_of_strata_are_collapsed_together():
    assert estimate_mean_error(strata([[2.0], [2.0], [2.0]])).degrees_of_freedom == 2
    assert estimate_mean_error(strata([[2.0], [2.0], [2.0], [2.0], [2.0]])).degrees_of_freedom == 3


@pytest.mark.parametrize("errors", [[[1.0, 2.0], []], [[1.0, 2.0], [1.0]], [[1.0]]])
def test_a_stratum_with_unknown_mean_or_variance_is_rejected(errors):
    with pytest.raises(sb.InvalidRequest):
        estimate_mean_error(strata(errors))


@pytest.mark.parametrize(
    ("draw", "samples", "least", "most"),
    [
        (lambda random, size: random.normal(3.0, 5.0, size), 3, 0.88, 0.93),
        (lambda random, size: random.uniform(-9.0, 4.0, size), 8, 0.88, 0.93),
        (lambda random, size: 30.0 - random.lognormal(3.0, 0.7, size), 20, 0.88, 1.0),
    ],
    ids=["normal", "uniform", "log sd 0.7"],
)
def test_a_90_percent_interval_contains_the_truth_in_at_least_88_percent_of_cases(
    draw, samples, least, most
):
    random = numpy.random.default_rng(7)
    shift = numpy.array([0.0, 4.0, -3.0, 8.0, 1.0])
    truth = draw(numpy.random.default_rng(1), 4_000_000).mean() + shift @ AREAS / sum(AREAS)
    repetitions, inside = 4_000, 0
    for _ in range(repetitions):
        errors = draw(random, (5, samples)) + shift[:, None]
        found = estimate_mean_error(strata(errors.tolist()))
        inside += abs(found.value - truth) <= found.half_width(0.9)
    assert least <= inside / repetitions <= most


def places_in(folder, fields: geopandas.GeoDataFrame, each: int) -> geopandas.GeoDataFrame:
    """Draws random places in fields. Their measured value is the map's value + 5."""
    points = fields.geometry.sample_points(each, rng=3).explode(ignore_index=True)
    found = geopandas.GeoDataFrame({"soc": 0.0}, geometry=points, index=points.index)
    for path in folder.glob("*.tif"):
        with rasterio.open(path) as raster:
            moved = found.geometry.to_crs(raster.crs)
            values = raster.sample(zip(moved.x, moved.y), masked=True)
            for at, value in enumerate(values):
                if value[0] is not numpy.ma.masked:
                    found.loc[at, "soc"] = value[0] * raster.scales[0] + raster.offsets[0] + 5
    return found[found["soc"] > 0]


def test_a_run_is_corrected_from_its_folder_with_samples_in_either_crs(client, fields, finished):
    run = client.open(finished)
    total = run.total().totals[0]
    samples = places_in(finished, fields.iloc[:2], 20)
    for given in (samples, samples.to_crs("EPSG:4326")):
        found = run.correct(given, "soc")
        assert found.map_mean == pytest.approx(total.mean, rel=1e-3)
        assert found.mean_error == pytest.approx(5, abs=1e-3)
        assert found.bias == -found.mean_error
        assert (found.fields, found.strata) == (2, 2)
        assert found.samples == len(samples)
        ratio = found.mean / found.map_mean
        assert found.stock_t.value == pytest.approx(total.stock.value * ratio, rel=1e-3)


def test_the_command_reads_samples_from_csv(
    capsys, monkeypatch, service, tmp_path, fields, finished
):
    command = Command(capsys, monkeypatch, tmp_path, "http://127.0.0.1:9", service.api_key)
    samples = places_in(finished, fields.iloc[:2], 4)
    table = samples.assign(x=samples.geometry.x, y=samples.geometry.y).drop(columns="geometry")
    table.to_csv(tmp_path / "rd.csv", index=False)
    done = command("correct", finished, "rd.csv", "--value", "soc", "--crs", "EPSG:28992", "--json")
    assert done.code == 0, done.err
    (event,) = done.events
    assert event["mean"] == pytest.approx(event["map_mean"] + 5, abs=1e-3)

    degrees = samples.to_crs("EPSG:4326")
    table = table.assign(lon=degrees.geometry.x, lat=degrees.geometry.y).drop(columns=["x", "y"])
    table.to_csv(tmp_path / "degrees.csv", index=False)
    same = command("correct", finished, "degrees.csv", "--value", "soc", "--json").events[0]
    assert same["mean"] == pytest.approx(event["mean"], abs=1e-6)
    assert command("correct", finished, "degrees.csv", "--value", "soc").out.startswith("Mean of ")
    table.to_csv(tmp_path / "local.csv", index=False, sep=";", decimal=",")
    local = command("correct", finished, "local.csv", "--value", "soc", "--json").events[0]
    assert local == same


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("lon,lat,soc\n5.7,50.9,\n", "sample 1"),
        ("lon,lat,soc\n5.7,ninety,4\n", "sample 1"),
        ("lon,lat,soc\n5.7,50.9,4\n5.7,50.9,5\n", "samples 1 and 2"),
        ("lon,lat,clay\n5.7,50.9,4\n", "soc"),
        ("x,y,soc\n179000,331000,4\n", "--crs"),
        ("east,north,soc\n1,2,4\n", "lon and lat"),
        ("lon,lat,soc\n", "no samples"),
        ("lon,lat,soc\n5.7,50.9,1e300\n", "sample 1"),
        ("lon,lat,soc\n1.5,50.9,4\n1.6,50.9,4\n", "no sample lies where"),
        ("", "CSV"),
        ("lon,lat,soc\n5,7,50,9,4,5\n", "line 2 has 6 values"),
        ("number,soc\n1,45,2\n2,46,1\n", "line 2 has 3 values"),
        ("lon;lat;soc\n5,7;50,9;1.234,5\n", "sample 1"),
        ('lon,lat,soc\n5.7,50.9,"1,234"\n', "sample 1"),
        ("lon,lat,soc,soc\n5.7,50.9,4,5\n", "two columns are called 'soc'"),
        ("lon,lat,soc\n179000,331000,4\n", "no sample lies where"),
        ("lon,lat,soc\n50.9,5.7,4\n", "no sample lies where"),
    ],
)
def test_unusable_samples_are_rejected(
    capsys, monkeypatch, service, tmp_path, finished, text, named
):
    command = Command(capsys, monkeypatch, tmp_path, "http://127.0.0.1:9", service.api_key)
    (tmp_path / "samples.csv").write_text(text)
    done = command("correct", finished, "samples.csv", "--value", "soc")
    assert done.code == 1
    assert named in done.err


@pytest.mark.parametrize("samples", ["/dev/zero", "http://127.0.0.1:9/a.csv", "pipe", "a.csv.gz"])
def test_samples_are_read_only_from_uncompressed_regular_files(
    capsys, monkeypatch, service, tmp_path, finished, samples
):
    command = Command(capsys, monkeypatch, tmp_path, "http://127.0.0.1:9", service.api_key)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"lon,lat,soc\n5.7,50.9,4\n"))
    done = command("correct", finished, samples, "--value", "soc")
    assert (done.code, done.err.count("\n")) == (1, 1)


def test_a_sidecar_file_does_not_change_the_values_of_a_map(client, fields, finished, tmp_path):
    copy = shutil.copytree(finished, tmp_path / "copy")
    samples = places_in(finished, fields.iloc[:2], 20)
    for path in copy.glob("*.tif"):
        Path(f"{path}.aux.xml").write_text(
            '<PAMDataset><PAMRasterBand band="1"><Offset>-30</Offset></PAMRasterBand></PAMDataset>'
        )
    found = client.open(copy).correct(samples, "soc")
    assert found.mean_error == pytest.approx(5, abs=1e-3)


def test_a_changed_map_is_rejected(client, fields, finished, tmp_path):

    copy = shutil.copytree(finished, tmp_path / "copy")
    samples = places_in(finished, fields.iloc[:2], 3)
    next(copy.glob("*.tif")).write_bytes(b"II*\0")
    with pytest.raises(sb.SoilError, match="changed"):
        client.open(copy).correct(samples, "soc")


def test_overlaps_and_fields_without_a_map_are_reported(client, fields, tmp_path, capsys):
    one = fields.geometry.iloc[0]
    shapes = [affinity.translate(one, 0, north) for north in (0, 30, 100_000)]
    given = fields.iloc[:3].assign(geometry=shapes)
    client.predict(given, year=2021, name="id", dir=tmp_path / "maps", progress=False)
    run = client.open(tmp_path / "maps")
    shared = run.total().totals[0].overlap_ha
    design = run.design(20, strata=2)
    numbers = [one.number for one in design.places if one.spare is None]
    samples = pandas.DataFrame({"number": numbers, "soc": 40.0})
    found = run.correct(samples, "soc")
    change = run.change(samples, samples.assign(soc=44.0), "soc")
    texts = (
        design_lines(design, ["a", "b"]),
        correction_lines(found),
        measured_change_lines(change),
    )
    for figures, lines in zip((design, found, change), texts):
        assert figures.fields_without_map == 1
        assert figures.overlap_ha == pytest.approx(shared, rel=0.01)
        assert any("overlap" in line for line in lines)
        assert any("1 field without a map" in line for line in lines)


def test_strata_come_from_the_run_or_from_another_column(client, fields, tmp_path):
    folder = tmp_path / "maps"
    given = fields.iloc[:3].assign(soil=["clay", "clay", "sand"])
    client.predict(given, year=2021, name="id", stratum="soil", dir=folder, progress=False)
    samples = places_in(folder, given, 5)
    found = client.open(folder).correct(samples, "soc")
    assert client.open(folder).correct(samples, "soc", stratum="id").strata == 3
    assert (found.fields, found.strata) == (3, 2)
    assert found.collapsed_strata == 0
