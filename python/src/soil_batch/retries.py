from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from .errors import SoilError, Throttled

#: Seconds of the longest wait between two attempts if the response has no `Retry-After`.
_LONGEST_WAIT = 20.0
#: Seconds of the longest `Retry-After` that is honoured: `time.sleep` does not accept arbitrarily large numbers.
_LONGEST_RETRY_AFTER = 30 * 86_400.0


@dataclass(frozen=True)
class RetryPolicy:
    #: The number of attempts, including the first, for a request whose response is lost, has a 5xx status,
    #: or has the status 429 of a proxy.
    attempts: int = 6
    #: Seconds that a request may wait in total, including waits after `throttled` responses.
    max_wait: float = 300.0
    #: Seconds for which a client that has reached the service before tolerates an outage of the network or service:
    #: waiting and downloading can take hours.
    outage: float = 600.0
    #: The longest first wait in seconds without a `Retry-After`; it doubles with each further attempt, up to a limit.
    first_wait: float = 0.5

    def back_off(self, failed: int) -> float:
        """Returns the next wait. Half of it is random, so that clients do not retry at the same moment."""
        seconds = min(self.first_wait * 2.0 ** min(failed - 1, 30), _LONGEST_WAIT)
        return seconds * (0.5 + random.random() / 2)


@dataclass
class Attempts:
    policy: RetryPolicy
    #: Whether sending the request twice has the same effect as sending it once.
    repeatable: bool
    failed: int = 0
    waited: float = 0.0

    def wait_before_next(self, error: SoilError, was_reached: bool) -> float | None:
        """Returns the seconds until the next attempt; None if the request is not repeated.

        :param was_reached: whether the service has responded before; if not, the URL may be wrong, so the error is reported soon
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
    """Whether the network is down or the service is unavailable."""
    return error.type == "network" or error.status in (502, 503, 504)


def _is_transient(error: SoilError) -> bool:
    # A proxy in front of the service may limit requests as well.
    limited = error.status == 429 and error.type == "not-the-service"
    return error.type == "network" or limited or (error.status or 0) >= 500


def parse_retry_after(value: str | None) -> float | None:
    """Parses `Retry-After`, a number or a date (RFC 9110, section 10.2.3), to seconds; None if it is missing or invalid."""
    text = (value or "").strip()
    if re.fullmatch(r"[0-9]{1,12}", text):
        seconds = float(text)
    elif (date := parse_http_date(text)) is not None:
        seconds = max(0.0, date - time.time())
    else:
        return None
    return min(seconds, _LONGEST_RETRY_AFTER)


def parse_http_date(text: str) -> float | None:
    """Parses a date in a header (RFC 9110, section 5.6.7) to seconds since 1970; None if it is invalid."""
    if not re.fullmatch(r"\w{3}, \d{2} \w{3} 20\d{2} \d{2}:\d{2}:\d{2} GMT", text, re.ASCII):
        return None
    try:
        return parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
