from __future__ import annotations

import dataclasses
import html
import json
import os
import random
import re
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import geopandas
import pytest
import shapely

from commands import BOW_TIE, Command, Result, rasters_in, rows_of, triangle, write_fields
from fault_proxy import EXPIRED, HALF, LOST, SIGN_IN, Fault, Plan, problem

CREATION = r"^POST /v1/batch$"
YEAR = ("--year", "2021", "--name-field", "id", "--yes")


@pytest.fixture
def command(capsys, monkeypatch, tmp_path, proxy, service) -> Command:
    return Command(capsys, monkeypatch, tmp_path, proxy.url, service.api_key)


def run(
    command: Command, fields, *, out: str = "maps", verb: str = "run", more: tuple = ()
) -> Result:
    write_fields(command.folder / f"{out}.geojson", fields)
    return command(verb, f"{out}.geojson", *YEAR, "--out", out, "--json", *more)


def test_a_run_writes_maps_tables_and_a_report(command, proxy):
    write_fields(command.folder / "farm.geojson", {"Nord": triangle(), "Süd": triangle(1)})
    done = command("run", "farm.geojson", *YEAR)
    assert done.code == 0
    assert "2 of 2 maps in farm_2021" in done.out
    assert "Total of 2 fields for 2021" in done.out
    names = {path.name for path in (command.folder / "farm_2021").iterdir()}
    assert names == {
        *(".soil-batch", "Nord_1990-1993.tif", "Süd_1990-1993.tif", "results.csv", "results.gpkg"),
        *("totals.json", "models.json", "report.html"),
        *("Nord_1990-1993.qml", "Süd_1990-1993.qml"),
        *("all_meuse-soc-1.0.0_1990-1993.vrt", "all_meuse-soc-1.0.0_1990-1993.qml"),
    }
    opened = done.out.split()
    assert str(Path("farm_2021", "report.html")) in opened
    assert str(Path("farm_2021", "all_meuse-soc-1.0.0_1990-1993.vrt")) in opened
    (command.folder / "farm_2021" / "report.html").unlink()
    proxy.plan()
    again = command("run", "farm.geojson", *YEAR, "--quiet", "--no-report")
    assert (again.code, again.out, again.err) == (0, "", "")
    assert proxy.seen(CREATION) == []
    assert proxy.seen("^GET /results/") == []
    assert not (command.folder / "farm_2021" / "report.html").exists()


def test_a_total_is_split_by_an_attribute_of_the_fields(command, proxy):
    fields = {"a": triangle(), "b": triangle(1), "c": triangle(2)}
    crops = ["rye & <b>oats</b>", "wheat", None]

    def write(values):
        write_fields(command.folder / "farm.geojson", fields)
        collection = json.loads((command.folder / "farm.geojson").read_text())
        for feature, crop in zip(collection["features"], values):
            feature["properties"]["crop"] = crop
        (command.folder / "farm.geojson").write_text(json.dumps(collection))

    write(crops)
    split = ("run", "farm.geojson", *YEAR, "--stratum", "crop", "--out", "maps")
    done = command(*split)
    assert done.code == 0
    assert "\n  wheat: 1 field, " in done.out
    (total,) = json.loads((command.folder / "maps" / "totals.json").read_text())["totals"]["totals"]
    assert [one["value"] for one in total["strata"]] == crops
    areas = [one["area_ha"] for one in total["strata"]]
    assert sum(areas) == pytest.approx(total["area_ha"], abs=1e-3)
    assert all(one["lower"] < one["mean"] < one["upper"] for one in total["strata"])

    assert command("report", "maps").code == 0
    page = (command.folder / "maps" / "report.html").read_text()
    assert "<bdi>rye &amp; &lt;b&gt;oats&lt;/b&gt;</bdi>" in page

    # The field with another stratum is predicted again; the other two are kept.
    write([*crops[:2], "wheat"])
    proxy.plan()
    assert command(*split, "--json").submitted_jobs() == [1]
    (total,) = json.loads((command.folder / "maps" / "totals.json").read_text())["totals"]["totals"]
    assert [(one["value"], one["jobs"]) for one in total["strata"]] == [(crops[0], 1), ("wheat", 2)]
    wrong = command("run", "farm.geojson", *YEAR, "--stratum", "soil")
    assert wrong.code == 1
    assert "crop" in wrong.err


def test_results_are_copied_to_a_bucket(command, proxy):
    role = "arn:aws:iam::111122223333:role/soil-batch"
    to = ("--to", "s3://farm/soil/2024/", "--role", role)
    assert run(command, {"a": triangle(), "b": BOW_TIE}, more=to).code == 3
    sent = json.loads(proxy.seen(CREATION)[0].body)["destination"]
    assert sent == {"bucket": "farm", "prefix": "soil/2024/", "role_arn": role}
    uris = {name: row["destination_uri"] for name, row in rows_of(command.folder / "maps").items()}
    assert re.fullmatch(r"s3://farm/soil/2024/[^/]{36}/[^/]{36}\.tif", uris["a"])
    assert uris["b"] == ""

    proxy.plan()
    for wrong in (to[:2], to[2:], ("--to", "https://farm/soil", *to[2:])):
        refused = run(command, {"a": triangle()}, out="other", more=wrong)
        assert (refused.code, "--to" in refused.err) == (2, True)
    assert proxy.seen(CREATION) == []


def test_submit_watch_and_download_run_step_by_step(command):
    submitted = run(command, {"a": triangle(), "b": None}, verb="submit")
    assert (submitted.code, submitted.submitted_jobs()) == (0, [2])
    assert command("watch", "maps").code == 3
    downloaded = command("download", "maps")
    assert downloaded.code == 3
    assert rasters_in(command.folder / "maps") == ["a_1990-1993.tif"]
    assert "1 of 2 completed, 1 failed" in command("status", "maps").out
    assert "1 of 2 completed, 1 failed" in command("cancel", "maps").out
    assert command("list", "--limit", "1").out.count("\n") == 1
    report = command("report", "maps")
    assert report.code == 0
    page = (command.folder / "maps" / "report.html").read_text()
    assert "1 of 2 maps completed" in page


def test_nothing_is_written_without_confirmation(command, proxy):
    write_fields(command.folder / "f.geojson", {"a": triangle()})
    asked = command("run", "f.geojson", "--year", "2021")
    assert asked.code == 2
    assert "--yes" in asked.err
    assert "1 in 1 batch" in asked.out
    estimate = command("estimate", "f.geojson", "--year", "2021", "--json")
    (event,) = estimate.events
    assert (event["total_jobs"], event["quota"]["fits"]) == (1, True)
    assert "--name-field" in estimate.err
    assert [path.name for path in command.folder.iterdir()] == ["f.geojson"]
    assert proxy.seen(CREATION) == []


def test_years_with_the_same_map_are_submitted_only_with_an_option(command, proxy):
    write_fields(command.folder / "f.geojson", {"a": triangle()})
    both = ("run", "f.geojson", "--year", "2020,2021", "--yes")
    refused = command(*both)
    assert refused.code == 2
    assert "--same-maps" in refused.err
    assert proxy.seen(CREATION) == []
    assert command(*both, "--same-maps").code == 0


def test_a_corrected_file_submits_only_changed_fields(command):
    fields = [
        ("North", triangle()),
        ("Bow", BOW_TIE),
        ("South", triangle(1)),
        ("South", triangle(2)),
    ]
    first = run(command, [*fields, ("Lost", None)])
    maps = command.folder / "maps"
    assert (first.code, first.submitted_jobs()) == (3, [5])
    assert rasters_in(maps) == [
        "North_1990-1993.tif",
        "South_1990-1993-2.tif",
        "South_1990-1993.tif",
    ]
    failed = json.loads((maps / "failed.geojson").read_text())["features"]
    assert {one["properties"]["part"] for one in failed} == {"field", "fault"}
    modified = (maps / "South_1990-1993-2.tif").stat().st_mtime_ns

    corrected = [("New", triangle(20)), ("Bow", triangle(21)), ("South", triangle(2)), fields[0]]
    second = run(command, corrected)
    assert (second.code, second.submitted_jobs()) == (0, [2])
    table = rows_of(maps)
    assert list(table) == ["New", "Bow", "South", "North"]
    assert table["South"]["path"] == "South_1990-1993-2.tif"
    assert {row["status"] for row in table.values()} == {"completed"}
    assert (maps / "South_1990-1993-2.tif").stat().st_mtime_ns == modified
    assert not (maps / "failed.geojson").exists()
    totals = json.loads((maps / "totals.json").read_text())["totals"]
    assert (totals["included_jobs"], len(totals["batch_ids"])) == (4, 2)
    hectares = sum(float(row["area_ha"]) for row in table.values())
    assert totals["totals"][0]["area_ha"] == pytest.approx(hectares)

    renamed = run(command, [("Nord", triangle()), ("South", triangle(2))])
    assert renamed.submitted_jobs() == []
    assert rows_of(maps)["Nord"]["path"] == "North_1990-1993.tif"
    assert "New_1990-1993.tif" in renamed.err
    retried = command("retry", "maps", "--all", "--json")
    assert (retried.code, "retried" in retried.out) == (0, False)


def test_other_fields_do_not_replace_a_run_without_an_option(command):
    assert run(command, {"a": triangle(), "b": triangle(1)}).code == 0
    maps = command.folder / "maps"
    write_fields(command.folder / "other.geojson", {"a": triangle(50)})
    other = ("run", "other.geojson", *YEAR, "--out", "maps")
    refused = command(*other)
    assert refused.code == 1
    assert "--replace" in refused.err
    assert len(rows_of(maps)) == 2
    assert command(*other, "--replace").code == 0
    assert list(rows_of(maps)) == ["a"]
    assert rasters_in(maps) == ["a_1990-1993.tif", "b_1990-1993.tif"]


def test_a_default_folder_with_the_run_of_another_file_is_rejected(command):
    fields = {"a": triangle(), "b": triangle(1)}
    write_fields(command.folder / "f.geojson", fields)
    write_fields(command.folder / "f.json", {**fields, "c": triangle(2)})
    assert command("run", "f.geojson", *YEAR).code == 0
    refused = command("run", "f.json", *YEAR)
    assert refused.code == 1
    assert "holds the run of f.geojson" in refused.err
    taken = command("run", "f.json", *YEAR, "--out", "f_2021", "--json")
    assert (taken.code, taken.submitted_jobs()) == (0, [1])


def test_a_report_omits_totals_of_earlier_fields(command):
    def has_totals() -> bool:
        command("report", "maps")
        return 'class="totals"' in (command.folder / "maps/report.html").read_text()

    fields = {"a": triangle(), "b": triangle(1)}
    run(command, fields)
    assert has_totals()
    run(command, {**fields, "b": triangle(22)}, verb="submit")
    assert not has_totals()
    run(command, {**fields, "b": triangle(22)})
    assert has_totals()


def test_the_report_isolates_the_text_direction_of_names(command):
    run(command, {"\u202ea": triangle(), "b": triangle()})
    command("report", "maps")
    page = (command.folder / "maps" / "report.html").read_text()
    assert "<bdi>\u202ea</bdi> and <bdi>b</bdi> by " in page
    assert "<bdi>maps.geojson</bdi>" in page


def test_a_report_distinguishes_fields_with_the_same_name(command):
    run(command, [("South", triangle()), ("North", triangle(3)), ("South", triangle(6))])
    page = (command.folder / "maps" / "report.html").read_text()
    for name in ("South (field 1)", "South (field 3)", "North"):
        assert f"<bdi>{name}</bdi>" in page
        assert f"<title>{name}: " in page


def test_edits_saved_in_an_open_gis_are_submitted(command):
    package = command.folder / "maps.gpkg"
    shapes = [shapely.geometry.shape(triangle(at)) for at in range(3)]
    names = {"id": ["a", "b", "spare"]}
    geopandas.GeoDataFrame(names, geometry=shapes, crs=4326).to_file(package, layer="maps")
    arguments = ("run", "maps.gpkg", *YEAR, "--out", "maps", "--json")
    assert command(*arguments).submitted_jobs() == [3]
    with closing(sqlite3.connect(package, isolation_level=None)) as gis:
        gis.execute("PRAGMA journal_mode=WAL")
        gis.execute("PRAGMA wal_autocheckpoint=0")
        for (name,) in gis.execute(
            "SELECT name FROM sqlite_master WHERE type='trigger'"
        ).fetchall():
            # The triggers use functions that this SQLite lacks.
            gis.execute(f'DROP TRIGGER "{name}"')
        assert command(*arguments).submitted_jobs() == []
        before = package.read_bytes()
        moved = shapely.to_wkb(shapely.geometry.shape(triangle(30)))
        header = b"GP\0\1" + (4326).to_bytes(4, "little")
        gis.execute("UPDATE maps SET geom = ? WHERE id = 'b'", (header + moved,))
        assert package.read_bytes() == before
        edited = command(*arguments)
        assert (edited.code, edited.submitted_jobs()) == (0, [1])


def test_a_report_names_changed_files(command):
    run(command, {"a": triangle(), "b": triangle(1)})
    maps = command.folder / "maps"
    (maps / "a_1990-1993.tif").write_bytes(b"II*\0")
    (maps / "totals.json").write_text("{}")
    (maps / "b_1990-1993.tif").unlink()
    report = command("report", "maps")
    assert report.code == 1
    assert "Changed since the download: totals.json, a_1990-1993.tif." in report.err
    assert "Missing: b_1990-1993.tif." in report.err
    page = (maps / "report.html").read_text()
    assert '<section class="alert"' in page
    assert 'class="totals"' not in page
    (maps / "a_1990-1993.tif").unlink()
    assert command("download", "maps").code == 0
    assert command("report", "maps").code == 0


def test_expired_results_are_predicted_again(command, proxy):
    fields = {"a": triangle(), "b": triangle(1)}
    run(command, fields, verb="submit")
    command("watch", "maps")
    (batch,) = json.loads((command.folder / "maps/.soil-batch/run.json").read_text())["chunks"]
    gone = problem(404, "batch-not-found")
    proxy.plan(Plan(f"/v1/batch/{batch['batch_id']}", gone, 99))
    downloaded = command("download", "maps")
    assert downloaded.code == 3
    assert "2 results expired" in downloaded.out
    again = run(command, fields)
    assert (again.code, again.submitted_jobs()) == (0, [2])
    assert "2 results expired" in again.err
    # Downloaded results outlive their batch.
    before = rows_of(command.folder / "maps")
    proxy.plan(Plan("^(GET|POST) /v1/batch/", gone, 99))
    assert run(command, fields).submitted_jobs() == []
    assert rows_of(command.folder / "maps") == before


def test_a_used_up_quota_leaves_the_rest_for_tomorrow(command, client, proxy):
    usage = dataclasses.asdict(client.usage())
    usage["jobs"].update(limit=2, remaining=2)
    spent = problem(429, "quota-exceeded", 3600)
    fields = {name: triangle(at) for at, name in enumerate("abc")}
    proxy.plan(
        Plan("^GET /v1/usage", Fault(body=json.dumps(usage).encode())),
        Plan(CREATION, spent, times=1, after=1),
    )
    today = run(command, fields)
    assert (today.code, today.submitted_jobs()) == (4, [2])
    assert today.events[0]["quota"]["fits"] is False
    assert today.events[-1]["not_submitted_jobs"] == 1
    tomorrow = run(command, fields)
    assert (tomorrow.code, tomorrow.submitted_jobs()) == (0, [1])
    assert len(rasters_in(command.folder / "maps")) == 3


def test_the_output_suggests_retrying_cancelled_jobs_instead_of_correcting_fields(
    command, proxy, service
):
    write_fields(command.folder / "f.geojson", {"a": triangle(), "b": triangle(1)})
    command("submit", "f.geojson", *YEAR)
    command("cancel", "f_2021")
    command("watch", "f_2021")
    cancelled = command("download", "f_2021")
    if cancelled.code == 3:
        assert "soil-batch retry f_2021" in cancelled.out
        assert "failed.geojson" not in cancelled.out
    assert command("retry", "f_2021").code == 0
    assert len(rasters_in(command.folder / "f_2021")) == 2


def test_tables_are_written_even_if_the_total_fails(command, proxy):
    proxy.plan(Plan("/total", problem(500, "internal"), 99))
    done = run(command, {"a": triangle()})
    assert done.code == 0
    assert rows_of(command.folder / "maps")["a"]["status"] == "completed"
    missing = json.loads((command.folder / "maps/totals.json").read_text())["totals_missing"]
    assert "internal" in missing
    proxy.plan()
    assert command("download", "maps").code == 0
    assert json.loads((command.folder / "maps/totals.json").read_text())["totals"] is not None


@pytest.mark.parametrize("name", ["results.csv", "report.html"])
def test_tables_and_reports_are_not_written_through_links(command, name):
    run(command, {"a": triangle()})
    mine = command.folder / "mine.txt"
    mine.write_text("mine")
    table = command.folder / "maps" / name
    table.unlink(missing_ok=True)
    table.symlink_to(mine)
    command("download", "maps")
    command("report", "maps")
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("at", [r"^POST /v1/batch$", "jobs=none", "jobs=all", "^GET /results/"])
def test_a_killed_run_continues_with_one_batch_and_leaves_no_partial_files(
    command, client, proxy, at
):
    write_fields(command.folder / "f.geojson", {"a": triangle(), "b": triangle(1)})
    before = {batch.batch_id for batch in client.batches()}
    proxy.plan(Plan(at, HALF if "results" in at else LOST, 99))
    child = command.start("run", "f.geojson", *YEAR)
    while not proxy.seen(at) and child.poll() is None:
        time.sleep(0.02)
    child.kill()
    child.communicate()
    assert proxy.seen(at)
    proxy.plan()
    assert command("run", "f.geojson", *YEAR).code == 0
    assert rasters_in(command.folder / "f_2021") == ["a_1990-1993.tif", "b_1990-1993.tif"]
    assert len({batch.batch_id for batch in client.batches()} - before) == 1
    left = [path.name for path in (command.folder / "f_2021").rglob("*")]
    assert [name for name in left if "part" in name or "request" in name] == []


def test_a_run_killed_at_random_moments_creates_one_batch(command, client, proxy):
    write_fields(command.folder / "f.geojson", {"a": triangle(), "b": triangle(1)})
    before = {batch.batch_id for batch in client.batches()}
    for _ in range(4):
        child = command.start("run", "f.geojson", *YEAR)
        time.sleep(random.uniform(0.5, 4))
        child.kill()
        child.communicate()
    assert command("run", "f.geojson", *YEAR).code == 0
    assert rasters_in(command.folder / "f_2021") == ["a_1990-1993.tif", "b_1990-1993.tif"]
    assert len({batch.batch_id for batch in client.batches()} - before) == 1


def test_ctrl_c_ends_the_command_with_a_message_and_exit_code_130(command, proxy):
    write_fields(command.folder / "f.geojson", {"a": triangle()})
    proxy.plan(Plan("jobs=none", problem(503, "unavailable", 20), 99))
    child = command.start("run", "f.geojson", *YEAR)
    while not proxy.seen("jobs=none") and child.poll() is None:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, error = child.communicate(timeout=30)
    assert child.returncode == 130
    assert "run the same command again" in error.splitlines()[-1]


def test_model_coverage_is_geojson_that_gdal_reads(command, client, proxy):
    written = command("models", "--coverage")
    (command.folder / "coverage.geojson").write_text(written.out)
    layer = geopandas.read_file(command.folder / "coverage.geojson")
    models = [one for one in client.models() if not one.for_checks]
    assert len(models) < len(client.models())
    assert layer.crs == "EPSG:4326"
    assert list(layer.model) == [one.model for one in models]
    for found, model in zip(layer.itertuples(), models):
        assert found.geometry.equals(shapely.geometry.shape(model.coverage))
        assert (found.id, found.version, found.title) == (model.id, model.version, model.title)
        assert (found.upper_cm, found.lower_cm) == model.property.depth_cm
        assert found.data_period == "–".join(map(str, dict.fromkeys(model.data_period)))

    # A pack may contain a clockwise square that ends at 180° and has a counterclockwise hole.
    square = [[170, 0], [170, 9], [180, 9], [180, 0], [170, 0]]
    hole = [[174, 2], [176, 2], [176, 4], [174, 2]]
    other = [[-180, 0], [-170, 0], [-170, 9], [-180, 9], [-180, 0]]
    cut = {"type": "MultiPolygon", "coordinates": [[square, hole], [other]]}
    (described, *_) = map(dataclasses.asdict, models)
    periods = [{"years": years, "data_period": years} for years in ((2001, 2005), (2007, 2007))]
    body = json.dumps({"models": [{**described, "coverage": cut, "periods": periods}]}).encode()
    proxy.plan(Plan("/v1/models", Fault(body=body), 9))
    (feature,) = json.loads(command("models", "--coverage", "--json").out)["features"]
    assert feature["properties"]["years"] == "2001–2005, 2007"
    assert feature["geometry"]["coordinates"] == [[square[::-1], hole[::-1]], [other]]


def test_models_are_listed_with_citations_and_unsuitable_uses(command):
    model = command("models", "--json").events[0]
    told = [*model["not_for"], *(one["citation"] for one in model["licenses"])]
    assert len(told) > 3
    lines = [line.strip() for line in command("models").out.splitlines()]
    assert all(any(line.endswith(text) for line in lines) for text in told)
    run(command, {"a": triangle()})
    command("report", "maps")
    page = html.unescape((command.folder / "maps" / "report.html").read_text())
    assert all(text in page for text in told)


def test_the_output_may_be_closed_early(command):
    child = command.start("models", "--json")
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read().count("Traceback") == 0
    assert child.wait() == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"SOIL_API_KEY": "soc_nobody"}, "rejects the API key"),
        ({"SOIL_BASE_URL": "http://127.0.0.1:9"}, "cannot be reached"),
        ({"SOIL_BASE_URL": "http://soil.example"}, "use https"),
        ({"SOIL_BASE_URL": ""}, "SOIL_BASE_URL"),
        ({"SOIL_API_KEY": ""}, "SOIL_API_KEY"),
    ],
)
def test_configuration_and_connection_errors_are_one_line(command, monkeypatch, change, message):
    write_fields(command.folder / "f.geojson", {"a": triangle()})
    for name, value in change.items():
        monkeypatch.setenv(name, value)
    failed = command("run", "f.geojson", *YEAR)
    assert failed.code in (1, 2)
    assert message in failed.err
    assert failed.err.count("\n") == 1
    assert failed.out == ""
    assert [path.name for path in command.folder.iterdir()] == ["f.geojson"]


def test_a_web_page_is_not_mistaken_for_the_service(command, proxy):
    proxy.plan(Plan("/health", SIGN_IN, 9))
    assert "is not a Soil Batch service" in command("models").err


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("nonsense",),
        ("run", "f.geojson"),
        ("run", "f.geojson", "--year", "21"),
        ("run", "f.geojson", "--year", "2021", "--crs", "RD"),
        ("list", "--limit", "0"),
        ("run", "f.geojson", "--year", "2021", "--json", "--quiet"),
        ("status", "neither"),
    ],
)
def test_a_wrong_command_line_exits_with_2(command, args):
    assert command(*args).code == 2


def test_help_names_commands_and_exit_codes(command):
    shown = command("--help")
    assert shown.code == 0
    for name in ("run", "estimate", "submit", "watch", "download", "retry", "report", "status"):
        assert f"\n  {name} " in shown.out
    assert "4 today's quota" in " ".join(shown.out.split())


def test_the_error_for_an_unknown_attribute_lists_the_attributes(command):
    write_fields(command.folder / "f.geojson", {"a": triangle()})
    failed = command("estimate", "f.geojson", "--year", "2021", "--name-field", "nom")
    assert failed.code == 1
    assert "id, crop" in failed.err


def test_an_invalid_request_is_explained_in_one_line(command):
    rejected = command("webhook", "test", "not-a-url")
    assert rejected.code == 1
    assert "/webhook_url" in rejected.err
    assert rejected.err.count("\n") == 1
    assert "\\u000a" not in rejected.err


def test_a_webhook_secret_verifies_a_delivery(command, monkeypatch, sign_like_the_service):
    body = json.dumps(
        {
            "batch_id": "01a1fd7e-7d08-73d2-96ae-b256a1f55901",
            "status": "completed",
            **dict.fromkeys(("completed_jobs", "failed_jobs", "total_jobs"), 0),
            **dict.fromkeys(("created_at", "completed_at", "results_expire_at"), ""),
            **dict.fromkeys(("name", "metadata")),
            "jobs": [],
        }
    )
    (command.folder / "body.json").write_text(body)
    headers = sign_like_the_service(body, "the secret")
    given = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    assert command("webhook", "verify", "body.json", *given, "--any-age").code == 2
    monkeypatch.setenv("WEBHOOK_SECRET", "the secret")
    genuine = command("webhook", "verify", "body.json", *given, "--any-age")
    assert (genuine.code, genuine.out[:7]) == (0, "Genuine")
    assert command("webhook", "verify", "body.json", *given).code == 1
    monkeypatch.setenv("WEBHOOK_SECRET", "another")
    assert command("webhook", "verify", "body.json", *given, "--any-age").code == 1


def test_control_characters_in_names_are_escaped(command):
    write_fields(command.folder / "f.geojson", {"\x1b[2J\u202abc": BOW_TIE})
    failed = command("run", "f.geojson", *YEAR)
    assert failed.code == 3
    assert "\\u001b[2J\\u202abc (2021)" in failed.out
    assert "\x1b" not in failed.out + failed.err


def test_the_command_waits_during_an_outage_after_it_reached_the_service(command, proxy):
    proxy.plan(Plan("jobs=none", LOST, 8), Plan("^GET /results/", EXPIRED, 1))
    import soil_batch.retries as retries

    longest, retries._LONGEST_WAIT = retries._LONGEST_WAIT, 0.05
    try:
        assert run(command, {"a": triangle()}).code == 0
    finally:
        retries._LONGEST_WAIT = longest
    assert proxy.unmet() == []


def test_a_full_disk_is_reported_and_a_repeated_command_continues_the_run(command):
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    import subprocess

    maps = command.folder / "maps"
    maps.mkdir()

    def mount(*options: str) -> bool:
        done = subprocess.run(["mount", *options], capture_output=True)
        return done.returncode == 0

    if not mount("-t", "tmpfs", "-o", "size=8k", "tmpfs", str(maps)):
        pytest.skip("this machine does not allow mounts")
    try:
        fields = {"a": triangle(), "b": triangle(1)}
        for size in ("8k", "40k"):
            assert mount("-o", f"remount,size={size}", str(maps))
            full = run(command, fields)
            assert full.code == 1
            assert "the disk is full" in full.err
        assert mount("-o", "remount,size=10m", str(maps))
        assert run(command, fields).code == 0
        assert rasters_in(maps) == ["a_1990-1993.tif", "b_1990-1993.tif"]
    finally:
        subprocess.run(["umount", str(maps)], check=True)
