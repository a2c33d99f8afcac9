"""The rasters of a run: several at a time, each once."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path

from .bars import tqdm
from .folder import Folder
from .transfer import ResultFile, Stopped, Transfer
from .transport import Transport

_LOG = "downloads"


class Downloads:
    """Which files of the folder are whole: the ETag of each, as a line of JSON; the last one counts."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._etags: dict[str, str] = {}
        for line in (folder.read(_LOG) or "").splitlines():
            try:
                name, etag = json.loads(line)
            # A crash may have left half a line: its file is downloaded again.
            except (ValueError, TypeError):
                continue
            self._etags[str(name)] = str(etag)

    def holds(self, file: ResultFile) -> bool:
        path = self._folder.path / file.name
        whole = self._etags.get(file.name) == file.result.etag
        return whole and path.is_file() and path.stat().st_size == file.result.bytes

    def record(self, file: ResultFile) -> None:
        with self._lock:
            self._etags[file.name] = file.result.etag
            self._folder.append(_LOG, json.dumps([file.name, file.result.etag]))


def download_files(
    transport: Transport,
    folder: Folder,
    files: Sequence[ResultFile],
    workers: int,
    progress: bool,
) -> list[Path]:
    """The first failure stops the other files, too; what they have received is kept."""
    with folder.lock():
        downloads = Downloads(folder)
        missing = [file for file in files if not downloads.holds(file)]
        total = sum(file.result.bytes for file in missing)
        stop = threading.Event()
        with tqdm(
            total=total,
            desc="Downloading",
            unit="B",
            unit_scale=True,
            disable=not progress or total == 0,
        ) as bar:

            def fetch(file: ResultFile) -> None:
                if stop.is_set():
                    return
                Transfer(transport, folder.path, file, stop, bar.update).run()
                downloads.record(file)

            with ThreadPoolExecutor(workers) as pool:
                futures = [pool.submit(fetch, file) for file in missing]
                try:
                    wait(futures, return_when=FIRST_EXCEPTION)
                finally:
                    # Also when the user interrupts: each thread ends at its next bytes.
                    if not all(future.done() for future in futures):
                        stop.set()
            errors = [future.exception() for future in futures]
        for error in errors:
            if error is not None and not isinstance(error, Stopped):
                raise error
    return [folder.path / file.name for file in files]
