from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import geopandas
import httpx
import pandas
import pytest
from shapely.geometry import MultiPolygon, Point, Polygon

import soil_batch as sb
from fault_proxy import LOST, Fault, Plan, problem
from soil_batch.progress import seconds_left
from soil_batch.schemas.batches import TimeRange

CREATION = r"^POST /v1/batch$"
STATE = ".soil-batch"
ROLE = "arn:aws:iam::111122223333:role/soil-batch"
BOW_TIE = Polygon([(179000, 331000), (179200, 331200), (179200, 331000), (179000, 331200)])


def with_faults(fields: geopandas.GeoDataFrame) -> geopandas.GeoDataFrame:
    """Returns two good fields, one with an empty geometry, one without any, and one whose ring crosses itself."""
    chosen = fields.iloc[[0, 1, 2, 3, 4]].copy()
    chosen.index = ["a", "b", "c", "d", "e"]
    chosen["status"] = ["mine", None, "x", "y", "z"]
    chosen["status_input"] = [1, 2, 3, 4, 5]
    chosen["sown"] = pandas.to_datetime(["2020-04-01"] * 4 + [None])
    chosen.geometry = [*chosen.geometry[:2], Polygon(), None, BOW_TIE]
    return chosen


def test_a_table_has_the_attributes_and_results_of_each_field(client, fields, tmp_path):
    given = with_faults(fields)
    table = client.predict(
        given, [2020, 2021], name="id", dir=tmp_path / "maps", same_maps=True, progress=False
    )

    assert table.crs == given.crs
    assert list(table.index) == [label for label in given.index for _ in (2020, 2021)]
    assert list(table["year"]) == [2020, 2021] * 5
    assert list(table["status"]) == ["completed"] * 4 + ["failed"] * 6
    assert list(table["status_input"])[:3] == [1, 1, 2]
    assert list(table["status_input_input"].isna())[:3] == [False, False, True]
    assert list(table["status_input_input"])[:2] == ["mine", "mine"]
    assert table["sown"].dtype == given["sown"].dtype
    assert table.geometry.iloc[0].equals_exact(given.geometry.iloc[0])
    assert table.geometry.iloc[6] is None

    completed = table[table["status"] == "completed"]
    assert (completed["lower"] < completed["mean"]).all()
    assert (completed["mean"] < completed["upper"]).all()
    assert set(completed["unit"]) == {"kg/m3"}
    assert (completed["stock_t"] > 0).all()
    assert all(Path(path).stat().st_size > 0 for path in completed["path"])
    assert table["path"].isna().sum() == 6

    failed = client.open(tmp_path / "maps").failed()
    assert list(failed.index) == ["c", "c", "d", "d", "e", "e"]
    assert list(failed["error_code"])[4:] == ["geometry_self_intersection"] * 2
    assert failed["error_message"].notna().all()


def test_the_client_reads_models_limits_and_usage(client):
    (model,) = [one for one in client.models() if one.id == "meuse-soc"]
    assert model.property.unit == "kg/m3"
    assert model.periods[0].years is None
    assert client.usage().jobs.limit > client.limits().jobs_per_batch


def test_an_estimate_names_failures_and_warnings_by_row(client, fields):
    estimate = client.estimate(with_faults(fields), year=2021, name="id")
    assert list(estimate.failures["row"]) == [2, 3, 4]
    assert list(estimate.failures["error_code"])[2] == "geometry_self_intersection"
    assert set(estimate.warnings["code"]) == {"static_model"}
    assert estimate.hectares > 1
    assert estimate.fits_today
    assert "5 jobs" in str(estimate)


def test_a_repeated_call_continues_without_another_batch(client, proxy, fields, finished):
    again = client.predict(fields.iloc[:2], year=2021, name="id", dir=finished, progress=False)
    assert list(again["status"]) == ["completed", "completed"]
    assert proxy.seen(CREATION) == []
    assert proxy.seen("^GET /results/") == []


def test_the_table_of_a_finished_run_needs_no_service(client, proxy, finished):
    run = client.open(finished)
    assert list(run.to_geodataframe()["status"]) == ["completed", "completed"]
    assert len(run.failed()) == 0
    assert proxy.seen("") == []


def test_a_later_copy_appears_in_the_table(client, proxy, service, fields, tmp_path):
    destination = sb.Destination("s3://farm/soil", ROLE)
    client.predict(
        fields.iloc[:2], 2021, name="id", dir=tmp_path, destination=destination, progress=False
    )
    run = client.open(tmp_path)
    (batch_id,) = run.batches
    status = httpx.get(
        f"{proxy.url}/v1/batch/{batch_id}/status",
        headers={"Authorization": f"Bearer {service.api_key}"},
    )
    refused = status.content.replace(b'"status":"copied"', b'"status":"failed"')
    (tmp_path / STATE / f"batch-{batch_id}.json").unlink()
    proxy.plan(Plan(f"^GET /v1/batch/{batch_id}/status", Fault(body=refused)))
    assert run.to_geodataframe()["destination_uri"].isna().all()

    assert run.to_geodataframe()["destination_uri"].str.startswith("s3://farm/soil/").all()
    proxy.plan()
    assert run.to_geodataframe()["destination_uri"].notna().all()
    assert proxy.seen("") == []


def test_a_total_covers_all_fields(client, finished):
    run = client.open(finished)
    total, table = run.total(), run.to_geodataframe()
    assert (total.included_jobs, total.finished, total.left_out) == (2, True, ())
    (one,) = total.totals
    assert one.stock is not None
    assert one.stock.value == pytest.approx(table["stock_t"].sum(), rel=1e-4)
    assert "2 jobs" in str(total)


def test_the_folder_contains_no_key_and_no_signed_url(service, finished):
    kept = "".join(path.read_text() for path in (finished / STATE).iterdir())
    assert service.api_key not in kept
    assert "/link-" not in kept


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"year": 2020}, "years"),
        ({"name": None}, "name"),
        ({"model": "meuse-soc"}, "model"),
        ({"webhook": "https://example.com/soil"}, "webhook"),
        ({"destination": sb.Destination("s3://farm/soil", ROLE)}, "destination"),
    ],
)
def test_a_folder_holds_one_run(client, fields, tmp_path, change, named):
    folder = tmp_path / "maps"
    call = {"fields": slice(0, 1), "year": 2021, "name": "id"}
    client.submit(**{**call, "fields": fields.iloc[call["fields"]]}, dir=folder)
    other = {**call, **change}
    with pytest.raises(sb.SoilError, match=rf"\({named}\): ") as raised:
        client.submit(**{**other, "fields": fields.iloc[other["fields"]]}, dir=folder)
    assert raised.value.type == "folder"


def test_a_folder_with_other_files_is_rejected(client, proxy, fields, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.doc").touch()
    with pytest.raises(sb.SoilError, match=r"thesis\.doc"):
        client.submit(fields.iloc[:1], year=2021, dir=tmp_path / "full")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["full", "thesis.doc"]
    assert proxy.seen(CREATION) == []


@pytest.fixture
def small_batches(client):
    """Plans a response with limits that allow the given number of jobs per batch."""
    limits = dataclasses.asdict(client.limits())

    def plan_limits(jobs: int) -> Plan:
        body = json.dumps({**limits, "jobs_per_batch": jobs}).encode()
        return Plan("^GET /v1/limits", Fault(body=body))

    return plan_limits


def test_batches_respect_the_limits_of_the_service(client, proxy, fields, tmp_path, small_batches):
    proxy.plan(small_batches(3))
    run = client.submit(fields, year=2021, name="id", dir=tmp_path / "maps")
    assert len(run.batches) == 3
    run.wait(progress=False)
    assert len(run.download(progress=False)) == 8
    assert list(run.to_geodataframe()["id"]) == list(fields["id"])


def test_batches_respect_the_daily_quota_of_hectares(client, proxy, fields, tmp_path):
    usage = dataclasses.asdict(client.usage())
    usage["hectares"]["limit"] = usage["hectares"]["remaining"] = 25
    proxy.plan(Plan("^GET /v1/usage", Fault(body=json.dumps(usage).encode())))
    run = client.submit(fields, year=2021, name="id", dir=tmp_path / "maps")
    # The fields have 82.5 ha in total, so batches of at most 25 ha are at least four.
    assert len(run.batches) in (4, 5)


def test_a_used_up_quota_leaves_batches_for_tomorrow(
    client, proxy, fields, tmp_path, small_batches
):
    call = {"fields": fields.iloc[:2], "year": 2021, "dir": tmp_path / "maps", "progress": False}
    spent = problem(429, "quota-exceeded", 3600)
    proxy.plan(small_batches(1), Plan(CREATION, spent, times=1, after=1))
    with pytest.raises(sb.QuotaExceeded):
        client.predict(**call)
    today = client.open(call["dir"]).to_geodataframe()
    assert list(today["status"]) == ["completed", "not submitted"]
    assert list(today["path"].notna()) == [True, False]
    tomorrow = client.predict(**call)
    assert list(tomorrow["status"]) == ["completed", "completed"]


def test_waiting_reports_progress_to_a_callback_and_has_a_timeout(client, fields, tmp_path):
    run = client.submit(fields.iloc[:2], year=2021, dir=tmp_path / "maps")
    with pytest.raises(sb.SoilError) as raised:
        run.wait(progress=False, timeout=0)
    assert raised.value.type == "timeout"
    seen: list[sb.Progress] = []
    last = run.wait(progress=False, callback=seen.append)
    assert last == seen[-1] == sb.Progress(2, 2, 0, 0, 1.0)
    assert str(last) == "2 of 2 jobs"


def test_the_time_left_covers_all_unfinished_batches(client, finished):
    (batch_id,) = client.open(finished).batches
    ended = next(one for one in client.batches() if one.batch_id == batch_id)
    now = datetime(2026, 11, 27, 12, tzinfo=UTC)

    def running(*seconds: float):
        times = [(now + timedelta(seconds=one)).isoformat()[:19] + ".000Z" for one in seconds]
        return dataclasses.replace(
            ended, status="processing", estimated_completion_range=TimeRange(*times)
        )

    batches = [ended, running(10, 40), running(20, 30)]
    assert seconds_left(batches, now.timestamp()) == (20, 40)
    assert seconds_left(batches, now.timestamp() + 35) == (0, 5)
    unknown = dataclasses.replace(batches[1], estimated_completion_range=None)
    assert seconds_left([*batches, unknown], now.timestamp()) is None
    assert seconds_left([ended], now.timestamp()) is None


def test_unfinished_jobs_can_be_cancelled_and_retried(client, proxy, fields, tmp_path):
    run = client.submit(fields, year=[2020, 2021], dir=tmp_path / "maps", same_maps=True)
    proxy.plan(Plan("/cancel$", LOST))
    run.cancel()
    before = run.wait(progress=False)
    assert before.is_finished
    assert before.failed_jobs > 0
    assert set(run.failed()["error_code"]) == {"cancelled"}

    proxy.plan(Plan("/retry$", LOST))
    assert run.retry() == before.failed_jobs
    after = run.wait(progress=False)
    assert (after.completed_jobs, after.failed_jobs) == (16, 0)
    assert set(run.to_geodataframe()["status"]) == {"completed"}
    assert run.retry() == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda gdf: gdf.set_crs(None, allow_override=True), "no CRS"),
        (lambda gdf: gdf.set_geometry([Point(1, 1)] * len(gdf), crs=gdf.crs), "row 0 is a Point"),
        (lambda gdf: gdf.iloc[:0], "no fields"),
        (
            lambda gdf: gdf.set_crs(32631, allow_override=True).translate(9e9).to_frame(),
            "outside the area",
        ),
        (lambda gdf: pandas.DataFrame(gdf.drop(columns="geometry")), "expected a GeoDataFrame"),
        (lambda gdf: gdf.set_crs("+proj=laea +ellps=intl", allow_override=True), "datum shift"),
    ],
)
def test_unusable_fields_are_rejected(client, proxy, fields, tmp_path, change, message):
    with pytest.raises(sb.InvalidRequest, match=message):
        client.submit(change(fields), year=2021, dir=tmp_path / "maps")
    assert proxy.seen(CREATION) == []


@pytest.mark.parametrize("year", ["2021", 2021.5, [], [2021, 2021], True])
def test_an_invalid_year_is_rejected(client, fields, tmp_path, year):
    with pytest.raises(sb.InvalidRequest, match="year"):
        client.submit(fields, year=year, dir=tmp_path / "maps")


def test_another_crs_and_heights_give_the_same_number_of_cells(client, fields):
    one = fields.iloc[:1]
    lifted = one.to_crs(3035)
    (ring,) = [geometry.exterior.coords for geometry in lifted.geometry]
    lifted.geometry = [MultiPolygon([Polygon([(x, y, 7.0) for x, y in ring])])]
    geojson = json.loads(one.to_crs(4326).to_json())
    geojson.pop("crs", None)
    estimates = [client.estimate(given, 2021) for given in (one, lifted, geojson)]
    cells = [estimate.jobs[0].point_count for estimate in estimates]
    assert cells == [cells[0]] * 3
    assert cells[0] > 100


@pytest.mark.parametrize(
    "coordinates",
    [
        pytest.param([[[5.75, 50.97], [5.76, 50.97]]], id="a ring of two positions"),
        pytest.param([5.75, 50.97], id="a position"),
        pytest.param([[[5.75], [5.76], [5.77], [5.75]]], id="positions with a single number"),
    ],
)
def test_an_invalid_polygon_fails_only_its_row(client, fields, tmp_path, coordinates):
    collection = json.loads(fields.iloc[:2].to_crs(4326).to_json())
    collection.pop("crs", None)
    collection["features"][0]["geometry"]["coordinates"] = coordinates
    table = client.predict(collection, year=2021, dir=tmp_path / "maps", progress=False)
    assert list(table["status"]) == ["failed", "completed"]
    assert table.geometry.iloc[0] is None
