from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy
import pandas
import pyogrio
import pytest
import rasterio
from conftest import ROOT

from commands import Command, triangle, write_fields
from soil_batch.command.terminal import escape_text
from soil_batch.command.texts import amount_text, failure_lines, usd_text, warning_lines
from soil_batch.progress import format_duration
from soil_batch.report.numbers import choose_ticks, decimals_of, figure_text, plain_text
from soil_batch.report.polygon_digest import polygon_digest
from soil_batch.results.facts import ModelFacts
from soil_batch.results.tables import guard_formula
from soil_batch.schemas.jobs import JobWarning


@pytest.fixture
def folder(capsys, monkeypatch, tmp_path, proxy, service) -> Path:
    command = Command(capsys, monkeypatch, tmp_path, proxy.url, service.api_key)
    example = ROOT / "examples" / "fields.gpkg"
    done = command("run", example, "--year", "2021", "--name-field", "id", "--yes", "--out", "maps")
    assert done.code == 0
    return tmp_path / "maps"


def test_each_table_has_every_field_and_the_mean_of_its_raster(folder: Path):
    package = pyogrio.read_dataframe(folder / "results.gpkg")
    table = pandas.read_csv(folder / "results.csv", encoding="utf-8-sig")
    assert list(package["id"]) == list(table["id"]) == [f"Stein {at}" for at in range(1, 9)]
    assert package.crs.to_epsg() == 28992
    assert set(package.geometry.geom_type) == {"MultiPolygon"}
    assert package["fid_input"].dtype == "int64"
    for row, path in enumerate(table["path"]):
        with rasterio.open(folder / path) as raster:
            cells = raster.read(1, masked=True)
            tags = raster.tags()
        # The summary weights cells at the edge by their share within the field.
        assert table["mean"][row] == pytest.approx(cells.mean(), rel=0.02)
        assert table["mean"][row] == pytest.approx(package["mean"][row])
        assert tags["POLYGON_SHA256"] in (folder / "report.html").read_text()


def test_the_virtual_raster_has_every_cell_at_its_place(folder: Path):
    with rasterio.open(folder / "all_meuse-soc-1.0.0_1990-1993.vrt") as mosaic:
        assert mosaic.descriptions == ("mean", "q05", "q95")
        assert mosaic.units == ("kg/m3",) * 3
        tags = mosaic.tags()
        assert (tags["MODEL"], tags["DATA_PERIOD"]) == ("meuse-soc@1.0.0", "1990/1993")
        assert "JOB_ID" not in tags
        whole = mosaic.read(1, masked=True)
        total = 0
        for path in folder.glob("*.tif"):
            with rasterio.open(path) as raster:
                cells = raster.read(1, masked=True)
                total += cells.count()
                window = mosaic.window(*raster.bounds).round_lengths().round_offsets()
            part = mosaic.read(1, window=window, masked=True)
            numpy.testing.assert_array_equal(part[~cells.mask], cells[~cells.mask])
        assert whole.count() == total
    style = (folder / "all_meuse-soc-1.0.0_1990-1993.qml").read_text()
    assert style.startswith("<!DOCTYPE qgis")


def test_styles_and_report_use_the_display_range_of_the_batch(folder: Path, client):
    batch = next(client.batches())
    ((low, high),) = [(one.minimum, one.maximum) for one in batch.display_ranges or ()]
    assert f"Colours from {low:g} to {high:g}" in (folder / "report.html").read_text()
    for path in folder.glob("*.qml"):
        ends = re.search(r'classificationMin="(.*?)" classificationMax="(.*?)"', path.read_text())
        assert [float(end) for end in ends.groups()] == [low, high]
    assert len(list(folder.glob("*.qml"))) == 9


def test_the_models_file_has_the_published_title_and_the_digest_of_the_pack(folder: Path, client):
    (model,) = json.loads((folder / "models.json").read_text())
    published = next(one for one in client.models() if one.model == model["model"])
    assert model["published"]["title"] == published.title
    assert len(model["model_sha256"]) == 64


def test_the_mean_is_the_band_that_the_service_names_and_not_the_first_band_without_a_level(client):
    published = next(one for one in client.models() if one.id == "meuse-soc")
    classes = replace(published.bands[0], name="class")
    other = replace(published, bands=(classes, *published.bands))
    shown = ModelFacts(None, other).shown_bands
    assert (shown.mean, shown.bounds) == (2, (3, 4))
    assert ModelFacts(None, replace(published, mean_band=None)).shown_bands is None


def test_the_table_has_the_columns_of_the_services_table(folder: Path, openapi: dict):
    feature = openapi["components"]["schemas"]["ResultTable"]["properties"]["features"]["items"]
    published = set(feature["properties"]["properties"]["properties"])
    # Links expire, an index belongs to one batch, and properties are separate columns.
    left_out = {"job_index", "result_url", "results_expire_at", "properties"}
    found = set(pandas.read_csv(folder / "results.csv", encoding="utf-8-sig").columns)
    assert published - found == left_out


def test_pictures_of_the_largest_fields_share_a_scale_and_stay_small(folder: Path):
    page = (folder / "report.html").read_text()
    pictures = re.findall(r'src="data:image/png;base64,([^"]+)" .* alt="(.*)"', page)
    assert len(pictures) == 16
    darkest = {}
    for encoded, text in pictures:
        with rasterio.MemoryFile(base64.b64decode(encoded)) as file, file.open() as picture:
            assert max(picture.shape) <= 96
            if text.startswith("Mean"):
                cells = picture.read(1)
                darkest[text.split(":")[0][-7:]] = (cells == 254).sum()
    assert [name for name, count in darkest.items() if count > 0] == ["Stein 8"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wheat", "wheat"),
        ("=1+1", "'=1+1"),
        (" \u200b=1", "' \u200b=1"),
        ("-5 °C", "'-5 °C"),
        ("a;@b", "a;'@b"),
        ("\t=x", "'\t'=x"),
        ("'\r\nx", "''\r\nx"),
        ("＝SUM(A1)", "'＝SUM(A1)"),
        ('"+x', "'\"+x"),
        ("a-b", "a-b"),
    ],
)
def test_spreadsheets_do_not_run_text_as_formulas(text: str, expected: str):
    assert guard_formula(text) == expected


def test_attributes_keep_their_types_and_hostile_text_is_escaped(
    capsys, monkeypatch, tmp_path, proxy, service
):
    command = Command(capsys, monkeypatch, tmp_path, proxy.url, service.api_key)
    evil = '<img src=x onerror="alert(1)">'
    write_fields(tmp_path / "f.geojson", {evil: triangle()})
    document = json.loads((tmp_path / "f.geojson").read_text())
    attributes = {"yes": True, "n": 3, "x": 0.5, "list": [1, {"a": "ü"}], "none": None, "Mean": 7}
    document["features"][0]["properties"] |= attributes
    (tmp_path / "f.geojson").write_text(json.dumps(document))
    assert command("run", "f.geojson", "--year", "2021", "--name-field", "id", "--yes").code == 0
    row = pyogrio.read_dataframe(tmp_path / "f_2021" / "results.gpkg").iloc[0]
    kinds = pyogrio.read_info(tmp_path / "f_2021" / "results.gpkg")
    found = dict(zip(kinds["fields"], kinds["ogr_types"]))
    assert [found[name] for name in ("n", "x", "list")] == ["OFTInteger64", "OFTReal", "OFTString"]
    assert (row["yes"], row["n"], row["Mean_input"], row["list"]) == (
        *(True, 3, 7),
        '[1, {"a": "ü"}]',
    )
    page = (tmp_path / "f_2021" / "report.html").read_text()
    assert evil not in page
    assert "&lt;img src=x" in page
    assert "default-src 'none'" in page


def test_the_digest_of_a_polygon_uses_ecmascript_numbers():
    text = '{"type":"P","coordinates":[5,1e-7,1e+21,0,0.1,"é"]}'
    polygon = {"type": "P", "coordinates": [5.0, 1e-7, 1e21, -0.0, 0.1, "é"]}
    assert polygon_digest(polygon) == hashlib.sha256(text.encode()).hexdigest()


def test_numbers_are_rounded_for_people():
    assert [amount_text(one) for one in (0.4, 1234.4, 12.25, 0)] == ["0.4", "1,234", "12.2", "0"]
    assert [usd_text(one) for one in (0, 0.0029, 12)] == ["US$ 0.00", "US$ 0.0029", "US$ 12.00"]
    assert [format_duration(14.2, 40.1), format_duration(60, 150), format_duration(1, 1)] == [
        *("14 to 41 s", "1 to 3 min", "1 s")
    ]
    assert decimals_of([37.16, 0.5, None]) == 2
    assert plain_text("a\u202eb\nc" + "d" * 99, 6) == "a b c…"
    assert choose_ticks(0.12, 0.93, 5) == [0.2, 0.4, 0.6, 0.8]
    assert [figure_text(one, 2) for one in (None, 40210.4, 0.00123)] == ["–", "40,210.40", "0.0012"]


def failure(name: str, year: int, message: str = "too small"):
    return (name, year, "geometry_invalid", message)


def test_an_error_is_listed_once_with_its_fields():
    jobs = [failure("North", 2021), failure("North", 2022), ("South", 2021, None, None)]
    assert failure_lines("failed", jobs) == [
        *("2 jobs failed:", "  geometry_invalid: too small", "    North (2021, 2022)")
    ]
    many = [failure(f"f{at}", 2021) for at in range(142)]
    assert failure_lines("failed", many)[2:] == [
        "    f0 (2021), f1 (2021), f2 (2021), 139 more jobs"
    ]
    numbers = [failure("North", 2021, "at lon 5.71"), failure("South", 2021, "at lon 5.74")]
    assert len(failure_lines("failed", numbers)) == 3
    kinds = [failure("f", 2021, f"at {letter}") for letter in "abcdefghijkl"]
    assert failure_lines("failed", kinds)[-1] == "  and 7 more errors"


def test_a_warning_is_printed_once():
    static, outside = JobWarning("static_model", "the same"), JobWarning("outside", "extrapolates")
    jobs = [("North", 2021, [static, outside]), ("South", 2021, [static])]
    told: set[str] = set()
    assert warning_lines(jobs, told) == [
        *("Warning for 2 jobs: the same", "Warning for 1 job: extrapolates", "  North (2021)")
    ]
    assert warning_lines(jobs, told) == []


def test_control_characters_are_shown_as_escapes():
    assert escape_text("\x1b[2Ja\x9b1m\nb\u202ec\U000e0041") == (
        "\\u001b[2Ja\\u009b1m\\u000ab\\u202ec\\udb40\\udc41"
    )
    assert escape_text("Süd 1 – 漢字") == "Süd 1 – 漢字"
