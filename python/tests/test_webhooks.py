from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest

import soil_batch as sb

SECRET = "a secret é"
SENT_AT = 1_780_000_000
EVENT = {
    "batch_id": "01a1fd7e-7d08-73d2-96ae-b256a1f55901",
    "status": "completed",
    "completed_jobs": 0,
    "failed_jobs": 0,
    "total_jobs": 0,
    "created_at": "2026-11-21T09:44:47.624Z",
    "completed_at": "2026-11-21T09:44:52.745Z",
    "results_expire_at": "2026-12-21T09:44:47.624Z",
    "name": None,
    "metadata": {"order": "A-1042"},
    "jobs": [],
}
BODY = json.dumps(EVENT).encode()


def headers_of(body: bytes, secret: str = SECRET, key: bytes | None = None) -> dict[str, str]:
    def digest(key: bytes, message: bytes) -> bytes:
        return hmac.new(key, message, hashlib.sha256).digest()

    signed = digest(key or secret.encode(), f"e-1.{SENT_AT}.".encode() + body)
    return {
        "X-Service-Signature": digest(secret.encode(), body).hex(),
        "Webhook-Id": "e-1",
        "Webhook-Timestamp": str(SENT_AT),
        "Webhook-Signature": f"v0,x v1,{base64.b64encode(signed).decode()}",
    }


def test_a_verified_delivery_returns_its_event():
    event = sb.verify_webhook(BODY, headers_of(BODY), SECRET, now=SENT_AT + 299)
    assert (event.batch_id, event.metadata) == (EVENT["batch_id"], {"order": "A-1042"})


def test_signatures_of_the_service_are_valid(sign_like_the_service):
    headers = sign_like_the_service(BODY.decode(), SECRET)
    sent_at = int(headers["webhook-timestamp"])
    event = sb.verify_webhook(BODY, headers, SECRET, now=sent_at)
    assert event.batch_id == EVENT["batch_id"]


def test_standard_webhooks_secrets_are_decoded():
    key = bytes(range(24))
    secret = f"whsec_{base64.b64encode(key).decode()}"
    event = sb.verify_webhook(BODY, headers_of(BODY, secret, key), secret, now=SENT_AT)
    assert event.status == "completed"


@pytest.mark.parametrize("now", [SENT_AT + 301, SENT_AT - 301])
def test_a_delivery_whose_time_differs_from_the_clock_is_distinguished_from_a_forged_one(
    now: float,
):
    with pytest.raises(sb.SoilError) as raised:
        sb.verify_webhook(BODY, headers_of(BODY), SECRET, now=now)
    assert raised.value.type == "timestamp"


@pytest.mark.parametrize(
    ("body", "change"),
    [
        pytest.param(BODY + b" ", {}, id="another body"),
        pytest.param(BODY, {"X-Service-Signature": "00" * 32}, id="another signature"),
        pytest.param(BODY, {"X-Service-Signature": "é"}, id="a signature that is not hexadecimal"),
        pytest.param(BODY, {"X-Service-Signature": None}, id="only the standard signature"),
        pytest.param(BODY, {"Webhook-Signature": "v1,AAAA"}, id="only the service's signature"),
        pytest.param(BODY, {"Webhook-Signature": None}, id="no standard signature"),
        pytest.param(BODY, {"Webhook-Timestamp": str(SENT_AT + 1)}, id="another timestamp"),
        pytest.param(BODY, {"Webhook-Timestamp": "soon"}, id="a timestamp that is not a number"),
        pytest.param(BODY, {"Webhook-Id": "e-2"}, id="another event"),
    ],
)
def test_an_invalid_delivery_is_rejected(body: bytes, change: dict[str, str | None]):
    headers = {**headers_of(BODY), **change}
    sent = {name: value for name, value in headers.items() if value is not None}
    with pytest.raises(sb.SoilError) as raised:
        sb.verify_webhook(body, sent, SECRET, now=SENT_AT)
    assert raised.value.type == "signature"


def test_a_repeated_header_is_rejected():
    headers = headers_of(BODY)
    twice = {**headers, "x-service-signature": ["00" * 32]}
    with pytest.raises(sb.SoilError, match="exactly one header"):
        sb.verify_webhook(BODY, twice, SECRET, now=SENT_AT)


def test_an_empty_secret_is_rejected():
    with pytest.raises(sb.InvalidRequest):
        sb.verify_webhook(BODY, headers_of(BODY, ""), "", now=SENT_AT)


def test_a_signed_body_must_be_an_event():
    with pytest.raises(sb.SoilError, match="not an event"):
        sb.verify_webhook(b"{}", headers_of(b"{}"), SECRET, now=SENT_AT)
