"""A proxy that injects planned faults between the client and the service."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx


@dataclass(frozen=True)
class Fault:
    """A fault of one request or its response.

    - `reset`: the connection breaks before the service gets the request.
    - `lost`: the connection breaks after the service has handled the request.
    - `half`: the connection breaks within the body.
    - `short`: the body ends early without an error.
    - `response`: the fault replaces the response.
    """

    kind: str = "response"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


RESET, LOST = Fault("reset"), Fault("lost")
HALF, SHORT = Fault("half"), Fault("short")
EXPIRED = Fault(status=403, body=b"<Error><Message>Request has expired</Message></Error>")
HTML_503 = Fault(status=503, headers={"Content-Type": "text/html"}, body=b"<html>503</html>")
SIGN_IN = Fault(headers={"Content-Type": "text/html"}, body=b"<html>Sign in</html>")
SLOW_DOWN = Fault(status=503, body=b"<Error/>")


def problem(status: int, slug: str, retry_after: int = 0, **members: object) -> Fault:
    page = f"https://v2.soil.example/docs/problems/{slug}"
    body = {"type": page, "title": slug, "status": status, "request_id": "r-1", **members}
    headers = {"Content-Type": "application/problem+json", "Retry-After": str(retry_after)}
    return Fault(status=status, headers=headers, body=json.dumps(body).encode())


@dataclass
class Plan:
    #: A pattern for the method and path, such as `POST /v1/batch$`.
    request: str
    fault: Fault
    times: int = 1
    #: The number of matching requests that pass before the fault.
    after: int = 0


@dataclass(frozen=True)
class SeenRequest:
    request: str
    headers: Mapping[str, str]
    #: The number of the link, if a result is requested: each response of the API contains new links.
    link: int | None
    body: bytes


class FaultProxy:
    """Injects faults. Results are served from `localhost`, so that their origin differs from the API's, as on AWS."""

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self._plans: list[Plan] = []
        self._seen: list[SeenRequest] = []
        self._links = 0
        self._lock = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                proxy._handle(self)

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """Ignores errors: the client may end its connection."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()

    def plan(self, *plans: Plan) -> None:
        with self._lock:
            self._plans, self._seen = list(plans), []

    def unmet(self) -> list[Plan]:
        return [plan for plan in self._plans if plan.times > 0]

    def seen(self, pattern: str) -> list[SeenRequest]:
        return [one for one in self._seen if re.search(pattern, one.request)]

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        link = re.match(r"/link-(\d+)", handler.path)
        path = handler.path if link is None else handler.path[link.end() :]
        request = f"{handler.command} {path}"
        with self._lock:
            number = None if link is None else int(link[1])
            self._seen.append(SeenRequest(request, dict(handler.headers.items()), number, body))
            fault = self._fault_for(request)
        if fault is not None and fault.kind == "reset":
            return _reset(handler)
        if fault is not None and fault.kind == "response":
            return _send(handler, fault.status, fault.headers, fault.body, len(fault.body))
        found = self._forward(handler, path, body)
        if fault is not None and fault.kind == "lost":
            return _reset(handler)
        headers, content = self._with_links(found)
        if fault is None:
            return _send(handler, found.status_code, headers, content, len(content))
        half = content[: len(content) // 2]
        if fault.kind == "short":
            # Without a length, the end of the connection ends the body.
            handler.close_connection = True
            return _send(handler, found.status_code, headers, half, None)
        _send(handler, found.status_code, headers, half, len(content))
        # A reset discards bytes that the client has not read yet.
        time.sleep(0.05)
        _reset(handler)

    def _fault_for(self, request: str) -> Fault | None:
        for plan in self._plans:
            if plan.times > 0 and re.search(plan.request, request):
                if plan.after > 0:
                    plan.after -= 1
                    return None
                plan.times -= 1
                return plan.fault
        return None

    def _forward(self, handler: BaseHTTPRequestHandler, path: str, body: bytes) -> httpx.Response:
        dropped = ("host", "connection", "content-length", "accept-encoding")
        headers = {
            name: value for name, value in handler.headers.items() if name.lower() not in dropped
        }
        return httpx.request(
            handler.command, self.upstream + path, headers=headers, content=body, timeout=60
        )

    def _with_links(self, found: httpx.Response) -> tuple[dict[str, str], bytes]:
        with self._lock:
            self._links += 1
            link = f"http://localhost:{self.port}/link-{self._links}/results/"
        results = f"{self.upstream}/results/"
        dropped = ("content-length", "content-encoding", "transfer-encoding", "connection")
        headers = {
            name: value.replace(results, link)
            for name, value in found.headers.items()
            if name.lower() not in dropped
        }
        content = found.content
        if "json" in headers.get("content-type", ""):
            content = content.replace(results.encode(), link.encode())
        return headers, content


def _send(
    handler: BaseHTTPRequestHandler,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    length: int | None,
) -> None:
    handler.send_response_only(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    if length is not None:
        handler.send_header("Content-Length", str(length))
    handler.end_headers()
    handler.wfile.write(body)
    handler.wfile.flush()


def _reset(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    # Closed here, before the server closes it properly.
    handler.connection.close()
