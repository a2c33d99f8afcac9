"""Prints the output of commands. Escapes control characters, which may come from files and servers."""

from __future__ import annotations

import json
import sys
import time
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from ..bars import FRACTION_FORMAT, tqdm

Output = Literal["lines", "json", "quiet"]
# Without a terminal, lines of progress are at least this many seconds apart.
_LINE_SECONDS = 30.0


class Exit:
    COMPLETE = 0
    ERROR = 1
    USAGE = 2
    #: Some jobs failed or are not finished, or their results expired; the others are complete.
    PARTIAL = 3
    #: Some jobs are not submitted, usually because they exceed today's quota.
    QUOTA = 4
    #: 128 + SIGINT, as shells report it.
    INTERRUPTED = 130


class CommandError(Exception):
    def __init__(self, message: str, code: int = Exit.ERROR) -> None:
        super().__init__(message)
        self.code = code


class ReaderGone(Exception):
    """The program that reads the output has ended, as in `soil-batch list | head -1`."""


def escape_text(text: str) -> str:
    """Escapes control and format characters, line separators and lone surrogates, so that the text is one line.

    Names in files and messages of servers could otherwise move the cursor or reverse text
    (https://unicode.org/reports/tr36/#Bidirectional_Text_Spoofing).
    """
    return "".join(one if _is_plain(one) else _escape(one) for one in text)


def _is_plain(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


@dataclass
class Bar:
    """Shows progress: a bar on a terminal, occasional lines elsewhere, and nothing with --json or --quiet."""

    _bar: Any
    _title: str
    _lines: bool
    _next: float = field(default_factory=lambda: time.monotonic() + _LINE_SECONDS)

    def update(self, value: float, text: str) -> None:
        if self._bar is not None:
            self._bar.n = value
            self._bar.set_postfix_str(escape_text(text))
        elif self._lines and time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINE_SECONDS
            _write(sys.stderr, f"{self._title}: {text}")


class Terminal:
    def __init__(self, output: Output) -> None:
        self._output = output
        #: First lines of the warnings that were printed already: each is printed once.
        self.printed_warnings: set[str] = set()

    def report(self, event: str, values: dict[str, Any], lines: Sequence[str]) -> None:
        """Prints a result: the lines for people, the event as a line of JSON with --json, or nothing with --quiet."""
        if self._output == "json":
            # `_write` may escape characters of the JSON, which occur only in strings, where an escape is equivalent.
            text = json.dumps({"event": event, **values}, ensure_ascii=False)
            _write(sys.stdout, text)
        elif self._output == "lines":
            for line in lines:
                _write(sys.stdout, line)

    def note(self, line: str) -> None:
        """Prints a hint for people on stderr, also with --json but not with --quiet."""
        if self._output != "quiet":
            _write(sys.stderr, line)

    def fail(self, error: CommandError) -> None:
        if self._output == "json":
            self.report("error", {"message": str(error), "exit_code": error.code}, [])
        _write(sys.stderr, f"soil-batch: {error}")

    def confirm(self, question: str) -> bool:
        if self._output != "lines" or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise CommandError(
                "confirmation needs a terminal and neither --json nor --quiet: add --yes to start without it",
                Exit.USAGE,
            )
        sys.stderr.write(f"{question} [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    @contextmanager
    def bar(self, title: str, bytes: int | None = None, received: int = 0) -> Iterator[Bar]:
        """Opens a progress bar in bytes, or from 0 to 1 if `bytes` is None.

        :param received: the number of bytes received earlier, which do not count towards the download rate
        """
        if self._output == "lines" and sys.stderr.isatty():
            fraction = {"total": 1, "bar_format": FRACTION_FORMAT}
            amount = {"total": bytes, "initial": received, "unit": "B", "unit_scale": True}
            with tqdm(desc=title, **(fraction if bytes is None else amount)) as shown:
                yield Bar(shown, title, False)
        else:
            yield Bar(None, title, self._output == "lines")


def _write(stream: Any, line: str) -> None:
    try:
        stream.write(f"{escape_text(line)}\n")
        # Programs that read a pipe follow the progress line by line.
        stream.flush()
    except BrokenPipeError:
        raise ReaderGone from None
