"""The metrics port: what the doors count is there, and clients that never finish do not take it down."""

import socket
import threading
import time
import urllib.request

import pytest
from waiting import until

from twinspark.doors.connect.server import ConnectServer
from twinspark.ui import http
from twinspark.ui.http import THREADS, BoundedServer


def fetched(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as response:
        return str(response.read(), "utf-8")


def test_doors_are_counted(duck_server: ConnectServer) -> None:
    with socket.create_connection(("127.0.0.1", duck_server.port)) as line:
        line.sendall(b"not HTTP/2 at all, however long one listens")
        assert line.recv(10) == b""
    text = fetched(duck_server.metrics.server_port)
    assert 'twinspark_connections{door="connect"}' in text
    assert 'twinspark_unread_bytes{door="connect"} 0.0' in text


def test_requests_that_never_end(duck_server: ConnectServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """More of them than there are threads: the others are hung up on, and all are cut after a while."""
    assert duck_server.metrics is not None
    port = duck_server.metrics.server_port
    monkeypatch.setattr(http, "REQUEST_SECONDS", 1.0)
    before = threading.active_count()
    slow = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(50)]
    time.sleep(0.3)
    assert threading.active_count() <= before + THREADS

    def are_cut() -> bool:
        for each in slow:
            say(each, b"G")
        return not duck_server.metrics._since

    assert until(are_cut)
    assert "twinspark_connections" in fetched(port)
    for each in slow:
        each.close()


def say(line: socket.socket, text: bytes) -> None:
    try:
        line.sendall(text)
    except OSError:  # it was hung up on
        return


def test_a_server_of_its_own_port() -> None:
    def application(environment: object, start: object) -> list[bytes]:
        start("200 OK", [])  # type: ignore[operator]
        return [b"here"]

    server = BoundedServer("127.0.0.1", 0, application)
    server.serve_in_background()
    assert fetched(server.server_port) == "here"
    server.shutdown()
    server.server_close()
