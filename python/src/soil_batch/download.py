from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from .folder import Folder
from .transfer import ResultFile, Stopped, Transfer, remove_other_parts
from .transport import Transport

# Progress is reported at least once in this many seconds, even if no bytes arrive.
_TICK_SECONDS = 30.0


def download_files(
    transport: Transport,
    folder: Folder,
    files: Sequence[ResultFile],
    workers: int,
    on_bytes: Callable[[int], None],
    on_file: Callable[[ResultFile], None] = lambda file: None,
) -> None:
    """Downloads files. The first failure stops all downloads; the bytes received so far are kept.

    :param on_bytes: called with the number of new bytes, and regularly with 0
    """
    with folder.lock():
        remove_other_parts(folder.path, files)
        stop, lock = threading.Event(), threading.Lock()

        def fetch(file: ResultFile) -> None:
            if stop.is_set():
                return
            sha256 = Transfer(transport, folder.path, file, stop, report_bytes).run()
            with lock:
                folder.record(file.name, sha256, file.result.etag)
                on_file(file)

        def report_bytes(count: int) -> None:
            with lock:
                on_bytes(count)

        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(fetch, file) for file in files]
            try:
                while True:
                    done, pending = wait(futures, _TICK_SECONDS, FIRST_EXCEPTION)
                    if not pending or any(one.exception() is not None for one in done):
                        break
                    report_bytes(0)
            finally:
                # After a failure or an interruption by the user, transfers stop when they next receive bytes or wait.
                if not all(future.done() for future in futures):
                    stop.set()
        errors = [future.exception() for future in futures]
    for error in errors:
        if error is not None and not isinstance(error, Stopped):
            raise error
