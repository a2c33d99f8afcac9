"""Lists the files of a run's folder once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .folder import FileRecord, Folder, read_if_unchanged, sha256_of
from .schemas.jobs import Job


class FilesHere:
    """The files in the folder, and the records made when files were written."""

    def __init__(self, folder: Folder) -> None:
        self._path = folder.path
        self._recorded = folder.read_records()
        self._sizes = dict(_list_sizes(folder.path))

    def has_result(self, job: Job, file: str) -> bool:
        """Whether the raster is there, with the ETag and size of the job's result; true for a job without a result."""
        if job.result is None:
            return True
        recorded = self._recorded.get(file)
        is_whole = recorded is not None and recorded.source == job.result.etag
        return is_whole and self.size_of(file) == job.result.bytes

    def size_of(self, file: str) -> int:
        """Returns the size of a file; 0 if it does not exist."""
        return self._sizes.get(file, 0)

    def record_of(self, file: str) -> FileRecord | None:
        return self._recorded.get(file)

    def read_unchanged(self, file: str) -> str | None:
        """Reads a text file of the folder or its state; None unless the file is exactly as this package wrote it."""
        recorded = self._recorded.get(file)
        return None if recorded is None else read_if_unchanged(self._path / file, recorded.sha256)

    def is_current(self, file: str, source: str) -> bool:
        """Whether a file is unchanged and was made from this source."""
        recorded = self._recorded.get(file)
        if recorded is None or recorded.source != source or file not in self._sizes:
            return False
        return sha256_of(self._path / file) == recorded.sha256


def _list_sizes(folder: Path) -> Iterator[tuple[str, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                # Links count as missing, because they may lead out of the folder.
                if entry.is_file(follow_symlinks=False):
                    yield entry.name, entry.stat(follow_symlinks=False).st_size
            except FileNotFoundError:
                # Another process has renamed or removed the file since it was listed.
                continue
