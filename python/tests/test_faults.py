from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

import soil_batch as sb
from fault_proxy import (
    EXPIRED,
    HALF,
    HTML_503,
    LOST,
    RESET,
    SHORT,
    SIGN_IN,
    SLOW_DOWN,
    Fault,
    FaultProxy,
    Plan,
    problem,
)
from soil_batch.config import Connection
from soil_batch.transport import Request, Transport

CREATION = r"^POST /v1/batch$"
STATUS = r"^GET /v1/batch/[^/]+/status"
RESULT = r"^GET /results/"
STATE = ".soil-batch"


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.tif")
    }


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        pytest.param(RESET, 2, id="the connection is reset before the request"),
        pytest.param(LOST, 2, id="the response is lost after the batch is created"),
        pytest.param(HTML_503, 2, id="a load balancer responds with HTML"),
        pytest.param(problem(500, "internal"), 2, id="the service fails"),
        pytest.param(problem(503, "unavailable"), 2, id="the service is not available"),
        pytest.param(problem(429, "throttled", 1), 1, id="the request is throttled"),
    ],
)
def test_one_batch_is_created_despite_a_fault(
    client: sb.Client, proxy: FaultProxy, fields, tmp_path, fault: Fault, times: int
):
    before = [batch.batch_id for batch in client.batches()]
    proxy.plan(Plan(CREATION, fault, times))
    run = client.submit(fields.iloc[:1], year=2021, dir=tmp_path / "maps")
    assert proxy.unmet() == []
    keys = [one.headers["Idempotency-Key"] for one in proxy.seen(CREATION)]
    assert len(keys) == times + 1
    assert len(set(keys)) == 1
    created = [batch.batch_id for batch in client.batches() if batch.batch_id not in before]
    assert created == run.batches


@pytest.mark.parametrize(
    ("request_", "fault", "times"),
    [
        pytest.param(RESULT, RESET, 0, id="nothing fails"),
        pytest.param(STATUS, problem(503, "unavailable"), 2, id="the status is not available"),
        pytest.param(STATUS, LOST, 2, id="the connection for the status is reset"),
        pytest.param(RESULT, RESET, 3, id="the connection for a file is reset"),
        pytest.param(RESULT, HALF, 4, id="the connection breaks within a file"),
        pytest.param(RESULT, SHORT, 4, id="a file ends early"),
        pytest.param(RESULT, SLOW_DOWN, 3, id="the bucket asks for fewer requests"),
        pytest.param(RESULT, SIGN_IN, 3, id="a network has a sign-in page"),
        pytest.param(RESULT, EXPIRED, 2, id="the signed URLs have expired"),
    ],
)
def test_files_are_the_same_with_and_without_faults(
    client: sb.Client, proxy: FaultProxy, service, finished, tmp_path, request_, fault, times
):
    # The state after a crash before the first file.
    shutil.copytree(finished / STATE, tmp_path / STATE)
    (tmp_path / STATE / "files").unlink()
    proxy.plan(Plan(request_, fault, times))

    paths = client.open(tmp_path).download(progress=False)

    assert times == 0 or proxy.unmet() == []
    assert [path.name for path in paths] == ["Stein-1_1990-1993.tif", "Stein-2_1990-1993.tif"]
    assert hashes(tmp_path) == hashes(finished)
    requests = proxy.seen(RESULT)
    if request_ == RESULT:
        # Each fault costs one more request: received bytes are not requested again.
        assert len(requests) == 2 + times
        continued = [one for one in requests if "Range" in one.headers]
        assert len(continued) == (times if fault in (HALF, SHORT) else 0)
    if fault is EXPIRED:
        assert len({one.link for one in requests}) > len({one.link for one in requests[:2]})
    assert {one.headers["Authorization"] for one in proxy.seen("/v1/")} == {
        f"Bearer {service.api_key}"
    }
    assert all(service.api_key not in str(one.headers) for one in requests)


@pytest.mark.parametrize(
    ("fault", "kind", "members"),
    [
        pytest.param(
            problem(429, "quota-exceeded", 3600),
            sb.QuotaExceeded,
            {"type": "quota-exceeded", "status": 429, "retry_after": 3600, "request_id": "r-1"},
            id="a used-up quota, without waiting",
        ),
        pytest.param(
            problem(429, "throttled", 100_000),
            sb.Throttled,
            {"retry_after": 100_000},
            id="a wait that is longer than allowed",
        ),
        pytest.param(
            problem(410, "results-expired"), sb.Expired, {"status": 410}, id="expired results"
        ),
        pytest.param(
            problem(422, "validation", errors=[{"pointer": "/jobs/3", "message": "is odd"}]),
            sb.InvalidRequest,
            {"errors": (sb.Violation("/jobs/3", "is odd"),)},
            id="every violation of a request",
        ),
        pytest.param(
            SIGN_IN, sb.SoilError, {"type": "not-the-service", "status": 200}, id="a sign-in page"
        ),
        pytest.param(
            Fault(status=302, headers={"Location": "https://evil.example/x"}),
            sb.SoilError,
            {"type": "not-the-service"},
            id="a redirect, which would receive the key",
        ),
        pytest.param(
            Fault(body=b'{"day":' + b"[" * 100_000),
            sb.SoilError,
            {"type": "not-the-service"},
            id="endlessly nested JSON",
        ),
        pytest.param(
            Fault(body=b'{"day": 1, "resets_at": "", "jobs": {}, "hectares": {}}'),
            sb.SoilError,
            {"type": "not-the-service"},
            id="an object of another operation",
        ),
        pytest.param(
            Fault(body=b" " * 65_000_000),
            sb.SoilError,
            {"type": "not-the-service"},
            id="an endless body",
        ),
    ],
)
def test_a_fault_raises_its_error(client: sb.Client, proxy: FaultProxy, fault, kind, members):
    proxy.plan(Plan(r"^GET /v1/usage$", fault, 10))
    with pytest.raises(kind) as raised:
        client.usage()
    assert type(raised.value) is kind
    for name, expected in members.items():
        assert getattr(raised.value, name) == expected
    assert len(proxy.seen("usage")) == 1


def test_a_key_that_a_response_echoes_is_not_in_the_error_message(client, proxy, service):
    echo = Fault(status=404, body=f"no route for {service.api_key}".encode())
    proxy.plan(Plan("usage", echo))
    with pytest.raises(sb.SoilError) as raised:
        client.usage()
    assert "no route" in str(raised.value)
    assert service.api_key not in str(raised.value)


def test_the_client_gives_up_after_the_allowed_attempts(proxy, service):
    proxy.plan(Plan("usage", RESET, 10))
    retries = sb.RetryPolicy(attempts=3, first_wait=0.01)
    client = sb.Client(proxy.url, service.api_key, retries=retries)
    with client, pytest.raises(sb.SoilError) as raised:
        client.usage()
    assert (raised.value.type, raised.value.status) == ("network", None)
    assert len(proxy.seen("usage")) == 3


@pytest.mark.parametrize("wait", [999_999, 999_999_999_999])
def test_the_client_does_not_wait_longer_than_allowed_for_an_outage(proxy, service, wait):
    waits: list[float] = []
    connection = Connection(proxy.url, service.api_key)
    transport = Transport(
        connection, sb.RetryPolicy(), 30, lambda seconds, _: waits.append(seconds)
    )
    transport.expect_service()
    proxy.plan(Plan("usage", problem(503, "unavailable", wait), 10))
    with pytest.raises(sb.SoilError) as raised:
        transport.send(Request("GET", "/v1/usage"))
    transport.close()
    assert (raised.value.status, waits) == (503, [])
    # `time.sleep` must accept the value.
    assert 0 < raised.value.retry_after < 10_000_000


def test_an_endless_list_is_rejected(client, proxy):
    page = b'{"batches": [], "has_more": true, "next_cursor": "a"}'
    proxy.plan(Plan(r"^GET /v1/batch\?", Fault(body=page), 10))
    with pytest.raises(sb.SoilError, match="does not end"):
        list(client.batches())
    assert len(proxy.seen(r"^GET /v1/batch\?")) == 2
