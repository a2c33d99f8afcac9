from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import geopandas
import pytest

import soil_batch as sb
from fault_proxy import FaultProxy
from service import DevService, start_dev_service
from soil_batch.reading import load as loading

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def service() -> Iterator[DevService]:
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
    """A client of the proxy, with short waits."""
    retries = sb.RetryPolicy(first_wait=0.01, outage=0)
    with sb.Client(proxy.url, service.api_key, retries=retries) as one:
        yield one


@pytest.fixture(scope="session")
def fields() -> geopandas.GeoDataFrame:
    """Eight fields in the Dutch grid (EPSG:28992)."""
    return geopandas.read_file(ROOT / "examples" / "fields.gpkg")


@pytest.fixture(scope="session")
def finished(service, session_proxy, fields, tmp_path_factory) -> Path:
    """The folder of a finished run of two fields."""
    folder = tmp_path_factory.mktemp("finished") / "maps"
    with sb.Client(session_proxy.url, service.api_key) as client:
        client.predict(fields.iloc[:2], year=2021, name="id", dir=folder, progress=False)
    return folder


# Reads many files in one process, each as `child.py` does.
READER = """
import json, sys
from soil_batch.reading.child import main
for task in sys.stdin:
    print(json.dumps(main(json.loads(task))), flush=True)
"""


@pytest.fixture(scope="session")
def reader() -> Iterator[Callable[[str, Any], Any]]:
    """Reads files in one process: a process per file, as in the command, would import GDAL's packages each time."""
    with subprocess.Popen(
        [sys.executable, "-c", READER],
        env=loading.child_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        tasks, answers = child.stdin, child.stdout
        assert tasks is not None and answers is not None

        def read(_: str, task: Any) -> Any:
            print(json.dumps(task), file=tasks, flush=True)
            return loading.unwrap_answer(json.loads(answers.readline()))

        yield read
        tasks.close()


@pytest.fixture
def own_reader() -> None:
    """Requests a separate process per file, as in the command, for files that may end, crash or block their reader."""


@pytest.fixture(autouse=True)
def one_reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "own_reader" not in request.fixturenames:
        monkeypatch.setattr(loading, "_read_in_child", request.getfixturevalue("reader"))


def evaluate_typescript(script: str) -> Any:
    command = ["node", "--import", "tsx", "--input-type=module", "--eval", script]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


@pytest.fixture(scope="session")
def openapi() -> dict:
    """The OpenAPI document of V2, as the service publishes it."""
    return evaluate_typescript(
        "import { openApiDocument } from './lambdas/api/specification/document.ts';"
        "const options = { deployment: 'v2', baseUrl: 'https://v2.soil.example', version: '0' };"
        "console.log(JSON.stringify(openApiDocument(options)));"
    )


@pytest.fixture(scope="session")
def sign_like_the_service() -> Callable[[str, str], dict[str, str]]:
    """Signs a delivery at 2026-11-22T11:00:00Z like the service, and returns its headers."""

    def sign(body: str, secret: str) -> dict[str, str]:
        message = json.dumps({"eventId": "e-1", "sentAt": "2026-11-22T11:00:00.000Z"})
        return evaluate_typescript(
            "import { signatureHeaders } from './lambdas/domain/delivery/signature.ts';"
            f"const body = Buffer.from({json.dumps(body)});"
            f"const message = {{ ...{message}, body, secret: {json.dumps(secret)} }};"
            "console.log(JSON.stringify(signatureHeaders(message)));"
        )

    return sign
