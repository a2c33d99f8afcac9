"""The folder of a run: its rasters, and what it needs to continue in `.soil-batch-python`."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from .decode import decode
from .errors import SoilError
from .run_state import RunState

# Of this package alone: the CLI's has another format, in which it would continue the run.
_STATE = ".soil-batch-python"
_STATE_OF_CLI = ".soil-batch"
_FORMAT = 1

Kind = TypeVar("Kind")


def folder_error(message: str) -> SoilError:
    return SoilError(message, type="folder")


def own_file(path: str, flags: int, mode: int = 0o600) -> int:
    """Opens a file of the folder for `open`: a link in a folder of somebody else may lead to any file."""
    try:
        # Windows has no such flag; a link needs an administrator there.
        return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise folder_error(f"{path} is a link: choose another folder") from None
        raise


class Folder:
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._state = self.path / _STATE

    def read_run(self) -> RunState | None:
        """None if the folder is free for a run."""
        self._require_ours()
        text = self.read("run.json")
        if text is not None:
            return self._decoded(RunState, text, "run.json")
        if self.path.is_dir():
            others = sorted(one.name for one in self.path.iterdir() if one.name != _STATE)
            if others:
                raise folder_error(
                    f"{self.path} is not empty and holds no run ({', '.join(others[:3])} …):"
                    " choose another folder"
                )
        return None

    def _require_ours(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise folder_error(f"{self.path} is a file: choose a folder")
        if (self.path / _STATE_OF_CLI).exists():
            raise folder_error(
                f"{self.path} holds a run of the command soil-batch: continue it with"
                f" `soil-batch run`, or choose another folder"
            )

    def write_run(self, state: RunState) -> None:
        self.write_object("run.json", state)

    def read_object(self, cls: type[Kind], name: str) -> Kind | None:
        text = self.read(name)
        return None if text is None else self._decoded(cls, text, name)

    def write_object(self, name: str, value: Any) -> None:
        self.write(name, json.dumps(asdict(value), indent=1).encode())

    def _decoded(self, cls: type[Kind], text: str, name: str) -> Kind:
        try:
            value = json.loads(text)
            if isinstance(value, dict) and value.get("format", _FORMAT) != _FORMAT:
                raise ValueError(f"format {value['format']}")
            return decode(cls, value)
        # Nesting beyond Python's stack.
        except (ValueError, RecursionError) as error:
            raise folder_error(
                f"{self._state / name} is damaged, or of another version ({error}):"
                " choose another folder"
            ) from None

    def read(self, name: str) -> str | None:
        try:
            # What is no text is damaged, and its reader says so.
            return (self._state / name).read_text("utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, name: str, content: bytes) -> None:
        """On disk when this returns; a crash leaves the old content or the new one."""
        self._state.mkdir(parents=True, exist_ok=True)
        draft = self._state / f"{name}.{os.getpid()}.new"
        with open(draft, "wb", opener=own_file) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, self._state / name)
        _sync_folder(self._state)

    def append(self, name: str, line: str) -> None:
        with open(self._state / name, "a", encoding="utf-8", opener=own_file) as file:
            # A crash may have left half a line.
            file.write(f"\n{line}")

    def remove(self, name: str) -> None:
        (self._state / name).unlink(missing_ok=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """No other process changes the run meanwhile. The system releases it when a process dies."""
        self._state.mkdir(parents=True, exist_ok=True)
        with open(self._state / "lock", "ab", opener=own_file) as file:
            if not _try_lock(file.fileno()):
                raise folder_error(f"another process works in {self.path}: wait for it")
            yield


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _sync_folder(folder: Path) -> None:
        """Windows has no such call: it writes names with the file."""

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _sync_folder(folder: Path) -> None:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
