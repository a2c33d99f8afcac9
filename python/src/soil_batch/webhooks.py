"""Webhooks, verified over the bytes of their body."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Mapping, Sequence

from .decode import decode
from .errors import SoilError, invalid_input, not_the_service
from .schemas.batches import BatchCompleted
from .transport import parse_json

# Standard Webhooks recommends five minutes.
_TOLERANCE_SECONDS = 300.0
_STANDARD_SECRET = re.compile(r"whsec_([A-Za-z0-9+/]+={0,2})")


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str | Sequence[str]],
    secret: str,
    *,
    tolerance: float = _TOLERANCE_SECONDS,
    now: float | None = None,
) -> BatchCompleted:
    """The event of a delivery.

    Verifies `X-Service-Signature` and the headers of Standard Webhooks, whose timestamp makes a recorded
    delivery useless after `tolerance` seconds. The same event may arrive more than once: deduplicate by
    `batch_id`.

    :param body: as it arrived, not decoded and encoded again
    :raises SoilError: with the type `signature` if it is not the service's; respond with 400 then
    """
    if secret == "":
        raise invalid_input("secret must not be empty")
    raw = body.encode() if isinstance(body, str) else bytes(body)

    digest = _hmac(secret.encode(), raw).hex()
    if not _equal(digest, _header(headers, "x-service-signature").lower()):
        raise _forged("X-Service-Signature")

    event_id, timestamp = _header(headers, "webhook-id"), _header(headers, "webhook-timestamp")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise _forged("webhook-timestamp")
    message = f"{event_id}.{timestamp}.".encode() + raw
    expected = base64.b64encode(_hmac(_standard_key(secret), message)).decode()
    # While keys are rotated, there are several signatures. Versions other than `v1` are ignored.
    signatures = _header(headers, "webhook-signature").split(" ")
    if not any(_equal(f"v1,{expected}", one) for one in signatures):
        raise _forged("webhook-signature")
    current = time.time() if now is None else now
    if not abs(current - int(timestamp)) <= tolerance:
        raise SoilError(
            f"The webhook's timestamp is more than {tolerance:g} s from now.", type="signature"
        )
    try:
        return decode(BatchCompleted, parse_json(raw))
    except ValueError as error:
        raise not_the_service(
            f"The webhook is signed, but its body is not an event of the service: {error}."
        ) from None


def _header(headers: Mapping[str, str | Sequence[str]], name: str) -> str:
    """A header that is sent once; names ignore case."""
    values: list[str] = []
    for key, value in headers.items():
        if key.lower() == name:
            values.extend([value] if isinstance(value, str) else value)
    if len(values) != 1 or values[0] == "":
        raise SoilError(f"The webhook must have the header {name} once.", type="signature")
    return values[0]


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def _equal(expected: str, given: str) -> bool:
    """In constant time; a header may hold any character."""
    return hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))


def _standard_key(secret: str) -> bytes:
    """Standard Webhooks writes a key as `whsec_` and base64; any other secret is used as it is."""
    found = _STANDARD_SECRET.fullmatch(secret)
    if found is not None:
        try:
            return base64.b64decode(found[1], validate=True)
        except binascii.Error:
            pass
    return secret.encode()


def _forged(header: str) -> SoilError:
    return SoilError(
        f"The webhook's {header} does not match its body and your secret.", type="signature"
    )
