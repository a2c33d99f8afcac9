"""Says on standard error how far a long loop is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")

LINES = 10


def progress(what: str, items: Sequence[Item]) -> Iterator[Item]:
    """The items, with some ten lines on the way: how many are done, and the time that is left."""
    started = time.monotonic()
    shown = 0
    for done, item in enumerate(items, start=1):
        yield item
        if done * LINES // len(items) == shown:
            continue
        shown = done * LINES // len(items)
        left = (time.monotonic() - started) / done * (len(items) - done)
        print(f"{what}: {done} of {len(items)}, {left:.0f} s left", file=sys.stderr, flush=True)
