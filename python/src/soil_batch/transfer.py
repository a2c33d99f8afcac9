"""Downloads one raster, over further connections if one breaks."""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import httpx

from .errors import SoilError, not_the_service
from .folder import open_regular_file, sync_folder
from .schemas.jobs import Job, JobResult
from .streams import open_response
from .transport import Request, Transport, batch_path

# The first bytes of a TIFF: classic or BigTIFF, in either byte order.
_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
# A connection that delivers fewer bytes in this time counts as dead.
_WINDOW_SECONDS, _WINDOW_BYTES = 60.0, 1024
_PART = re.compile(r"\.[A-Za-z0-9_-]*\.part\Z")


class Stopped(Exception):
    """Another file has failed, or the user has interrupted the download."""


class _Interrupted(Exception):
    """A failure after which another request may complete the download."""

    def __init__(self, reason: str, *, outage: bool = False) -> None:
        super().__init__(reason)
        #: Whether the network or the bucket is unreachable: such a failure may last.
        self.outage = outage


@dataclass(frozen=True)
class ResultFile:
    name: str
    batch_id: str
    job: Job
    result: JobResult

    @property
    def part_name(self) -> str:
        """The name of the file while it is incomplete."""
        return f"{self.name}.{re.sub(r'[^A-Za-z0-9_-]', '', self.result.etag)}.part"


def remove_other_parts(folder: Path, files: Sequence[ResultFile]) -> None:
    """Removes partial files with other content for these names, such as results from before a retry."""
    parts = {file.name: file.part_name for file in files}
    for path in folder.iterdir():
        name = _PART.sub("", path.name)
        if name != path.name and parts.get(name, path.name) != path.name:
            path.unlink(missing_ok=True)


class Transfer:
    """Writes `<name>.<etag>.part`, continues it after a crash, and renames it when it is complete."""

    def __init__(
        self,
        transport: Transport,
        folder: Path,
        file: ResultFile,
        stop: threading.Event,
        on_bytes: Callable[[int], None],
    ) -> None:
        """:param on_bytes: called with the number of bytes received, negative if bytes were discarded"""
        self._transport = transport
        self._folder = folder
        self._file = file
        self._stop = stop
        self._on_bytes = on_bytes
        self._url = file.job.signed_cog_url
        self._received = 0

    def run(self) -> str:
        """Downloads the file. Returns its SHA-256."""
        result, path = self._file.result, self._folder / self._file.name
        part = self._folder / self._file.part_name
        with open(part, "a+b", opener=_open_public_file) as target:
            self._received = os.fstat(target.fileno()).st_size
            if self._received > result.bytes or _is_older_than_boot(target):
                self._restart(target)
            self._fetch(target)
            target.flush()
            os.fsync(target.fileno())
            sha256 = self._check_content(target)
        os.replace(part, path)
        sync_folder(self._folder)
        return sha256

    def _check_content(self, target: BinaryIO) -> str:
        """Checks the file before it gets a name that programs open: a VRT could lead them to other files and servers."""
        target.seek(0)
        if target.read(4) not in _TIFF:
            target.truncate(0)
            raise self._error("it is not a TIFF")
        target.seek(0)
        digest = hashlib.sha256()
        while block := target.read(1 << 20):
            digest.update(block)
        return digest.hexdigest()

    def _fetch(self, target: BinaryIO) -> None:
        policy, wanted = self._transport.policy, self._file.result.bytes
        failures, furthest = 0, self._received
        progress = time.monotonic()
        while self._received < wanted:
            try:
                self._connect(target)
            except _Interrupted as error:
                if self._received > furthest:
                    failures, progress = 0, time.monotonic()
                failures += 1
                furthest = max(furthest, self._received)
                lasting = error.outage and time.monotonic() - progress < policy.outage
                if failures >= policy.attempts and not lasting:
                    raise self._error(str(error)) from None
                # The connection may break because a proxy rejects the URL, so another URL is requested.
                if failures > 1:
                    self._url = None
                if self._stop.wait(policy.back_off(failures)):
                    raise Stopped from None

    def _connect(self, target: BinaryIO) -> None:
        """Requests the missing bytes from the bucket, without the API key."""
        start = self._received
        headers = {"Accept-Encoding": "identity"}
        if start > 0:
            headers["Range"] = f"bytes={start}-"
        try:
            url = self._current_url()
            bucket = self._transport.bucket
            sent = bucket.build_request("GET", url, headers=headers)
            with open_response(bucket, sent, _WINDOW_SECONDS) as response:
                self._accept(response, start, target)
                self._receive(response, target)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.CookieConflict) as error:
            raise _Interrupted(type(error).__name__, outage=True) from None
        if self._received < self._file.result.bytes:
            raise _Interrupted(
                f"the connection ended after {self._received} of {self._file.result.bytes} bytes"
            )

    def _current_url(self) -> str:
        if self._url is None:
            self._url = request_signed_url(
                self._transport, self._file.batch_id, self._file.job.job_id
            )
        return self._url

    def _accept(self, response: httpx.Response, requested: int, target: BinaryIO) -> None:
        """Requires a response with the bytes from `requested` onwards, or with the whole file."""
        status, headers = response.status_code, response.headers
        if status in (401, 403):
            self._url = None
            raise _Interrupted("the signed URL is not valid")
        if status in (408, 429) or status >= 500:
            raise _Interrupted(f"HTTP {status}", outage=True)
        if status not in (200, 206, 416):
            raise self._error(f"HTTP {status}")
        etag = headers.get("ETag")
        if status != 416 and etag is None:
            # The sign-in page of a public network also has status 200, but no ETag.
            raise _Interrupted("the response has no ETag")
        if "Content-Encoding" in headers:
            raise _Interrupted("a proxy has encoded the response")
        range_start = re.match(r"bytes (\d{1,15})-", headers.get("Content-Range", ""))
        other_range = status == 206 and (range_start is None or int(range_start[1]) != requested)
        if (
            status == 416
            or _strong_etag(etag or "") != _strong_etag(self._file.result.etag)
            or other_range
        ):
            reason = "the response has other content or another range than requested"
            if requested == 0:
                raise self._error(reason)
            self._restart(target)
            raise _Interrupted(reason)
        if status == 200 and requested > 0:
            self._restart(target)

    def _receive(self, response: httpx.Response, target: BinaryIO) -> None:
        wanted = self._file.result.bytes
        window_end, window_start = time.monotonic() + _WINDOW_SECONDS, self._received
        # No chunk size is given: with one, httpx would buffer bytes, and lose them if the connection breaks.
        for chunk in response.iter_raw():
            if self._stop.is_set():
                raise Stopped
            if self._received + len(chunk) > wanted:
                raise self._error(
                    f"it is larger than the {wanted:,} bytes that the status declares"
                )
            target.write(chunk)
            self._set_received(self._received + len(chunk))
            if time.monotonic() > window_end:
                if self._received - window_start < _WINDOW_BYTES:
                    raise _Interrupted("the bucket is too slow")
                window_end = time.monotonic() + _WINDOW_SECONDS
                window_start = self._received

    def _restart(self, target: BinaryIO) -> None:
        target.truncate(0)
        self._set_received(0)

    def _set_received(self, received: int) -> None:
        self._on_bytes(received - self._received)
        self._received = received

    def _error(self, reason: str) -> SoilError:
        """Creates an error without the signed URL, which is a secret."""
        name, job_id = self._file.name, self._file.job.job_id
        return SoilError(f"{name} (job {job_id}) cannot be downloaded: {reason}.", type="download")


def _open_public_file(path: str, flags: int) -> int:
    """Opens a file with the user's default permissions, so that others may read the maps."""
    return open_regular_file(path, flags, 0o666)


def request_signed_url(transport: Transport, batch_id: str, job_id: str) -> str:
    path = batch_path(batch_id, "jobs", job_id, "result")
    url = transport.send(Request("GET", path, redirects=True)).headers.get("Location", "")
    if not re.match(r"https?://", url):
        raise not_the_service(f"The response for job {job_id} has no result URL.")
    return str(url)


def _strong_etag(etag: str) -> str:
    """Removes the prefix of a weak ETag, which a proxy may add."""
    return etag.removeprefix("W/")


def _is_older_than_boot(file: BinaryIO) -> bool:
    """Whether the file is older than the last boot: after a system crash, its bytes may never have reached the disk."""
    try:
        with open("/proc/uptime", encoding="ascii") as uptime:
            seconds = float(uptime.read().split()[0])
    except (OSError, ValueError):
        return False
    return os.fstat(file.fileno()).st_mtime < time.time() - seconds
