from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import geopandas
import pytest

import soil_batch as sb
from fault_proxy import FaultProxy
from service import DevService, start_dev_service

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def service() -> Iterator[DevService]:
    """The service in memory, as a process of its own."""
    running = start_dev_service(ROOT)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def session_proxy(service: DevService) -> Iterator[FaultProxy]:
    proxy = FaultProxy(service.url)
    yield proxy
    proxy.close()


@pytest.fixture
def proxy(session_proxy: FaultProxy) -> FaultProxy:
    session_proxy.plan()
    return session_proxy


@pytest.fixture
def client(proxy: FaultProxy, service: DevService) -> Iterator[sb.Client]:
    """Through the proxy, with short waits."""
    retries = sb.RetryPolicy(first_wait=0.01, outage=0)
    with sb.Client(proxy.url, service.api_key, retries=retries) as one:
        yield one


@pytest.fixture(scope="session")
def fields() -> geopandas.GeoDataFrame:
    """Eight fields in the Dutch grid (EPSG:28992)."""
    return geopandas.read_file(ROOT / "examples" / "fields.gpkg")


@pytest.fixture(scope="session")
def finished(service, session_proxy, fields, tmp_path_factory) -> Path:
    """The folder of a run of two fields."""
    folder = tmp_path_factory.mktemp("finished") / "maps"
    with sb.Client(session_proxy.url, service.api_key) as client:
        client.predict(fields.iloc[:2], year=2021, name="id", dir=folder, progress=False)
    return folder


def evaluated(script: str) -> Any:
    """What a program of the project prints as JSON."""
    command = ["node", "--import", "tsx", "--input-type=module", "--eval", script]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


@pytest.fixture(scope="session")
def openapi() -> dict:
    """The document of V2, as the service would publish it."""
    return evaluated(
        "import { openApiDocument } from './lambdas/api/specification/document.ts';"
        "const options = { deployment: 'v2', baseUrl: 'https://v2.soil.example', version: '0' };"
        "console.log(JSON.stringify(openApiDocument(options)));"
    )


@pytest.fixture(scope="session")
def signed_by_the_service() -> Callable[[str, str], dict[str, str]]:
    """The headers of a delivery at 2026-11-22T11:00:00Z, by its body and secret."""

    def signed(body: str, secret: str) -> dict[str, str]:
        message = json.dumps({"eventId": "e-1", "sentAt": "2026-11-22T11:00:00.000Z"})
        return evaluated(
            "import { signatureHeaders } from './lambdas/domain/delivery/signature.ts';"
            f"const body = Buffer.from({json.dumps(body)});"
            f"const message = {{ ...{message}, body, secret: {json.dumps(secret)} }};"
            "console.log(JSON.stringify(signatureHeaders(message)));"
        )

    return signed
