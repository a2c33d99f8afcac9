"""Everything a command prints. It never writes a control character of others."""

from __future__ import annotations

import json
import sys
import time
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from ..bars import SHARE, tqdm

Output = Literal["lines", "json", "quiet"]
# Without a terminal, a run is not silent for longer.
_LINE_SECONDS = 30.0


class Exit:
    """What the process returns to its shell."""

    COMPLETE = 0
    ERROR = 1
    USAGE = 2
    #: Some jobs failed; the rest is complete.
    PARTIAL = 3
    #: The quota of today is used up; the same command continues tomorrow.
    QUOTA = 4
    #: 128 + SIGINT, as shells report it.
    INTERRUPTED = 130


class CommandError(Exception):
    """A failure with a message of one sentence for the user."""

    def __init__(self, message: str, code: int = Exit.ERROR) -> None:
        super().__init__(message)
        self.code = code


class ReaderGone(Exception):
    """The reader of the output has ended, as in `soil-batch list | head -1`."""


def printable(text: str) -> str:
    """
    One line. Control, format and separator characters are shown by their code points: names in files and
    texts of a server could otherwise move the cursor, or reverse text
    (https://unicode.org/reports/tr36/#Bidirectional_Text_Spoofing).
    """
    return "".join(one if _is_plain(one) else _escaped(one) for one in text)


def _is_plain(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


@dataclass
class Bar:
    """Progress on a terminal, and elsewhere a line every 30 s."""

    _bar: Any
    _title: str
    _lines: bool
    _next: float = field(default_factory=lambda: time.monotonic() + _LINE_SECONDS)

    def update(self, value: float, text: str) -> None:
        if self._bar is not None:
            self._bar.n = value
            self._bar.set_postfix_str(printable(text))
        elif self._lines and time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINE_SECONDS
            _write(sys.stderr, f"{self._title}: {text}")


class Terminal:
    def __init__(self, output: Output) -> None:
        self._output = output
        #: Warnings that were shown: each is shown once.
        self.told: set[str] = set()

    def report(self, event: str, values: dict[str, Any], lines: Sequence[str]) -> None:
        """A result: the lines for people, or the event as a line of JSON."""
        if self._output == "json":
            # In JSON these characters occur only within strings, where an escape means the same.
            text = json.dumps({"event": event, **values}, ensure_ascii=False)
            _write(sys.stdout, text)
        elif self._output == "lines":
            for line in lines:
                _write(sys.stdout, line)

    def note(self, line: str) -> None:
        """A hint for people, printed with JSON output, too."""
        if self._output != "quiet":
            _write(sys.stderr, line)

    def fail(self, error: CommandError) -> None:
        if self._output == "json":
            self.report("error", {"message": str(error), "exit_code": error.code}, [])
        _write(sys.stderr, f"soil-batch: {error}")

    def confirm(self, question: str) -> bool:
        if self._output != "lines" or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise CommandError(
                "there is no terminal to ask for confirmation: add --yes to start without asking",
                Exit.USAGE,
            )
        sys.stderr.write(f"{question} [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    @contextmanager
    def bar(self, title: str, bytes: int | None = None, received: int = 0) -> Iterator[Bar]:
        """
        :param bytes: the end of the bar, which is else of shares
        :param received: where it starts: the time left is that of the other bytes
        """
        if self._output == "lines" and sys.stderr.isatty():
            share = {"total": 1, "bar_format": SHARE}
            amount = {"total": bytes, "initial": received, "unit": "B", "unit_scale": True}
            with tqdm(desc=title, **(share if bytes is None else amount)) as shown:
                yield Bar(shown, title, False)
        else:
            yield Bar(None, title, self._output == "lines")


def _write(stream: Any, line: str) -> None:
    try:
        stream.write(f"{printable(line)}\n")
        # A pipe's reader follows the run.
        stream.flush()
    except BrokenPipeError:
        raise ReaderGone from None
