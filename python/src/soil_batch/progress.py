from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from .errors import SoilError
from .outcomes import is_gone
from .retries import parse_retry_after
from .schemas.batches import BatchStatus
from .transport import Request, Transport, batch_path

# Seconds between polls if the response has no `Retry-After`.
_DEFAULT_POLL = 5.0
# Seconds between reports of progress during a longer pause between polls.
_TICK_SECONDS = 30.0
# Bounds of `Retry-After`: with 0 the client would poll without a pause, and with a huge value hardly ever.
_SHORTEST_POLL, _LONGEST_POLL = 1.0, 300.0


@dataclass(frozen=True)
class Progress:
    """The progress of all batches of a run."""

    total_jobs: int
    completed_jobs: int
    failed_jobs: int
    #: The number of jobs that are not in a batch yet, usually because the daily quota did not allow them.
    not_submitted: int
    #: Overall progress from 0 to 1.
    share: float
    #: The shortest and longest time left, as the service estimates it; None without an estimate.
    seconds_left: tuple[float, float] | None = None

    @property
    def is_finished(self) -> bool:
        return self.completed_jobs + self.failed_jobs == self.total_jobs

    def __str__(self) -> str:
        failed = f", {self.failed_jobs} failed" if self.failed_jobs else ""
        waiting = f", {self.not_submitted} not submitted" if self.not_submitted else ""
        left = "" if self.seconds_left is None else f", {format_duration(*self.seconds_left)} left"
        return f"{self.completed_jobs} of {self.total_jobs} jobs{failed}{waiting}{left}"


def format_duration(least: float, most: float) -> str:
    """Formats a range of times in the unit of the longer time: `14 to 41 s`, `1 to 3 min`."""
    unit, name = (1, "s") if most < 120 else (60, "min") if most < 7200 else (3600, "h")
    start, end = math.floor(least / unit), math.ceil(most / unit)
    return f"{end} {name}" if start == end else f"{start} to {end} {name}"


def seconds_left(statuses: Iterable[BatchStatus], now: float) -> tuple[float, float] | None:
    """Computes the shortest and longest time until the last batch is finished; None without an estimate of each unfinished batch.

    :param now: the service's time, in seconds since 1970
    """
    ranges = [one.estimated_completion_range for one in statuses if not one.is_final]
    known = [one for one in ranges if one is not None]
    if not known or len(known) < len(ranges):
        return None
    try:
        earliest = max(map(_parse_time, (one.earliest for one in known)))
        latest = max(map(_parse_time, (one.latest for one in known)))
    except ValueError:
        return None
    return max(earliest - now, 0.0), max(latest - now, 0.0)


def _parse_time(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


@dataclass
class _WatchedBatch:
    batch_id: str
    etag: str | None = None
    status: BatchStatus | None = None
    due: float = field(default_factory=time.monotonic)
    is_gone: bool = False

    @property
    def is_final(self) -> bool:
        return self.is_gone or (self.status is not None and self.status.is_final)


def watch(
    transport: Transport,
    batch_ids: Sequence[str],
    timeout: float | None,
    on_change: Callable[[Sequence[BatchStatus]], None],
) -> None:
    """Polls the batches with conditional requests, as often as the service's `Retry-After` allows.

    :param on_change: called after each change, and repeatedly during long pauses between polls
    """
    end = None if timeout is None else time.monotonic() + timeout
    watched = [_WatchedBatch(batch_id) for batch_id in batch_ids]
    while True:
        unfinished = [one for one in watched if not one.is_final]
        if not unfinished:
            return
        next_due = min(unfinished, key=lambda one: one.due)
        if end is not None and max(next_due.due, time.monotonic()) > end:
            raise SoilError(f"The run is not finished after {timeout:g} s.", type="timeout")
        pause = next_due.due - time.monotonic()
        time.sleep(min(max(0.0, pause), _TICK_SECONDS))
        if pause > _TICK_SECONDS or _poll(transport, next_due):
            on_change([one.status for one in watched if one.status is not None])


def _poll(transport: Transport, watched: _WatchedBatch) -> bool:
    """Returns whether the status has changed."""
    headers = {} if watched.etag is None else {"If-None-Match": watched.etag}
    path = batch_path(watched.batch_id, "status")
    request = Request("GET", path, {"jobs": "none"}, headers)
    try:
        response = transport.send(request)
    except SoilError as error:
        if not is_gone(error):
            raise
        watched.is_gone = True
        return True
    wait = parse_retry_after(response.headers.get("Retry-After"))
    pause = _DEFAULT_POLL if wait is None else wait
    watched.due = time.monotonic() + min(max(pause, _SHORTEST_POLL), _LONGEST_POLL)
    if response.status == 304:
        return False
    watched.status = transport.decode_body(BatchStatus, request, response)
    watched.etag = response.headers.get("ETag")
    return True
