"""Sends requests with the API key, waits as the service asks, and turns failures into `SoilError`."""

from __future__ import annotations

import json
import logging
import re
import ssl
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from .config import Connection
from .decode import decode
from .errors import SoilError, Violation, not_the_service, problem_error
from .retries import Attempts, RetryPolicy, parse_http_date, parse_retry_after
from .streams import open_response

# Lambda returns at most 6 MB (AWS Lambda quotas), which may be compressed.
_MOST_BYTES = 64_000_000
# The service's problem responses are shorter.
_MOST_PROBLEM_BYTES = 1_000_000
_QUOTED_CHARACTERS = 120
# Shorter keys are not masked, because they may be words of a message.
_SHORTEST_SECRET = 16

Body = TypeVar("Body")


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Mapping[str, str | int | list[str]] | None = None
    headers: Mapping[str, str] | None = None
    #: JSON text.
    body: bytes | None = None
    #: Whether the request may be repeated if its response is lost; by default, only a GET may.
    repeatable: bool | None = None
    #: Whether a redirect is expected; it is then returned, not followed.
    redirects: bool = False

    @property
    def name(self) -> str:
        """The name of the request in errors, without the query, which may contain a cursor."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Response:
    status: int
    headers: httpx.Headers
    content: bytes


class _WithoutSignature(logging.Filter):
    """Removes signatures from httpx's log of URLs: the query of a signed URL is a secret for a day."""

    def filter(self, record: logging.LogRecord) -> bool:
        args = record.args if isinstance(record.args, tuple) else ()
        record.args = tuple(_without_signature(one) for one in args) or record.args
        return True


def _without_signature(value: object) -> object:
    signed = isinstance(value, httpx.URL) and b"X-Amz-Signature" in value.query
    return value.copy_with(query=None) if isinstance(value, httpx.URL) and signed else value


logging.getLogger("httpx").addFilter(_WithoutSignature())


class Transport:
    def __init__(
        self,
        connection: Connection,
        policy: RetryPolicy,
        timeout: float,
        on_wait: Callable[[float, SoilError], None] = lambda seconds, error: None,
    ) -> None:
        self.base_url = connection.base_url
        self.policy = policy
        self._key = connection.api_key
        self._timeout = timeout
        self._on_wait = on_wait
        self._was_reached = False
        # Redirects are not followed, because the key must be sent only to the base URL.
        self._http = _create_client(timeout)
        #: The client for results, which does not send the key.
        self.bucket = _create_client(timeout)
        #: Seconds by which the service's clock, by which idempotency keys expire, is ahead of this computer's.
        self._ahead = 0.0

    def close(self) -> None:
        self._http.close()
        self.bucket.close()

    def expect_service(self) -> None:
        """Notes that the service was reached before, so that an outage is tolerated from the first request on."""
        self._was_reached = True

    def now(self) -> float:
        """Returns the service's time, from the `Date` header of its last response; before a response, this computer's time."""
        return time.time() + self._ahead

    def get(self, cls: type[Body], path: str, **query: str | int | list[str] | None) -> Body:
        sent = {name: value for name, value in query.items() if value is not None}
        return self.read(cls, Request("GET", path, sent))

    def post(
        self,
        cls: type[Body],
        path: str,
        body: bytes | None,
        headers: Mapping[str, str] | None = None,
    ) -> Body:
        return self.read(cls, Request("POST", path, None, headers, body, repeatable=True))

    def read(self, cls: type[Body], request: Request) -> Body:
        return self.decode_body(cls, request, self.send(request))

    def decode_body(self, cls: type[Body], request: Request, response: Response) -> Body:
        value = parse_json(response.content)
        try:
            if not isinstance(value, dict):
                media_type = response.headers.get("Content-Type", "no media type")
                raise ValueError(f"HTTP {response.status}, {media_type}")
            return decode(cls, value)
        except ValueError as error:
            raise not_the_service(
                f"{request.name}: the response is not from a Soil Batch service: {error}.",
                status=response.status,
                request_id=response.headers.get("X-Request-Id"),
            ) from None

    def send(self, request: Request) -> Response:
        """Sends a request with retries. Returns a response with status 2xx or 304, or the expected redirect."""
        repeatable = request.method == "GET" if request.repeatable is None else request.repeatable
        attempts = Attempts(self.policy, repeatable)
        while True:
            try:
                response = self._attempt(request)
                self._was_reached = True
                return response
            except SoilError as error:
                seconds = attempts.wait_before_next(error, self._was_reached)
                if seconds is None:
                    raise
                self._on_wait(seconds, error)
            time.sleep(seconds)

    def _attempt(self, request: Request) -> Response:
        headers = {"Authorization": f"Bearer {self._key}", **(request.headers or {})}
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        deadline = time.monotonic() + self._timeout
        try:
            sent = self._http.build_request(
                request.method,
                self.base_url + request.path,
                params=dict(request.query or {}),
                headers=headers,
                content=request.body,
            )
            with open_response(self._http, sent, self._timeout) as response:
                self._note_time(response)
                if request.redirects and response.is_redirect:
                    return Response(response.status_code, response.headers, b"")
                if not response.is_success and response.status_code != 304:
                    raise self._error_of(request, response, deadline)
                content = _read_body(request, response, _MOST_BYTES, deadline)
                return Response(response.status_code, response.headers, content)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.CookieConflict) as error:
            reason = self._mask_key(str(error)) or type(error).__name__
            raise SoilError(f"{request.name}: no response: {reason}.", type="network") from None

    def _note_time(self, response: httpx.Response) -> None:
        date = parse_http_date(response.headers.get("Date", ""))
        if date is not None:
            self._ahead = date - time.time()

    def _error_of(self, request: Request, response: httpx.Response, deadline: float) -> SoilError:
        status, headers = response.status_code, response.headers
        if response.is_redirect:
            to = _origin_of(headers.get("Location", ""))
            return not_the_service(
                f"{request.name}: the base URL redirects to {to}. Use the service's own URL.",
                status=status,
            )
        try:
            content = _read_body(request, response, _MOST_PROBLEM_BYTES, deadline)
        except SoilError:
            content = b""
        text = self._mask_key(content.decode("utf-8", "replace"))
        wait = parse_retry_after(headers.get("Retry-After"))
        body = parse_json(text)
        if not isinstance(body, dict) or not isinstance(body.get("title"), str):
            return not_the_service(
                f"{request.name}: the response is not from a Soil Batch service:"
                f" HTTP {status}{_quote_start(text)}.",
                status=status,
                request_id=headers.get("X-Request-Id"),
                retry_after=wait,
            )
        page, detail = _text_or_none(body.get("type")), _text_or_none(body.get("detail"))
        errors = _parse_violations(body.get("errors"))
        lines = [body["title"] if detail is None else f"{body['title']}: {detail}"]
        lines += [f"{one.pointer}: {one.message}" for one in errors[:10]]
        return problem_error(
            _slug(page or ""),
            "\n".join(lines),
            status=status,
            errors=errors,
            request_id=_text_or_none(body.get("request_id")) or headers.get("X-Request-Id"),
            retry_after=wait,
            page=page,
        )

    def _mask_key(self, text: str) -> str:
        """Masks the API key, because error pages of proxies may show the request's headers."""
        return text if len(self._key) < _SHORTEST_SECRET else text.replace(self._key, "[key]")


_HEADERS = {"User-Agent": "soil-batch-python", "Accept-Encoding": "gzip"}


def _create_client(timeout: float) -> httpx.Client:
    return httpx.Client(
        verify=_ssl_context(), timeout=timeout, headers=_HEADERS, follow_redirects=False
    )


@cache
def _ssl_context() -> ssl.SSLContext:
    """Creates one context for all clients, because reading the certificate authorities is slow."""
    return httpx.create_ssl_context()


def batch_path(batch_id: str, *rest: str) -> str:
    """IDs are percent-encoded, so that they cannot lead to another path."""
    return "/".join(["/v1/batch", *(_segment(part) for part in (batch_id, *rest))])


def _segment(text: str) -> str:
    return "-" if text.strip(".") == "" else quote(text, safe="")


def parse_json(content: bytes | str) -> Any:
    """Parses JSON; None if the text is not valid JSON."""
    try:
        return json.loads(content, parse_constant=_reject_constant)
    # The text may nest beyond Python's stack, contain integers of more than 4,300 digits, or `NaN`, which is not JSON.
    except (ValueError, RecursionError):
        return None


def _reject_constant(name: str) -> None:
    raise ValueError(name)


def _read_body(request: Request, response: httpx.Response, most: int, deadline: float) -> bytes:
    """Reads the body within a size limit and a deadline: it could be endless, or arrive byte by byte.

    The body is decompressed here, because httpx would decompress it without a limit, and repeatedly if the response
    declares several encodings.
    """
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", ""):
        raise _foreign_error(
            request, response, f"it has the encoding {encoding[:_QUOTED_CHARACTERS]!r}"
        )
    # wbits=31 selects the gzip format (RFC 1952).
    unzip = zlib.decompressobj(wbits=31) if encoding == "gzip" else None
    content = bytearray()
    raw = 0
    for chunk in response.iter_raw():
        raw += len(chunk)
        try:
            content += chunk if unzip is None else unzip.decompress(chunk, most + 1 - len(content))
        except zlib.error:
            raise _foreign_error(request, response, "it is not valid gzip") from None
        if max(raw, len(content)) > most:
            raise _foreign_error(request, response, f"it has more than {most:,} bytes")
        if time.monotonic() > deadline:
            raise SoilError(f"{request.name}: the response took too long.", type="network")
    if unzip is not None and raw > 0 and not unzip.eof:
        raise SoilError(f"{request.name}: the response is incomplete.", type="network")
    return bytes(content)


def _foreign_error(request: Request, response: httpx.Response, why: str) -> SoilError:
    return not_the_service(
        f"{request.name}: the response is not from a Soil Batch service: {why}.",
        status=response.status_code,
    )


def _origin_of(location: str) -> str:
    url = urlsplit(location)
    return f"{url.scheme}://{url.netloc}" if url.netloc else "another path"


def _slug(page: str) -> str:
    """Returns the last part of the problem's URL; `not-the-service` for other URLs, such as `about:blank`."""
    found = re.search(r"/([a-z0-9-]+)$", page)
    return "not-the-service" if found is None else found[1]


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _parse_violations(errors: object) -> tuple[Violation, ...]:
    ones = errors if isinstance(errors, list) else []
    return tuple(
        Violation(one["pointer"], one["message"])
        for one in ones
        if isinstance(one, dict)
        and isinstance(one.get("pointer"), str)
        and isinstance(one.get("message"), str)
    )


def _quote_start(text: str) -> str:
    line = " ".join(re.sub(r"<[^>]*>", " ", text[:5000]).split())[:_QUOTED_CHARACTERS]
    return f' "{line}"' if line else ""
