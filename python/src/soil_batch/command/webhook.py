from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ..schemas.batches import WebhookTested
from ..transport import Request
from ..webhooks import verify_webhook
from .session import Session
from .terminal import CommandError, Exit

#: The secret comes from this environment variable, because other users of a machine can read arguments.
SECRET_VARIABLE = "WEBHOOK_SECRET"
_HEADER = re.compile(r"([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*", re.DOTALL)


def verify(session: Session, body: str, headers: Sequence[str], any_age: bool) -> int:
    secret = _read_secret()
    if secret is None:
        raise CommandError(
            f"set the environment variable {SECRET_VARIABLE} to the webhook's secret", Exit.USAGE
        )
    found = {}
    for text in headers:
        header = _HEADER.fullmatch(text)
        if header is None:
            raise CommandError("-H: expected 'Name: value'", Exit.USAGE)
        found[header[1]] = header[2]
    content = sys.stdin.buffer.read() if body == "-" else Path(body).read_bytes()
    age = {"tolerance": math.inf} if any_age else {}
    event = verify_webhook(content, found, secret, **age)
    session.terminal.report(
        "verified",
        {"batch_id": event.batch_id},
        [f"Genuine: batch {event.batch_id} is {event.status}."],
    )
    return Exit.COMPLETE


def test(session: Session, url: str) -> int:
    secret = _read_secret()
    body = {"webhook_url": url, **({} if secret is None else {"webhook_secret": secret})}
    content = json.dumps(body).encode()
    request = Request("POST", "/v1/webhooks/test", None, None, content, repeatable=False)
    tested = session.connect().read(WebhookTested, request)
    unsigned = [] if tested.signed else [f"Not signed: {SECRET_VARIABLE} is not set."]
    lines = [f"{tested.outcome}: {tested.reason}", *unsigned]
    session.terminal.report("webhook-tested", asdict(tested), lines)
    return Exit.COMPLETE if tested.outcome == "acknowledged" else Exit.ERROR


def _read_secret() -> str | None:
    return os.environ.get(SECRET_VARIABLE) or None
