"""Limits the time until the headers of a response arrive."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager

import httpx


@contextmanager
def open_response(
    client: httpx.Client, request: httpx.Request, seconds: float
) -> Iterator[httpx.Response]:
    """Sends a request and yields the response before its body is read.

    httpx has no limit for the whole time of a response, so a server that sends headers byte by byte could block the
    program forever. Therefore a thread waits for the headers, and is abandoned after the timeout.
    """
    future: Future[httpx.Response] = Future()

    def send() -> None:
        try:
            future.set_result(client.send(request, stream=True))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=send, daemon=True).start()
    try:
        response = future.result(seconds)
    except FutureTimeout:
        future.add_done_callback(_close_late_response)
        raise httpx.ReadTimeout(f"no response within {seconds:g} s", request=request) from None
    try:
        yield response
    finally:
        response.close()


def _close_late_response(late: Future[httpx.Response]) -> None:
    if late.exception() is None:
        late.result().close()
