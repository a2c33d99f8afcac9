from __future__ import annotations

import gzip
import json
import logging
import os
import shutil
import tracemalloc
from pathlib import Path

import httpx
import pytest

import soil_batch as sb
from fault_proxy import Fault, Plan
from soil_batch.folder import Folder
from soil_batch.report.write import write_report
from soil_batch.schemas.totals import MOST_STRATA
from soil_batch.snapshot import read_snapshot
from soil_batch.stored import read_stored

STATE = ".soil-batch"


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "maps"
    shutil.copytree(finished / STATE, copy / STATE)
    (copy / STATE / "files").unlink()
    return copy


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.txt"
    file.write_text("mine")
    return file


@pytest.mark.parametrize(
    "name",
    [
        f"{STATE}/files",
        f"{STATE}/lock",
        "Stein-1_1990-1993.tif.{etag}.part",
    ],
)
def test_links_do_not_redirect_writes_out_of_the_folder(client, folder, mine, name):
    (listed,) = (folder / STATE).glob("batch-*.json")
    etag = json.loads(listed.read_text())["jobs"][0]["result"]["etag"].strip('"')
    link = folder / name.format(etag=etag)
    link.unlink(missing_ok=True)
    link.symlink_to(mine)
    with pytest.raises(sb.SoilError, match="is a link") as raised:
        client.open(folder).download(progress=False)
    assert raised.value.type == "folder"
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("file", ["run.json", "fields-*.json"])
@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"{}", b"\xff", b"[" * 100_000, b'{"format": 1}'],
    ids=["empty", "cut", "another object", "not text", "nested endlessly", "another format"],
)
def test_a_damaged_state_file_is_rejected(client, folder, file: str, content: bytes):
    (damaged,) = (folder / STATE).glob(file)
    damaged.write_bytes(content)
    with pytest.raises(sb.SoilError, match="damaged") as raised:
        client.open(folder).to_geodataframe()
    assert raised.value.type == "folder"


def change_file(name: str):
    return lambda state: state["files"].__setitem__(0, name)


def change_chunk(**changed: object):
    return lambda state: state["chunks"][0].update(changed)


@pytest.mark.parametrize(
    "change",
    [
        *(change_file(name) for name in ("../home/.bashrc", "../a.tif", "/a.tif", "a\\b.tif")),
        *(change_file(name) for name in ("", ".a.tif", "a\0.tif", "results.csv", "a.tif\n")),
        lambda state: state.update(files=["a.tif", "a.tif"]),
        lambda state: state.update(stored="../fields-0123456789abcdef.json"),
        change_chunk(batch_id="../../mine"),
        change_chunk(retries=["../../mine"]),
        change_chunk(jobs=[0, 2]),
        change_chunk(jobs=[-1, 1]),
    ],
)
def test_a_state_with_impossible_names_or_indexes_is_rejected(client, folder, change):
    file = folder / STATE / "run.json"
    state = json.loads(file.read_text())
    change(state)
    file.write_text(json.dumps(state))
    with pytest.raises(sb.SoilError, match="damaged") as raised:
        client.open(folder)
    assert raised.value.type == "folder"


@pytest.mark.parametrize("files", [[], ["a.tif", "b.tif", "c.tif"]])
def test_the_state_must_name_one_file_per_job(client, folder, files):
    file = folder / STATE / "run.json"
    state = json.loads(file.read_text()) | {"files": files, "chunks": []}
    file.write_text(json.dumps(state))
    with pytest.raises(sb.SoilError, match="damaged") as raised:
        client.open(folder).download(progress=False)
    assert raised.value.type == "folder"


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_large(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(1 << 33)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        *((f"{STATE}/run.json", make) for make in (make_pipe, make_endless, make_large)),
        *((f"{STATE}/files", make) for make in (make_pipe, make_endless, make_large)),
        (f"{STATE}/lock", make_pipe),
    ],
)
def test_endless_and_huge_files_of_the_state_are_rejected(client, folder, name, make):
    (folder / name).unlink(missing_ok=True)
    make(folder / name)
    with pytest.raises(sb.SoilError, match=r"is a link|not a regular file|can be read") as raised:
        client.open(folder).download(progress=False)
    assert raised.value.type == "folder"


@pytest.mark.parametrize("make", [make_pipe, make_endless])
@pytest.mark.parametrize("name", ["models.json", "totals.json"])
def test_a_report_does_not_read_pipes_or_links_as_tables(finished, tmp_path, name, make):
    maps = tmp_path / "maps"
    shutil.copytree(finished, maps)
    (maps / name).unlink()
    make(maps / name)
    files = write_report(read_snapshot(None, read_stored(Folder(maps))))
    assert {one.file: one.state for one in files}[name] == "missing"


def test_urls_are_logged_without_their_signatures(client, proxy, service, folder, caplog):
    run = client.open(folder)
    (batch_id,) = run.batches
    status = httpx.get(
        f"{proxy.url}/v1/batch/{batch_id}/status?jobs=all&limit=100",
        headers={"Authorization": f"Bearer {service.api_key}"},
    ).json()
    secret = "?X-Amz-Credential=AKIA&X-Amz-Signature=5ec2e7"
    for one in status["jobs"]:
        one["signed_cog_url"] = f"{proxy.url}/results/none.tif{secret}"
    caplog.set_level(logging.INFO)
    proxy.plan(
        Plan("/status", Fault(body=json.dumps(status).encode())),
        Plan("/results/none", Fault(status=403), 2),
    )
    client.open(folder).download(progress=False)
    assert "/results/none.tif" in caplog.text
    assert "5ec2e7" not in caplog.text


def test_an_estimate_of_another_number_of_jobs_is_rejected(client, proxy, service, fields):
    client.estimate(fields.iloc[:1], year=2021)
    (sent,) = proxy.seen("/estimate$")
    headers = {"Authorization": f"Bearer {service.api_key}", "Content-Type": "application/json"}
    of_one = httpx.post(f"{service.url}/v1/batch/estimate", content=sent.body, headers=headers)
    proxy.plan(Plan("/estimate$", Fault(body=of_one.content)))
    with pytest.raises(sb.SoilError) as raised:
        client.estimate(fields.iloc[:2], year=2021)
    assert raised.value.type == "not-the-service"


def test_the_key_of_the_config_file_is_sent_to_its_service_only(tmp_path, monkeypatch):
    for name in ("SOIL_BASE_URL", "V2_URL", "SOIL_API_KEY", "API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config = tmp_path / "soil-batch" / "config.json"
    config.parent.mkdir()
    config.touch(mode=0o600)
    config.write_text(json.dumps({"base_url": "https://mine.example", "api_key": "soc_mine"}))
    assert "mine.example" in repr(sb.Client("https://mine.example/v1/"))
    with pytest.raises(sb.SoilError, match="SOIL_API_KEY"):
        sb.Client("https://other.example")


def status_of(client, proxy, folder: Path, service) -> dict:
    (batch_id,) = client.open(folder).batches
    return httpx.get(
        f"{proxy.url}/v1/batch/{batch_id}/status?jobs=all&limit=100",
        headers={"Authorization": f"Bearer {service.api_key}"},
    ).json()


def change_bytes(value: object):
    def change(jobs: list[dict]) -> None:
        jobs[0]["result"]["bytes"] = value

    return change


def repeat_job(jobs: list[dict]) -> None:
    jobs[1]["job_id"] = jobs[0]["job_id"]


def repeat_index(jobs: list[dict]) -> None:
    jobs[1]["job_index"] = jobs[0]["job_index"]


def exceed_double(jobs: list[dict]) -> None:
    jobs[0]["summary"]["mean"] = 10**400


@pytest.mark.parametrize(
    "change",
    [
        *(change_bytes(value) for value in (-1, 0, None, "abc", 9 * 10**15, True)),
        *(repeat_job, repeat_index, exceed_double),
    ],
)
def test_an_impossible_status_is_rejected(client, proxy, service, folder, change):
    status = status_of(client, proxy, folder, service)
    change(status["jobs"])
    proxy.plan(Plan("/status", Fault(body=json.dumps(status).encode()), 9))
    with pytest.raises(sb.SoilError) as raised:
        client.open(folder).download(progress=False)
    assert raised.value.type == "not-the-service"
    assert list(folder.glob("*.tif")) == []


def test_a_download_that_is_not_a_tiff_is_not_named_as_a_raster(client, proxy, service, folder):
    vrt = b"<VRTDataset><SourceFilename>/vsicurl/http://127.0.0.1/x</SourceFilename></VRTDataset>"
    status = status_of(client, proxy, folder, service)
    for job in status["jobs"]:
        job["result"].update(bytes=len(vrt), etag='"0"')
    proxy.plan(
        Plan("/status", Fault(body=json.dumps(status).encode()), 9),
        Plan("^GET /results/", Fault(body=vrt, headers={"ETag": '"0"'}), 9),
    )
    with pytest.raises(sb.SoilError, match="not a TIFF") as raised:
        client.open(folder).download(progress=False)
    assert raised.value.type == "download"
    assert list(folder.glob("*.tif")) == []


@pytest.mark.parametrize("encoding", ["gzip, gzip, gzip", "br", "gzip"])
def test_a_small_compressed_response_cannot_fill_the_memory(client, proxy, encoding):
    body = b" " * 300_000_000
    for _ in encoding.split(","):
        body = gzip.compress(body, 1)
    headers = {"Content-Encoding": encoding}
    proxy.plan(Plan("usage", Fault(body=body, headers=headers), 9))
    tracemalloc.start()
    try:
        with pytest.raises(sb.SoilError) as raised:
            client.usage()
        assert tracemalloc.get_traced_memory()[1] < 250_000_000
    finally:
        tracemalloc.stop()
    assert raised.value.type == "not-the-service"


def test_too_many_strata_are_rejected(client, proxy, openapi, finished, folder):
    assert openapi["components"]["schemas"]["Total"]["properties"]["strata"]["maxItems"] == (
        MOST_STRATA
    )
    stored = json.loads((finished / "totals.json").read_text())["totals"]
    (total,) = stored["totals"]
    # A stratum has the same figures as a total.
    total["strata"] = [{**total, "value": str(at)} for at in range(MOST_STRATA + 1)]
    proxy.plan(Plan("/total", Fault(body=json.dumps(stored).encode()), 9))
    with pytest.raises(sb.SoilError) as raised:
        client.open(folder).total()
    assert raised.value.type == "not-the-service"


def test_a_state_folder_that_is_a_link_is_rejected(client, fields, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / STATE).symlink_to(tmp_path / "mine")
    with pytest.raises(sb.SoilError, match="is a link"):
        client.submit(fields.iloc[:1], year=2021, dir=tmp_path / "maps")
    assert list((tmp_path / "mine").iterdir()) == []
