"""The folder of a run: rasters and tables, and in `.soil-batch` the state from which the run can be continued."""

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
#: The largest file that is read into memory.
_MOST_BYTES = 256 * 1024**2
# At most this many other files are named in an error.
_NAMED = 3

Kind = TypeVar("Kind")


def folder_error(message: str) -> SoilError:
    return SoilError(message, type="folder")


def open_regular_file(path: str, flags: int, mode: int = 0o600) -> int:
    """Opens a regular file of the folder; an `opener` for `open`.

    In a folder that somebody else made, a link may lead to any file, and opening a pipe may wait forever for its other end.
    """
    try:
        descriptor = os.open(path, flags | _ONLY_FILES, mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise folder_error(f"{path} is a link: choose another folder") from None
        # The path is a pipe without a reader.
        if error.errno == errno.ENXIO:
            raise _not_a_file_error(path) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_a_file_error(path)
    return descriptor


def _not_a_file_error(path: str) -> SoilError:
    return folder_error(f"{path} is not a regular file: choose another folder")


def _read_content(path: Path) -> bytes:
    with open(path, "rb", opener=open_regular_file) as file:
        _require_small(path, os.fstat(file.fileno()).st_size)
        return file.read()


def _require_small(path: Path, size: int) -> None:
    if size > _MOST_BYTES:
        raise folder_error(f"{path} has {size:,} bytes; at most {_MOST_BYTES:,} can be read")


@dataclass(frozen=True)
class FileRecord:
    sha256: str
    #: The ETag of a raster, or a digest of the data from which another file was made; None if no such digest is needed.
    source: str | None


class Folder:
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._state = self.path / STATE_FOLDER

    def read_run(self) -> RunState | None:
        """Reads the folder's run; None if the folder is empty or does not exist."""
        if self.path.exists() and not self.path.is_dir():
            raise folder_error(f"{self.path} is a file, not a folder: choose a folder")
        # If the state folder were a link, the state would be written elsewhere.
        if self._state.is_symlink():
            raise folder_error(f"{self._state} is a link: choose another folder")
        text = self.read_state_file("run.json")
        if text is not None:
            return self.decode_object(RunState, text, "run.json")
        if self.path.is_dir():
            others = sorted(one.name for one in self.path.iterdir() if one.name != STATE_FOLDER)
            if others:
                listed = ", ".join([*others[:_NAMED], *(["…"] if len(others) > _NAMED else [])])
                raise folder_error(
                    f"{self.path} does not contain a run, but other files ({listed}): choose another folder"
                )
        return None

    def require_run(self) -> RunState:
        state = self.read_run()
        if state is None:
            raise folder_error(f"{self.path} does not contain a run")
        return state

    def write_run(self, state: RunState) -> None:
        self.write_object("run.json", state)

    def write_object(self, name: str, value: Any) -> None:
        text = json.dumps({"format": FORMAT, **asdict(value)}, separators=(",", ":"))
        self.write_state_file(name, text.encode())
        if not isinstance(value, RunState):
            self.record(f"{STATE_FOLDER}/{name}", hashlib.sha256(text.encode()).hexdigest())

    def decode_object(self, cls: type[Kind], text: str, name: str) -> Kind:
        """Decodes what `write_object` wrote under this name."""
        try:
            value = json.loads(text)
            if not isinstance(value, dict) or value.get("format") != FORMAT:
                raise ValueError(f"it does not have format {FORMAT}")
            return decode(cls, value)
        except (ValueError, RecursionError) as error:
            raise folder_error(
                f"{self._state / name} is damaged or from another version of soil-batch ({error}):"
                " choose another folder"
            ) from None

    def read_state_file(self, name: str) -> str | None:
        """Reads a file of the state; None if it does not exist."""
        try:
            # If the file is not text, its reader reports the damage.
            return _read_content(self._state / name).decode("utf-8", "replace")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write_state_file(self, name: str, content: bytes) -> None:
        """Writes a file of the state, and returns when it is on disk. A crash leaves either the old or the new content."""
        _require_small(self._state / name, len(content))
        self._state.mkdir(parents=True, exist_ok=True)
        _replace(self._state / name, content, 0o600, durable=True)

    def remove_state_file(self, name: str) -> None:
        (self._state / name).unlink(missing_ok=True)

    def write_result(self, name: str, content: bytes, source: str | None = None) -> None:
        """Writes a file next to the rasters and records its digest.

        Does not wait for the disk, which would be slow for many styles. If a power failure loses the content, the digest no
        longer matches, and the next download writes tables and styles again.
        """
        _replace(self.path / name, content, 0o666)
        self.record(name, hashlib.sha256(content).hexdigest(), source)

    def record(self, name: str, sha256: str, source: str | None = None) -> None:
        path = self._state / _FILES
        with open(path, "a", encoding="utf-8", opener=open_regular_file) as file:
            # A crash may have left half a line before this one.
            file.write(f"\n{json.dumps([name, sha256, source])}")

    def read_records(self) -> Mapping[str, FileRecord]:
        """Reads the records by file name; the last line about a file counts."""
        found: dict[str, FileRecord] = {}
        for line in (self.read_state_file(_FILES) or "").splitlines():
            try:
                name, sha256, source = json.loads(line)
            # A crash may have left half a line, which does not count.
            except (ValueError, TypeError):
                continue
            found[str(name)] = FileRecord(str(sha256), None if source is None else str(source))
        return found

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Locks the run against changes by other processes. The system releases the lock if the process dies."""
        self._state.mkdir(parents=True, exist_ok=True)
        with open(self._state / "lock", "ab", opener=open_regular_file) as file:
            if not _try_lock(file.fileno()):
                raise folder_error(f"another process is working in {self.path}: wait until it ends")
            yield


def read_if_unchanged(path: Path, sha256: str) -> str | None:
    """Reads a file; None unless it has this digest."""
    try:
        content = _read_content(path)
    except (OSError, SoilError):
        return None
    same = hashlib.sha256(content).hexdigest() == sha256
    return content.decode("utf-8", "replace") if same else None


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb", opener=open_regular_file) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


@contextmanager
def create_draft(folder: Path, mode: int) -> Iterator[tuple[Path, BinaryIO]]:
    """Creates a file with an unpredictable name, and removes the file unless it is renamed."""
    path = folder / f".{secrets.token_hex(8)}.part"
    descriptor = open_regular_file(str(path), os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield path, file
    finally:
        path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Writes a rename to disk. Not on Windows, which cannot open a folder as a file."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _replace(path: Path, content: bytes, mode: int, *, durable: bool = False) -> None:
    with create_draft(path.parent, mode) as (new, file):
        file.write(content)
        if durable:
            file.flush()
            os.fsync(file.fileno())
        # Windows cannot rename an open file.
        file.close()
        os.replace(new, path)
    if durable:
        sync_folder(path.parent)


_BINARY = getattr(os, "O_BINARY", 0)
# Windows lacks these flags; there, only administrators can create links by default.
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
