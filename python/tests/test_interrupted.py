from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import soil_batch as sb
from fault_proxy import HALF, LOST, Plan

CREATION = r"^POST /v1/batch$"
STATE = ".soil-batch"


@pytest.mark.parametrize("point", ["lost", "download"])
def test_a_run_continues_after_kill_9(client, proxy, service, fields, tmp_path, point):
    folder, source = tmp_path / "maps", tmp_path / "fields.geojson"
    fields.iloc[:2].to_crs("OGC:CRS84").to_file(source)
    script = (
        "import json, sys, soil_batch as sb\n"
        "url, key, folder, source = sys.argv[1:]\n"
        "fields = json.load(open(source))\n"
        "fields.pop('crs', None)\n"
        "sb.Client(url, key).predict(fields, year=2021, dir=folder, progress=False)\n"
    )
    request, fault = {"lost": (CREATION, LOST), "download": ("^GET /results/", HALF)}[point]
    proxy.plan(Plan(request, fault, 99))
    command = [sys.executable, "-c", script, proxy.url, service.api_key, folder, source]
    child = subprocess.Popen(command)
    deadline = time.monotonic() + 60
    while not proxy.seen(request) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    keys = {one.headers["Idempotency-Key"] for one in proxy.seen(CREATION)}
    assert len(keys) == 1

    proxy.plan()
    run = client.open(folder)
    assert run.wait(progress=False).completed_jobs == 2
    assert len(run.download(progress=False)) == 2
    again = {one.headers["Idempotency-Key"] for one in proxy.seen(CREATION)}
    assert again == (keys if point == "lost" else set())
    run_id = json.loads((folder / STATE / "run.json").read_text())["run_id"]
    runs = [(batch.metadata or {}).get("run_id") for batch in client.batches()]
    assert runs.count(run_id) == 1


def test_a_batch_is_found_after_its_idempotency_key_expired(
    client, proxy, service, fields, tmp_path
):
    folder = tmp_path / "maps"
    proxy.plan(Plan(CREATION, LOST))
    once = sb.Client(proxy.url, service.api_key, retries=sb.RetryPolicy(attempts=1, outage=0))
    with once, pytest.raises(sb.SoilError, match="no response"):
        once.submit(fields.iloc[:1], year=2021, dir=folder)
    run_file = folder / STATE / "run.json"
    state = json.loads(run_file.read_text())
    state["chunks"][0]["sent_at"] -= 2 * 86_400
    run_file.write_text(json.dumps(state))

    proxy.plan()
    run = client.open(folder)
    assert run.wait(progress=False).completed_jobs == 1
    assert proxy.seen(CREATION) == []
    assert len(run.batches) == 1


def test_a_folder_in_use_by_another_process_is_rejected(client, fields, tmp_path):
    run = client.submit(fields.iloc[:1], year=2021, dir=tmp_path / "maps")
    with run._folder.lock(), pytest.raises(sb.SoilError, match="another process"):
        run.download(progress=False)
