from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess

import pandas
import pytest
from conftest import ROOT

import soil_batch as sb
from commands import Command, rasters_in
from soil_batch.correction.maps import read_run_maps, require_comparable_maps
from soil_batch.folder import Folder
from soil_batch.layers import Layer, join_layers
from soil_batch.schemas.jobs import Stock

# Runs the development server with the packs of a folder.
SERVER = """
import { startDevServer } from './local/dev/server.ts';
import { readStageConfig } from './lib/config/each-stage.ts';
const packs = { modelsFolder: process.argv.at(-2), modelPacks: ['meuse-soc', 'meuse-deep'] };
const { url } = await startDevServer({
  port: 0, config: { ...readStageConfig('local'), ...packs }, version: '0', apiKey: process.argv.at(-1),
  write: () => {}, onFault: () => {},
});
console.log(JSON.stringify({ url }));
"""


@pytest.fixture(scope="module")
def layered(service, tmp_path_factory):
    """The URL of a service with a pack for 0–20 cm, and a copy of the pack for 20–50 cm."""
    folder = tmp_path_factory.mktemp("models")
    for name in ("meuse-soc", "meuse-deep"):
        shutil.copytree(ROOT / "models" / "meuse-soc", folder / name)
    path = folder / "meuse-deep" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["id"] = "meuse-deep"
    manifest["property"]["depth_cm"] = [20, 50]
    path.write_text(json.dumps(manifest))
    command = ["node", "--import", "tsx", "--input-type=module", "--eval", SERVER]
    command += ["--", str(folder), service.api_key]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
        process.terminate()


@pytest.fixture
def command(capsys, monkeypatch, tmp_path, layered, service):
    return Command(capsys, monkeypatch, tmp_path, layered, service.api_key)


MODELS = ("--model", "meuse-soc", "--model", "meuse-deep")


def test_a_run_of_two_models_has_a_row_and_map_for_each_and_a_joined_stock(
    command, layered, service, fields, tmp_path
):
    fields.iloc[:2].to_file(tmp_path / "two.gpkg")
    start = ("run", "two.gpkg", "--year", "2021", "--name-field", "id", *MODELS)
    done = command(*start, "--yes", "--json")
    assert done.code == 0, done.err
    folder = tmp_path / "two_2021"
    assert rasters_in(folder) == [
        f"Stein-{field}_{model}_1990-1993.tif" for field in (1, 2) for model in ("meuse-deep", "meuse-soc")
    ]  # fmt: skip
    assert len(list(folder.glob("*.vrt"))) == len(list(folder.glob("all_*.qml"))) == 2
    table = pandas.read_csv(folder / "results.csv", encoding="utf-8-sig")
    assert list(table["model"]) == ["meuse-soc@1.0.0", "meuse-deep@1.0.0"] * 2
    wide = pandas.read_csv(folder / "results_wide.csv", encoding="utf-8-sig")
    assert list(wide["id"]) == ["Stein 1", "Stein 2"]
    stocks = [wide[f"{one}_stock_t"] for one in ("meuse-soc", "meuse-deep")]
    assert list(wide["stock_0_50_cm_t"]) == pytest.approx(list(stocks[0] + stocks[1]))
    assert list(stocks[1]) == pytest.approx(list(stocks[0] * 1.5), rel=1e-4)

    (joined,) = (one for one in done.events if one["event"] == "joined_stock")
    totals = [one for one in done.events if one["event"] == "total"]
    assert joined["depth_cm"] == [0, 50]
    for end in ("value", "lower", "upper"):
        assert joined["stock"][end] == pytest.approx(sum(one["stock"][end] for one in totals))
    with sb.Client(layered, service.api_key) as client:
        run = client.open(folder)
        (found,) = run.total().joined
        assert dataclasses.asdict(found)["stock"] == joined["stock"]
        assert list(run.to_geodataframe(wide=True)["stock_0_50_cm_t"]) == list(
            wide["stock_0_50_cm_t"]
        )
        with pytest.raises(sb.InvalidRequest, match="meuse-deep"):
            run.design(10)
        design = run.design(10, model="meuse-soc")
        samples = pandas.DataFrame({"number": range(1, 11), "soc": 40.0})
        for model in ("meuse-soc", "meuse-deep"):
            assert run.correct(samples, "soc", model=model).follows_design
        assert len(design.strata) == 2
    # Simulates that the service chose a different model for each field.
    runs = [read_run_maps(Folder(folder), None, model) for model in ("meuse-soc", "meuse-deep")]
    with pytest.raises(sb.InvalidRequest, match="different layers"):
        require_comparable_maps(*runs)
    report = (folder / "report.html").read_text()
    assert "0–50 cm" in report
    assert report.count('<section class="model">') == 2

    again = command(*start, "--yes", "--json")
    assert (again.code, again.submitted_jobs()) == (0, [])
    assert command("report", folder).code == 0


def test_a_changed_field_is_predicted_again_by_each_model(command, fields, tmp_path):
    given = fields.iloc[:2].copy()
    given.to_file(tmp_path / "two.gpkg")
    start = ("run", "two.gpkg", "--year", "2021", "--name-field", "id", *MODELS, "--yes", "--json")
    assert command(*start).submitted_jobs() == [4]
    given.geometry = [given.geometry.iloc[0].buffer(-10), given.geometry.iloc[1]]
    given.to_file(tmp_path / "two.gpkg")
    assert command(*start).submitted_jobs() == [2]
    refused = command(*start[:-4], "--yes", "--json")
    assert refused.code == 1
    assert "model" in refused.err


def test_a_repeated_model_is_rejected_and_an_unknown_model_fails_in_the_estimate(
    command, fields, tmp_path
):
    fields.iloc[:1].to_file(tmp_path / "one.gpkg")
    start = ("estimate", "one.gpkg", "--year", "2021", "--model", "meuse-soc", "--model")
    assert "given twice" in command(*start, "meuse-soc").err
    (event,) = command(*start, "nobody", "--json").events
    (failing,) = event["failing_jobs"]
    assert failing["job_index"] == 1


def layer(top: float, bottom: float, value: float = 10.0, **changes) -> Layer:
    stock = Stock(value, value - 1, value + 2, "t", "carbon")
    return dataclasses.replace(Layer("m", (top, bottom), 0.9, 5.0, stock), **changes)


def test_comparable_layers_without_a_gap_are_joined():
    (found,) = join_layers([layer(20, 50, 6), layer(0, 20, 10), layer(50, 100, 4)])
    assert (found.depth_cm, found.stock) == ((0, 100), Stock(20, 17, 26, "t", "carbon"))
    assert found.stock_per_ha == 4


@pytest.mark.parametrize(
    "other",
    [
        layer(30, 50),
        layer(10, 50),
        layer(20, 50, level=0.95),
        layer(20, 50, predicted_area_ha=4.99),
        layer(20, 50, stock=Stock(1, 0, 2, "t", "nitrogen")),
        layer(20, 50, stock=Stock(1, 0, 2, "kg", "carbon")),
    ],
)
def test_different_layers_are_not_joined(other):
    assert join_layers([layer(0, 20), other]) == []


def test_ambiguous_layers_are_not_joined_and_missing_bounds_stay_missing():
    assert join_layers([layer(0, 20), layer(20, 50), layer(20, 50, 7)]) == []
    (found,) = join_layers([layer(0, 20), layer(20, 50, stock=Stock(1, None, None, "t", "carbon"))])
    assert (found.stock.value, found.stock.lower, found.stock.upper) == (11, None, None)
