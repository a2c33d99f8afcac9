"""Verifies webhook deliveries by the bytes of their body."""

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

# The tolerance for timestamps: five minutes, as usual with Standard Webhooks.
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
    """Verifies a delivery and returns its event.

    Checks `X-Service-Signature` and the headers of Standard Webhooks, whose timestamp makes a recorded delivery
    useless after `tolerance` seconds. The same event may arrive more than once: deduplicate by `batch_id` and
    `redelivery`. Respond with 400 only to an error of the type `signature`, and with 500 to others, so that the
    delivery is retried.

    :param body: the unchanged bytes of the request, not decoded and encoded again
    :raises SoilError: `signature` if a header is missing or does not match; `timestamp` if the attempt is too old or
        this machine's clock is wrong; `not-the-service` if the event does not match this package's types
    """
    if secret == "":
        raise invalid_input("secret must not be empty")
    raw = body.encode() if isinstance(body, str) else bytes(body)

    digest = _hmac(secret.encode(), raw).hex()
    if not _equal(digest, _read_header(headers, "x-service-signature").lower()):
        raise _signature_error("X-Service-Signature")

    event_id, timestamp = (
        _read_header(headers, "webhook-id"),
        _read_header(headers, "webhook-timestamp"),
    )
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise _signature_error("webhook-timestamp")
    message = f"{event_id}.{timestamp}.".encode() + raw
    expected = base64.b64encode(_hmac(_standard_key(secret), message)).decode()
    # There may be several signatures while secrets are rotated. Versions other than `v1` are ignored.
    signatures = _read_header(headers, "webhook-signature").split(" ")
    if not any(_equal(f"v1,{expected}", one) for one in signatures):
        raise _signature_error("webhook-signature")
    current = time.time() if now is None else now
    if not abs(current - int(timestamp)) <= tolerance:
        raise SoilError(
            f"The webhook's signature is valid, but its timestamp differs from this machine's clock by more than {tolerance:g} s.",
            type="timestamp",
        )
    try:
        return decode(BatchCompleted, parse_json(raw))
    except ValueError as error:
        raise not_the_service(
            f"The webhook's signature is valid, but its body is not an event of the service: {error}."
        ) from None


def _read_header(headers: Mapping[str, str | Sequence[str]], name: str) -> str:
    """Returns a header, which must occur once. The case of its name is ignored."""
    values: list[str] = []
    for key, value in headers.items():
        if key.lower() == name:
            values.extend([value] if isinstance(value, str) else value)
    if len(values) != 1 or values[0] == "":
        raise SoilError(f"The webhook must have exactly one header {name}.", type="signature")
    return values[0]


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def _equal(expected: str, given: str) -> bool:
    """Compares in constant time. Headers may contain any character, so bytes are compared."""
    return hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))


def _standard_key(secret: str) -> bytes:
    """Decodes a Standard Webhooks secret (`whsec_` and base64); any other secret is used unchanged."""
    found = _STANDARD_SECRET.fullmatch(secret)
    if found is not None:
        try:
            return base64.b64decode(found[1], validate=True)
        except binascii.Error:
            pass
    return secret.encode()


def _signature_error(header: str) -> SoilError:
    return SoilError(
        f"The webhook's {header} does not match its body and your secret.", type="signature"
    )
