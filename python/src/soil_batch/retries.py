"""When a request is sent again."""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from .errors import SoilError, Throttled

#: The longest wait between two attempts without a `Retry-After`.
_LONGEST_WAIT = 20.0
#: The longest `Retry-After`: `time.sleep` takes no number without bound.
_LONGEST_RETRY_AFTER = 30 * 86_400.0


@dataclass(frozen=True)
class RetryPolicy:
    #: How often a request whose response is lost, or that fails with a 5xx, is sent in total.
    attempts: int = 6
    #: Seconds that one request may wait in total, `throttled` responses included.
    max_wait: float = 300.0
    #: Seconds without a network or a service that a client survives which has reached it before: waiting
    #: and downloading take hours.
    outage: float = 600.0
    #: Seconds of the first wait without a `Retry-After`; each further one is twice as long.
    first_wait: float = 0.5

    def back_off(self, failed: int) -> float:
        """Half of the wait is random, so that clients do not return at the same moment."""
        seconds = min(self.first_wait * 2.0 ** min(failed - 1, 30), _LONGEST_WAIT)
        return seconds * (0.5 + random.random() / 2)


@dataclass
class Attempts:
    """What happened to one request so far."""

    policy: RetryPolicy
    #: Whether sending it again has the same effect as sending it once.
    repeatable: bool
    failed: int = 0
    waited: float = 0.0

    def wait_before_next(self, error: SoilError, was_reached: bool) -> float | None:
        """Seconds until the request is sent again; None if the error is final.

        :param was_reached: whether the service has responded before: a wrong URL is reported soon
        """
        throttled = isinstance(error, Throttled)
        self.failed += 0 if throttled else 1
        seconds = max(error.retry_after or 0.0, self.policy.back_off(max(self.failed, 1)))
        self.waited += seconds
        patient = was_reached and is_outage(error) and self.waited <= self.policy.outage
        may_repeat = self.repeatable and _is_transient(error)
        if not throttled and not (may_repeat and (patient or self.failed < self.policy.attempts)):
            return None
        return seconds if patient or self.waited <= self.policy.max_wait else None


def is_outage(error: SoilError) -> bool:
    """No network, or a proxy without a service behind it."""
    return error.type == "network" or error.status in (502, 503, 504)


def _is_transient(error: SoilError) -> bool:
    # A proxy before the service may limit requests, too.
    limited = error.status == 429 and error.type == "not-the-service"
    return error.type == "network" or limited or (error.status or 0) >= 500


def retry_after(value: str | None) -> float | None:
    """Seconds of the header, a number or a date (RFC 9110, section 10.2.3); None without it."""
    text = (value or "").strip()
    if re.fullmatch(r"[0-9]{1,12}", text):
        seconds = float(text)
    elif (date := http_date(text)) is not None:
        seconds = max(0.0, date - time.time())
    else:
        return None
    return min(seconds, _LONGEST_RETRY_AFTER)


def http_date(text: str) -> float | None:
    """Seconds since 1970 of a date in a header (RFC 9110, section 5.6.7)."""
    if not re.fullmatch(r"\w{3}, \d{2} \w{3} 20\d{2} \d{2}:\d{2}:\d{2} GMT", text, re.ASCII):
        return None
    try:
        return parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
