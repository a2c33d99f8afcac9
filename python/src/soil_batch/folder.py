"""The folder of a run: its rasters and tables, and in `.soil-batch` what it needs to continue."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from .decode import decode
from .errors import SoilError
from .run_state import FORMAT, RunState

STATE_FOLDER = ".soil-batch"
_FILES = "files"
#: The size of a file that is read into memory.
_MOST_BYTES = 256 * 1024**2

Kind = TypeVar("Kind")


def folder_error(message: str) -> SoilError:
    return SoilError(message, type="folder")


def own_file(path: str, flags: int, mode: int = 0o600) -> int:
    """Opens a file of the folder for `open`.

    In a folder of somebody else a link may lead to any file, and a pipe may never have another end.
    """
    try:
        descriptor = os.open(path, flags | _ONLY_FILES, mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise folder_error(f"{path} is a link: choose another folder") from None
        # The path is a pipe without a reader.
        if error.errno == errno.ENXIO:
            raise _no_file(path) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _no_file(path)
    return descriptor


def _no_file(path: str) -> SoilError:
    return folder_error(f"{path} is not a regular file: choose another folder")


def _content(path: Path) -> bytes:
    with open(path, "rb", opener=own_file) as file:
        _require_small(path, os.fstat(file.fileno()).st_size)
        return file.read()


def _require_small(path: Path, size: int) -> None:
    if size > _MOST_BYTES:
        raise folder_error(f"{path} has {size} bytes; at most {_MOST_BYTES} can be read")


@dataclass(frozen=True)
class Recorded:
    """What a file of the folder was when it was written."""

    sha256: str
    #: What it was made from: a raster's ETag, or a digest of the rows in a table.
    source: str | None


class Folder:
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._state = self.path / STATE_FOLDER

    def read_run(self) -> RunState | None:
        """None if the folder is free for a run."""
        if self.path.exists() and not self.path.is_dir():
            raise folder_error(f"{self.path} is a file: choose a folder")
        # A link would lead every write out of the folder.
        if self._state.is_symlink():
            raise folder_error(f"{self._state} is a link: choose another folder")
        text = self.read_state_file("run.json")
        if text is not None:
            return self.decode_object(RunState, text, "run.json")
        if self.path.is_dir():
            others = sorted(one.name for one in self.path.iterdir() if one.name != STATE_FOLDER)
            if others:
                raise folder_error(
                    f"{self.path} is not empty and holds no run ({', '.join(others[:3])} …):"
                    " choose another folder"
                )
        return None

    def require_run(self) -> RunState:
        state = self.read_run()
        if state is None:
            raise folder_error(f"{self.path} holds no run")
        return state

    def write_run(self, state: RunState) -> None:
        self.write_object("run.json", state)

    def write_object(self, name: str, value: Any) -> None:
        text = json.dumps({"format": FORMAT, **asdict(value)}, separators=(",", ":"))
        self.write_state_file(name, text.encode())
        if not isinstance(value, RunState):
            self.record(f"{STATE_FOLDER}/{name}", hashlib.sha256(text.encode()).hexdigest())

    def decode_object(self, cls: type[Kind], text: str, name: str) -> Kind:
        """What `write_object` wrote under this name."""
        try:
            value = json.loads(text)
            if not isinstance(value, dict) or value.get("format") != FORMAT:
                raise ValueError(f"it is not of format {FORMAT}")
            return decode(cls, value)
        except (ValueError, RecursionError) as error:
            raise folder_error(
                f"{self._state / name} is damaged, or of another version ({error}):"
                " choose another folder"
            ) from None

    def read_state_file(self, name: str) -> str | None:
        """A file of the state."""
        try:
            # A file that is not text is damaged, and its reader says so.
            return _content(self._state / name).decode("utf-8", "replace")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write_state_file(self, name: str, content: bytes) -> None:
        """A file of the state: on disk when this returns; a crash leaves the old content or the new one."""
        _require_small(self._state / name, len(content))
        self._state.mkdir(parents=True, exist_ok=True)
        _replace(self._state / name, content, 0o600, durable=True)

    def remove_state_file(self, name: str) -> None:
        (self._state / name).unlink(missing_ok=True)

    def write_result(self, name: str, content: bytes, source: str | None = None) -> None:
        """Writes a file next to the rasters, and records its digest.

        A power failure may lose its content. The digest then no longer fits, so that the next command writes it again,
        which is cheaper than waiting for the disk once for each of a thousand styles.
        """
        _replace(self.path / name, content, 0o666)
        self.record(name, hashlib.sha256(content).hexdigest(), source)

    def record(self, name: str, sha256: str, source: str | None = None) -> None:
        path = self._state / _FILES
        with open(path, "a", encoding="utf-8", opener=own_file) as file:
            # A crash may have left half a line.
            file.write(f"\n{json.dumps([name, sha256, source])}")

    def read_records(self) -> Mapping[str, Recorded]:
        """By the name of the file, within the folder: the last line counts."""
        found: dict[str, Recorded] = {}
        for line in (self.read_state_file(_FILES) or "").splitlines():
            try:
                name, sha256, source = json.loads(line)
            # A crash may have left half a line: its file counts as missing.
            except (ValueError, TypeError):
                continue
            found[str(name)] = Recorded(str(sha256), None if source is None else str(source))
        return found

    @contextmanager
    def lock(self) -> Iterator[None]:
        """No other process changes the run meanwhile. The system releases it when a process dies."""
        self._state.mkdir(parents=True, exist_ok=True)
        with open(self._state / "lock", "ab", opener=own_file) as file:
            if not _try_lock(file.fileno()):
                raise folder_error(f"another process works in {self.path}: wait for it")
            yield


def read_if_unchanged(path: Path, sha256: str) -> str | None:
    """None unless the file can be read and has this digest."""
    try:
        content = _content(path)
    except (OSError, SoilError):
        return None
    same = hashlib.sha256(content).hexdigest() == sha256
    return content.decode("utf-8", "replace") if same else None


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb", opener=own_file) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


@contextmanager
def draft(folder: Path, mode: int) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file under a name that nobody can foresee; removed unless it is renamed."""
    path = folder / f".{secrets.token_hex(8)}.part"
    descriptor = own_file(str(path), os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield path, file
    finally:
        path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """After a rename. Windows has no such call: it writes names with the file."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _replace(path: Path, content: bytes, mode: int, *, durable: bool = False) -> None:
    with draft(path.parent, mode) as (new, file):
        file.write(content)
        if durable:
            file.flush()
            os.fsync(file.fileno())
        # Windows does not rename an open file.
        file.close()
        os.replace(new, path)
    if durable:
        sync_folder(path.parent)


_BINARY = getattr(os, "O_BINARY", 0)
# Windows has no such flags; a link needs an administrator there.
_ONLY_FILES = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
