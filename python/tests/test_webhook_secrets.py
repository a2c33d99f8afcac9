from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

import soil_batch as sb
from fault_proxy import LOST, Fault, FaultProxy, Plan

CREATION = r"^POST /v1/batch$"
SECRET = "secret é 7421"
WEBHOOK = sb.Webhook("https://soil.invalid/hook", SECRET)


def read_stored_text(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.rglob("*") if path.is_file())


def test_a_run_with_a_secret_continues_only_with_the_secret(
    client: sb.Client, proxy: FaultProxy, fields, tmp_path: Path
):
    folder = tmp_path / "maps"
    proxy.plan(Plan(CREATION, LOST, 99))
    with pytest.raises(sb.SoilError) as raised:
        client.submit(fields.iloc[:1], year=2021, dir=folder, webhook=WEBHOOK)
    assert raised.value.type == "network"
    assert json.loads(proxy.seen(CREATION)[0].body)["webhook_secret"] == SECRET
    assert "7421" not in read_stored_text(folder)

    bodies = {one.body for one in proxy.seen(CREATION)}
    proxy.plan()
    with pytest.raises(sb.SoilError, match=r"webhook_secret=…") as raised:
        client.open(folder).wait(progress=False)
    assert raised.value.type == "folder"
    assert proxy.seen(CREATION) == []
    with pytest.raises(sb.SoilError, match="another webhook secret"):
        client.open(folder, webhook_secret="mistyped").wait(progress=False)

    run = client.open(folder, webhook_secret=SECRET)
    assert run.wait(progress=False).completed_jobs == 1
    assert {proxy.seen(CREATION)[-1].body} == bodies
    assert len(run.batches) == 1
    assert "7421" not in read_stored_text(folder)
    assert client.open(folder).wait(progress=False).is_finished


def test_a_request_has_room_for_the_secret(client, proxy, fields, tmp_path):
    def sizes(name: str) -> list[int]:
        client.submit(fields.iloc[:2], year=2021, dir=tmp_path / name, webhook=WEBHOOK)
        return [len(one.body) for one in proxy.seen(CREATION)]

    (whole,) = sizes("maps-1")
    limits = {**dataclasses.asdict(client.limits()), "body_bytes": whole - 1}
    proxy.plan(Plan("^GET /v1/limits", Fault(body=json.dumps(limits).encode())))
    parts = sizes("maps-2")
    assert len(parts) == 2
    assert max(parts) < whole


def test_a_secret_cannot_be_added_to_the_webhook_of_a_run(client, fields, tmp_path):
    client.submit(fields.iloc[:1], year=2021, dir=tmp_path / "maps", webhook=WEBHOOK.url)
    with pytest.raises(sb.SoilError, match="without a webhook secret") as submitted:
        client.submit(fields.iloc[:1], year=2021, dir=tmp_path / "maps", webhook=WEBHOOK)
    assert submitted.value.type == "folder"
    with pytest.raises(sb.SoilError, match="has no webhook secret"):
        client.open(tmp_path / "maps", webhook_secret=SECRET)
