from __future__ import annotations

import socket
import threading
import time

import pytest

import soil_batch as sb

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.fixture
def slow_server():
    """A server that sends the start of a response immediately, then a byte every 50 ms."""
    servers = []

    def start(beginning: bytes, byte: bytes) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        servers.append(listener)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(beginning)
                try:
                    while True:
                        connection.sendall(byte)
                        time.sleep(0.05)
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for listener in servers:
        listener.close()


@pytest.mark.parametrize(
    ("beginning", "byte"),
    [
        pytest.param(HEAD + b"X-Endless: ", b"a", id="an endless header"),
        pytest.param(HEAD + b"Content-Length: 1000000\r\n\r\n", b" ", id="a slow body"),
    ],
)
def test_an_endless_response_times_out(slow_server, beginning: bytes, byte: bytes):
    url = slow_server(beginning, byte)
    once = sb.RetryPolicy(attempts=1)
    started = time.monotonic()
    client = sb.Client(url, "a-key-of-a-test", timeout=0.5, retries=once)
    with client, pytest.raises(sb.SoilError) as raised:
        client.usage()
    assert raised.value.type == "network"
    assert time.monotonic() - started < 5
