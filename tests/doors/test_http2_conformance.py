"""What RFC 9113 and RFC 7541 demand of a server, probe by probe, in the order of h2spec's list; raw frames only."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from raw_http2 import RawClient, data, message, padded

from twinspark.doors.http2 import Call, Http2Server, Kind, Method, frames
from twinspark.doors.http2.frames import (
    ACK,
    END_HEADERS,
    END_STREAM,
    PADDED,
    PREFACE,
    PRIORITISED,
    ErrorCode,
    FrameKind,
    Setting,
)
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.threads import DaemonThreads

Probe = Callable[[RawClient], bytes]
LIMITS = Limits(calls_per_connection=5)


def echo(request: bytes, call: Call) -> bytes:
    return request


def large(request: bytes, call: Call) -> bytes:
    return bytes(int(request))


def wait(requests: Any, call: Call) -> bytes:
    return str(sum(map(len, requests))).encode()


METHODS = {
    "/s/echo": Method(Kind.UNARY, echo),
    "/s/large": Method(Kind.UNARY, large),
    "/s/wait": Method(Kind.UPLOAD, wait),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Http2Server]:
    server = Http2Server("127.0.0.1", 0, METHODS, lambda headers: None, DaemonThreads("probed"), LIMITS)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def raw(server: Http2Server) -> Iterator[RawClient]:
    client = RawClient(server.port)
    yield client
    client.close()


# ---- what probes are made of


def headers(raw: RawClient, stream: int, flags: int = END_HEADERS, path: str = "/s/wait") -> bytes:
    return frames.frame(FrameKind.HEADERS, flags, stream, raw.block(path))


def request(raw: RawClient, stream: int) -> bytes:
    """A whole call."""
    return headers(raw, stream, path="/s/echo") + data(stream, message(b"x"), END_STREAM)


def fields(
    raw: RawClient, *more: tuple[str, str], without: tuple[str, ...] = (), first: tuple[str, str] | None = None
) -> bytes:
    usual = [(":method", "POST"), (":scheme", "http"), (":path", "/s/echo"), (":authority", "here")]
    usual = [pair for pair in usual if pair[0] not in without]
    block = raw.encoded(
        *([first] if first else []), *usual, ("te", "trailers"), ("content-type", "application/grpc"), *more
    )
    return frames.frame(FrameKind.HEADERS, END_HEADERS, 1, block) + data(1, message(b"x"), END_STREAM)


def frame(kind: FrameKind | int, stream: int, payload: bytes = b"", flags: int = 0) -> bytes:
    return frames.head(kind, flags, stream, len(payload)) + payload  # type: ignore[arg-type]


def setting(key: int, value: int) -> bytes:
    return frame(FrameKind.SETTINGS, 0, key.to_bytes(2, "big") + value.to_bytes(4, "big"))


def ended_then(raw: RawClient, after: Probe) -> bytes:
    """On a stream that is answered and closed."""
    raw.send(request(raw, 1))
    raw.answer(1)
    return after(raw)


def is_alive(raw: RawClient, stream: int = 101) -> bool:
    raw.send(request(raw, stream))
    return raw.answer(stream)[0] == message(b"x")


# ---- a connection error: GOAWAY with this code, and the end

CONNECTION_ERRORS: dict[str, tuple[Probe, ErrorCode]] = {
    "4.2 data larger than the largest frame": (
        lambda raw: headers(raw, 1) + frames.head(FrameKind.DATA, 0, 1, 2**20 + 1),
        ErrorCode.FRAME_SIZE_ERROR,
    ),
    "4.2 headers larger than the largest frame": (
        lambda raw: frames.head(FrameKind.HEADERS, END_HEADERS, 1, 2**20 + 1),
        ErrorCode.FRAME_SIZE_ERROR,
    ),
    "4.3 a block that cannot be decompressed": (
        lambda raw: frame(FrameKind.HEADERS, 1, b"\x40", END_HEADERS),
        ErrorCode.COMPRESSION_ERROR,
    ),
    "4.3 a priority in the middle of a block": (
        lambda raw: headers(raw, 1, 0) + frame(FrameKind.PRIORITY, 1, bytes(5)),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "4.3 headers of another stream in the middle of a block": (
        lambda raw: headers(raw, 1, 0) + headers(raw, 3),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "5.1 idle: data": (lambda raw: data(1, b"x"), ErrorCode.PROTOCOL_ERROR),
    "5.1 idle: reset": (lambda raw: frames.reset(1, ErrorCode.CANCEL), ErrorCode.PROTOCOL_ERROR),
    "5.1 idle: window update": (lambda raw: frames.window_update(1, 1), ErrorCode.PROTOCOL_ERROR),
    "5.1 idle: continuation": (
        lambda raw: frame(FrameKind.CONTINUATION, 1, b"", END_HEADERS),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "5.1 closed: data": (lambda raw: ended_then(raw, lambda raw: data(1, b"x")), ErrorCode.STREAM_CLOSED),
    "5.1 closed: headers": (
        lambda raw: ended_then(raw, lambda raw: headers(raw, 1, END_HEADERS | END_STREAM)),
        ErrorCode.STREAM_CLOSED,
    ),
    "5.1 closed: continuation": (
        lambda raw: ended_then(raw, lambda raw: frame(FrameKind.CONTINUATION, 1, b"", END_HEADERS)),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "5.1 closed by reset: data": (
        lambda raw: headers(raw, 1) + frames.reset(1, ErrorCode.CANCEL) + data(1, b"x"),
        ErrorCode.STREAM_CLOSED,
    ),
    "5.1 closed by reset: headers": (
        lambda raw: headers(raw, 1) + frames.reset(1, ErrorCode.CANCEL) + headers(raw, 1),
        ErrorCode.STREAM_CLOSED,
    ),
    "5.1.1 an even stream": (lambda raw: headers(raw, 2), ErrorCode.PROTOCOL_ERROR),
    "5.1.1 a smaller stream": (lambda raw: headers(raw, 5) + headers(raw, 3), ErrorCode.PROTOCOL_ERROR),
    "5.5 an unknown frame in the middle of a block": (
        lambda raw: headers(raw, 1, 0) + frame(0x16, 1, bytes(8)),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "6.1 data of no stream": (lambda raw: data(0, b"x"), ErrorCode.PROTOCOL_ERROR),
    "6.1 padding as long as the data": (
        lambda raw: headers(raw, 1) + data(1, b"\x03abc"[:4], PADDED)[:9] + b"\x04abc",
        ErrorCode.PROTOCOL_ERROR,
    ),
    "6.1 padded, and empty": (lambda raw: headers(raw, 1) + data(1, b"", PADDED), ErrorCode.PROTOCOL_ERROR),
    "6.2 headers of no stream": (lambda raw: headers(raw, 0), ErrorCode.PROTOCOL_ERROR),
    "6.2 padding as long as the headers": (
        lambda raw: frame(FrameKind.HEADERS, 1, b"\x09" + bytes(8), END_HEADERS | PADDED),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "6.2 half a priority": (
        lambda raw: frame(FrameKind.HEADERS, 1, bytes(3), END_HEADERS | PRIORITISED),
        ErrorCode.FRAME_SIZE_ERROR,
    ),
    "6.3 a priority of no stream": (lambda raw: frame(FrameKind.PRIORITY, 0, bytes(5)), ErrorCode.PROTOCOL_ERROR),
    "6.4 a reset of no stream": (lambda raw: frames.reset(0, ErrorCode.CANCEL), ErrorCode.PROTOCOL_ERROR),
    "6.4 a reset of three bytes": (
        lambda raw: headers(raw, 1) + frame(FrameKind.RST_STREAM, 1, bytes(3)),
        ErrorCode.FRAME_SIZE_ERROR,
    ),
    "6.5 an acknowledgement with settings": (
        lambda raw: frame(FrameKind.SETTINGS, 0, bytes(6), ACK),
        ErrorCode.FRAME_SIZE_ERROR,
    ),
    "6.5 settings of a stream": (lambda raw: frame(FrameKind.SETTINGS, 1), ErrorCode.PROTOCOL_ERROR),
    "6.5 half a setting": (lambda raw: frame(FrameKind.SETTINGS, 0, bytes(3)), ErrorCode.FRAME_SIZE_ERROR),
    "6.5.2 push is 2": (lambda raw: setting(Setting.ENABLE_PUSH, 2), ErrorCode.PROTOCOL_ERROR),
    "6.5.2 a window of 2^31": (
        lambda raw: setting(Setting.INITIAL_WINDOW_SIZE, 2**31),
        ErrorCode.FLOW_CONTROL_ERROR,
    ),
    "6.5.2 frames below 2^14": (lambda raw: setting(Setting.MAX_FRAME_SIZE, 2**14 - 1), ErrorCode.PROTOCOL_ERROR),
    "6.5.2 frames above 2^24": (lambda raw: setting(Setting.MAX_FRAME_SIZE, 2**24), ErrorCode.PROTOCOL_ERROR),
    "6.6 a client's promise": (lambda raw: frame(FrameKind.PUSH_PROMISE, 1, bytes(4)), ErrorCode.PROTOCOL_ERROR),
    "6.7 a ping of a stream": (lambda raw: frame(FrameKind.PING, 1, bytes(8)), ErrorCode.PROTOCOL_ERROR),
    "6.7 a ping of six bytes": (lambda raw: frame(FrameKind.PING, 0, bytes(6)), ErrorCode.FRAME_SIZE_ERROR),
    "6.8 a stream that goes away": (lambda raw: frame(FrameKind.GOAWAY, 1, bytes(8)), ErrorCode.PROTOCOL_ERROR),
    "6.8 too short": (lambda raw: frame(FrameKind.GOAWAY, 0, bytes(7)), ErrorCode.FRAME_SIZE_ERROR),
    "6.9 the connection's window grows by 0": (lambda raw: frames.window_update(0, 0), ErrorCode.PROTOCOL_ERROR),
    "6.9 three bytes": (lambda raw: frame(FrameKind.WINDOW_UPDATE, 0, bytes(3)), ErrorCode.FRAME_SIZE_ERROR),
    "6.9.1 the connection's window beyond 2^31-1": (
        lambda raw: frames.window_update(0, 2**31 - 1) * 2,
        ErrorCode.FLOW_CONTROL_ERROR,
    ),
    "6.9.2 a setting that lifts a stream's window beyond 2^31-1": (
        lambda raw: (
            headers(raw, 1) + frames.window_update(1, 2**31 - 65_536) + setting(Setting.INITIAL_WINDOW_SIZE, 100_000)
        ),
        ErrorCode.FLOW_CONTROL_ERROR,
    ),
    "6.10 of no stream": (
        lambda raw: headers(raw, 1, 0) + frame(FrameKind.CONTINUATION, 0, b"", END_HEADERS),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "6.10 after the end of the block": (
        lambda raw: headers(raw, 1) + frame(FrameKind.CONTINUATION, 1, b"", END_HEADERS),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "6.10 data in the middle of a block": (lambda raw: headers(raw, 1, 0) + data(1, b"x"), ErrorCode.PROTOCOL_ERROR),
    "7541 2.3.3 an index beyond the tables": (
        lambda raw: frame(FrameKind.HEADERS, 1, b"\xff\x00", END_HEADERS),
        ErrorCode.COMPRESSION_ERROR,
    ),
    "7541 4.2 a size at the end of a block": (
        lambda raw: frame(FrameKind.HEADERS, 1, raw.block("/s/echo") + b"\x21", END_HEADERS),
        ErrorCode.COMPRESSION_ERROR,
    ),
    "7541 5.2 Huffman padding of more than 7 bits": (
        lambda raw: frame(FrameKind.HEADERS, 1, b"\x00\x85\xf2\xb2\x4a\x84\xff\x84\x49\x50\x9f\xff", END_HEADERS),
        ErrorCode.COMPRESSION_ERROR,
    ),
    "7541 5.2 Huffman padding of zeros": (
        lambda raw: frame(FrameKind.HEADERS, 1, b"\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x90", END_HEADERS),
        ErrorCode.COMPRESSION_ERROR,
    ),
    "7541 5.2 Huffman's EOS": (
        lambda raw: frame(
            FrameKind.HEADERS, 1, b"\x00\x85\xf2\xb2\x4a\x84\xff\x86\x49\x50\x9f\xff\xff\xff", END_HEADERS
        ),
        ErrorCode.COMPRESSION_ERROR,
    ),
    "7541 6.1 index 0": (
        lambda raw: frame(FrameKind.HEADERS, 1, b"\x80", END_HEADERS),
        ErrorCode.COMPRESSION_ERROR,
    ),
    "7541 6.3 a table larger than allowed": (
        lambda raw: frame(FrameKind.HEADERS, 1, b"\x3f\xe1\xff\x03" + raw.block("/s/echo"), END_HEADERS),
        ErrorCode.COMPRESSION_ERROR,
    ),
}


@pytest.mark.parametrize("name", CONNECTION_ERRORS)
def test_connection_error(raw: RawClient, name: str) -> None:
    probe, code = CONNECTION_ERRORS[name]
    raw.send(probe(raw))
    assert raw.failure() == code


# ---- a stream error: RST_STREAM with this code, and the connection lives

STREAM_ERRORS: dict[str, tuple[Probe, ErrorCode]] = {
    "5.1.2 more streams than allowed": (
        lambda raw: b"".join(headers(raw, stream) for stream in (1, 3, 5, 7, 9, 11)),
        ErrorCode.REFUSED_STREAM,
    ),
    "6.3 a priority of four bytes": (
        lambda raw: headers(raw, 1) + frame(FrameKind.PRIORITY, 1, bytes(4)),
        ErrorCode.FRAME_SIZE_ERROR,
    ),
    "6.9 a window grows by 0": (
        lambda raw: headers(raw, 1) + frames.window_update(1, 0),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "6.9.1 a window beyond 2^31-1": (
        lambda raw: headers(raw, 1) + frames.window_update(1, 2**31 - 1) * 2,
        ErrorCode.FLOW_CONTROL_ERROR,
    ),
    "8.1 headers again, and no end": (lambda raw: headers(raw, 1) + headers(raw, 1), ErrorCode.PROTOCOL_ERROR),
    "8.1 trailers with a pseudo-header": (
        lambda raw: headers(raw, 1) + headers(raw, 1, END_HEADERS | END_STREAM),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "8.1.1 another content-length": (
        lambda raw: fields(raw, ("content-length", "1")),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "8.1.1 content-length and no data": (
        lambda raw: frame(FrameKind.HEADERS, 1, raw.block("/s/echo", content_length="4"), END_HEADERS | END_STREAM),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "8.2 capitals": (lambda raw: fields(raw, ("X-Test", "1")), ErrorCode.PROTOCOL_ERROR),
    "8.2.1 a space in a name": (lambda raw: fields(raw, ("a b", "1")), ErrorCode.PROTOCOL_ERROR),
    "8.2.1 a colon in a name": (lambda raw: fields(raw, ("a:b", "1")), ErrorCode.PROTOCOL_ERROR),
    "8.2.1 no name": (lambda raw: fields(raw, ("", "1")), ErrorCode.PROTOCOL_ERROR),
    "8.2.1 a line feed in a value": (lambda raw: fields(raw, ("a", "1\n2")), ErrorCode.PROTOCOL_ERROR),
    "8.2.1 a carriage return in a value": (lambda raw: fields(raw, ("a", "1\r2")), ErrorCode.PROTOCOL_ERROR),
    "8.2.1 NUL in a value": (lambda raw: fields(raw, ("a", "1\0")), ErrorCode.PROTOCOL_ERROR),
    "8.2.1 a value begins with a space": (lambda raw: fields(raw, ("a", " 1")), ErrorCode.PROTOCOL_ERROR),
    "8.2.1 a value ends with a tab": (lambda raw: fields(raw, ("a", "1\t")), ErrorCode.PROTOCOL_ERROR),
    "8.2.2 connection": (lambda raw: fields(raw, ("connection", "keep-alive")), ErrorCode.PROTOCOL_ERROR),
    "8.2.2 transfer-encoding": (lambda raw: fields(raw, ("transfer-encoding", "chunked")), ErrorCode.PROTOCOL_ERROR),
    "8.2.2 te": (lambda raw: fields(raw, ("te", "trailers, deflate")), ErrorCode.PROTOCOL_ERROR),
    "8.3 an unknown pseudo-header": (lambda raw: fields(raw, first=(":test", "1")), ErrorCode.PROTOCOL_ERROR),
    "8.3 a response's pseudo-header": (lambda raw: fields(raw, first=(":status", "200")), ErrorCode.PROTOCOL_ERROR),
    "8.3 a pseudo-header after a header": (
        lambda raw: fields(raw, (":path", "/s/echo"), without=(":path",)),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "8.3.1 no method": (lambda raw: fields(raw, without=(":method",)), ErrorCode.PROTOCOL_ERROR),
    "8.3.1 no scheme": (lambda raw: fields(raw, without=(":scheme",)), ErrorCode.PROTOCOL_ERROR),
    "8.3.1 no path": (lambda raw: fields(raw, without=(":path",)), ErrorCode.PROTOCOL_ERROR),
    "8.3.1 an empty path": (
        lambda raw: fields(raw, first=(":path", ""), without=(":path",)),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "8.3.1 two methods": (lambda raw: fields(raw, first=(":method", "POST")), ErrorCode.PROTOCOL_ERROR),
    "8.3.1 two schemes": (lambda raw: fields(raw, first=(":scheme", "http")), ErrorCode.PROTOCOL_ERROR),
    "8.3.1 two paths": (lambda raw: fields(raw, first=(":path", "/")), ErrorCode.PROTOCOL_ERROR),
    "8.5 CONNECT with a path": (
        lambda raw: fields(raw, first=(":method", "CONNECT"), without=(":method",)),
        ErrorCode.PROTOCOL_ERROR,
    ),
}


@pytest.mark.parametrize("name", STREAM_ERRORS)
def test_stream_error(raw: RawClient, name: str) -> None:
    probe, code = STREAM_ERRORS[name]
    raw.send(probe(raw))
    assert int.from_bytes(raw.await_frame(FrameKind.RST_STREAM), "big") == code
    raw.send(*(frames.reset(stream, ErrorCode.CANCEL) for stream in (1, 3, 5) if "5.1.2" in name))
    assert is_alive(raw)


@pytest.mark.parametrize("kind", ["data", "headers"])
def test_5_1_half_closed(raw: RawClient, kind: str) -> None:
    """The call waits for room, so its stream is open on our side when the client speaks again."""
    raw.send(setting(Setting.INITIAL_WINDOW_SIZE, 10))
    raw.call(1, "/s/large", b"1000")
    raw.await_frame(FrameKind.DATA, of=1)
    raw.send(data(1, b"x") if kind == "data" else headers(raw, 1, END_HEADERS | END_STREAM))
    assert int.from_bytes(raw.await_frame(FrameKind.RST_STREAM, of=1), "big") == ErrorCode.STREAM_CLOSED


# ---- what must be taken

ACCEPTED: dict[str, Probe] = {
    "4.1 an unknown kind of frame": lambda raw: frame(0xFF, 0, bytes(8)),
    "4.1 an unknown kind, as large as frames may be": lambda raw: frame(0xFF, 0, bytes(2**20)),
    "4.1 undefined flags": lambda raw: frame(FrameKind.PING, 0, bytes(8), 0xFE),
    "4.1 the reserved bit": lambda raw: b"\0\0\x08\x06\0\x80\0\0\0" + bytes(8),
    "5.1 idle: a priority": lambda raw: frame(FrameKind.PRIORITY, 7, bytes(5)),
    "5.1 closed: a priority": lambda raw: ended_then(raw, lambda raw: frame(FrameKind.PRIORITY, 1, bytes(5))),
    "5.1 closed: a window update": lambda raw: ended_then(raw, lambda raw: frames.window_update(1, 1)),
    "5.1 closed: a reset": lambda raw: ended_then(raw, lambda raw: frames.reset(1, ErrorCode.CANCEL)),
    "6.5 no settings": lambda raw: frames.settings({}),
    "6.5.2 an unknown setting": lambda raw: setting(0xFFFF, 7),
    "6.5.2 push is off": lambda raw: setting(Setting.ENABLE_PUSH, 0),
    "6.7 an acknowledged ping": lambda raw: frame(FrameKind.PING, 0, bytes(8), ACK),
    "6.8 a client that goes away finishes": lambda raw: frames.go_away(0, ErrorCode.NO_ERROR),
    "6.10 headers in pieces": lambda raw: (
        frame(FrameKind.HEADERS, 3, (block := raw.block("/s/wait"))[:5])
        + frame(FrameKind.CONTINUATION, 3, b"")
        + frame(FrameKind.CONTINUATION, 3, block[5:], END_HEADERS)
    ),
    "7541 6.3 two sizes at the beginning of a block": lambda raw: frame(
        FrameKind.HEADERS, 3, b"\x20\x3f\xe1\x1f" + raw.encoded(*WAIT), END_HEADERS
    ),
    "6.1 padded data": lambda raw: headers(raw, 3) + data(3, padded(message(b"abc"), 100), PADDED),
}
WAIT = [(":method", "POST"), (":scheme", "http"), (":path", "/s/wait"), ("content-type", "application/grpc")]


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(raw: RawClient, name: str) -> None:
    raw.send(ACCEPTED[name](raw))
    assert is_alive(raw)


def test_3_4_the_server_speaks_first_of_settings(raw: RawClient) -> None:
    kind, flags, stream, _ = next(raw.frames())
    assert (kind, flags, stream) == (FrameKind.SETTINGS, 0, 0)


@pytest.mark.parametrize("preface", [PREFACE[:-2] + b"xx", b"PRI * HTTP/2.1\r\n\r\nSM\r\n\r\n", b"\0" * 24])
def test_3_4_another_preface(server: Http2Server, preface: bytes) -> None:
    raw = RawClient(server.port, preface=preface)
    assert [kind for kind, *_ in raw.frames() if kind != FrameKind.GOAWAY] == []
    raw.close()


@pytest.mark.parametrize("first", [frame(FrameKind.PING, 0, bytes(8)), frame(FrameKind.SETTINGS, 0, b"", ACK)])
def test_3_4_a_connection_begins_with_settings(server: Http2Server, first: bytes) -> None:
    raw = RawClient(server.port, preface=PREFACE + first)
    assert raw.failure() == ErrorCode.PROTOCOL_ERROR
    raw.close()


def test_6_5_3_settings_are_acknowledged_and_used_in_order(server: Http2Server) -> None:
    raw = RawClient(server.port)
    raw.await_frame(FrameKind.SETTINGS, flags=ACK)
    values = b"".join(setting(Setting.INITIAL_WINDOW_SIZE, size)[9:] for size in (100, 1))
    raw.send(frame(FrameKind.SETTINGS, 0, values))
    raw.await_frame(FrameKind.SETTINGS, flags=ACK)
    raw.call(1, "/s/echo", b"x")
    assert len(raw.await_frame(FrameKind.DATA, of=1)) == 1
    raw.close()


def test_6_7_a_ping_comes_back_with_its_bytes(raw: RawClient) -> None:
    raw.send(frame(FrameKind.PING, 0, b"h2spec!!"))
    assert raw.await_frame(FrameKind.PING, flags=ACK) == b"h2spec!!"


def test_6_9_1_both_windows_are_kept(raw: RawClient) -> None:
    raw.send(setting(Setting.INITIAL_WINDOW_SIZE, 1))
    raw.call(1, "/s/echo", b"xyz")
    assert len(raw.await_frame(FrameKind.DATA, of=1)) == 1
    raw.send(frames.window_update(1, 1))
    assert len(raw.await_frame(FrameKind.DATA, of=1)) == 1


def test_6_9_2_a_window_may_become_negative(raw: RawClient) -> None:
    raw.send(setting(Setting.INITIAL_WINDOW_SIZE, 5))
    raw.call(1, "/s/echo", b"xyz")
    assert len(raw.await_frame(FrameKind.DATA, of=1)) == 5
    raw.send(setting(Setting.INITIAL_WINDOW_SIZE, 2), frames.window_update(1, 3), frame(FrameKind.PING, 0, bytes(8)))
    kinds = [kind for kind, flags, _, _ in until_ping(raw)]
    assert FrameKind.DATA not in kinds  # 5 - 5 - 3 + 3 leaves no room
    raw.send(frames.window_update(1, 1))
    assert len(raw.await_frame(FrameKind.DATA, of=1)) == 1


def until_ping(raw: RawClient) -> Iterator[tuple[int, int, int, bytes]]:
    for each in raw.frames():
        yield each
        if each[0] == FrameKind.PING:
            return


def test_6_9_more_data_than_the_window_allows(raw: RawClient) -> None:
    """We grant 8 MiB for a stream; the upload reads nothing whole, so nothing is granted again."""
    raw.send(headers(raw, 1))
    prefix = message(b"")[:1] + (100 * 2**20).to_bytes(4, "big")
    raw.send(data(1, prefix))
    for _ in range(8):
        raw.send(data(1, bytes(2**20)))
    assert int.from_bytes(raw.await_frame(FrameKind.RST_STREAM, of=1), "big") == ErrorCode.FLOW_CONTROL_ERROR


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_another_method_is_not_allowed(raw: RawClient, method: str) -> None:
    raw.send(frame(FrameKind.HEADERS, 1, raw.block("/s/echo", **{":method": method}), END_HEADERS | END_STREAM))
    assert raw.answer(1)[1] == {":status": "405", "allow": "POST"}


def test_a_late_frame_of_a_stream_that_we_have_ended(raw: RawClient) -> None:
    """5.1: the client cannot know yet that we have answered, so what it goes on sending is ignored."""
    raw.send(headers(raw, 1, path="/s/nothing"))
    assert raw.answer(1)[1]["grpc-status"] == "12"
    raw.send(data(1, b"late"), data(1, b"", END_STREAM))
    assert is_alive(raw)
