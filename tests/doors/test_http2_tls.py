"""The Connect door behind TLS: gRPC's own client, large messages both ways, and handshakes that never end."""

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from waiting import until

from twinspark.doors.http2 import Call, Http2Server, Kind, Method
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.threads import DaemonThreads

MEBIBYTE = 1024 * 1024


def echo(request: bytes, call: Call) -> bytes:
    return request


def stream(request: bytes, call: Call) -> Iterator[bytes]:
    for _ in range(int(request)):
        yield bytes(MEBIBYTE)


METHODS = {
    "/s/echo": Method(Kind.UNARY, echo),
    "/s/quick": Method(Kind.UNARY, echo, is_quick=True),
    "/s/stream": Method(Kind.STREAM, stream),
}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    return key, certificate


@pytest.fixture
def server(certificate: tuple[Path, Path]) -> Iterator[Http2Server]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate[1], certificate[0])
    context.set_alpn_protocols(["h2"])
    limits = Limits(handshake_seconds=1.0)
    server = Http2Server("127.0.0.1", 0, METHODS, lambda headers: None, DaemonThreads("tls"), limits, context)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def channel(server: Http2Server, certificate: tuple[Path, Path]) -> Iterator[grpc.Channel]:
    trusted = grpc.ssl_channel_credentials(certificate[1].read_bytes())
    options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    with grpc.secure_channel(f"localhost:{server.port}", trusted, options) as channel:
        yield channel


def test_calls_over_tls(channel: grpc.Channel) -> None:
    assert channel.unary_unary("/s/quick")(b"x", timeout=30) == b"x"
    content = bytes(range(256)) * 80_000
    assert channel.unary_unary("/s/echo")(content, timeout=60) == content
    assert sum(map(len, channel.unary_stream("/s/stream")(b"40", timeout=60))) == 40 * MEBIBYTE


def test_many_calls_at_once_over_tls(channel: grpc.Channel) -> None:
    texts = [str(n).encode() * 20_000 for n in range(40)]
    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(lambda text: channel.unary_unary("/s/echo")(text, timeout=60), texts)) == texts


@pytest.mark.parametrize("said", [b"", b"\x16\x03\x01", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
def test_handshakes_that_never_end(server: Http2Server, channel: grpc.Channel, said: bytes) -> None:
    before = threading.active_count()
    strangers = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(50)]
    for each in strangers:
        each.sendall(said)
    assert threading.active_count() <= before + 1
    assert channel.unary_unary("/s/echo")(b"x", timeout=30) == b"x"
    assert until(lambda: server.state().connections <= 1)
    for each in strangers:
        each.close()
