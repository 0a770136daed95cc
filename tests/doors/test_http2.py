"""The door's own HTTP/2: what clients do, what they may do, and what they must not."""

import gzip
import threading
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from raw_http2 import RawClient, data, message, padded
from waiting import until

from twinspark.doors.http2 import Call, CallRejected, Http2Server, Kind, Method, frames
from twinspark.doors.http2.call import WINDOW
from twinspark.doors.http2.frames import (
    ACK,
    END_HEADERS,
    END_STREAM,
    PADDED,
    PRIORITISED,
    ErrorCode,
    FrameKind,
    Setting,
)
from twinspark.doors.http2.messages import BadMessage, Messages, TooLarge, decompress
from twinspark.sessions.threads import DaemonThreads

MEBIBYTE = 1024 * 1024


class Service:
    """Methods that repeat, count, wait and fail; `ended` are the calls that are over."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.running = threading.Event()
        self.ended: list[str] = []
        self.seen: list[Any] = []

    def echo(self, request: bytes, call: Call) -> bytes:
        return request

    def large(self, request: bytes, call: Call) -> bytes:
        return bytes(int(request))

    def numbers(self, request: bytes, call: Call) -> Iterator[bytes]:
        for number in range(int(request)):
            yield str(number).encode()

    def waits(self, request: bytes, call: Call) -> Iterator[bytes]:
        call.add_callback(lambda: self.ended.append("waits"))
        self.running.set()
        yield b"first"
        yield b""
        self.go_on.wait(60)
        yield b"second"

    def upload(self, requests: Iterator[bytes], call: Call) -> bytes:
        self.running.set()
        try:
            return str(sum(map(len, requests))).encode()
        except grpc.RpcError as error:
            self.seen.append(error.code())
            raise CallRejected(error.code(), error.details()) from error

    def stuck(self, requests: Iterator[bytes], call: Call) -> bytes:
        return bytes(self.go_on.wait(60))

    def refuses(self, request: Any, call: Call) -> bytes:
        raise CallRejected(
            grpc.StatusCode.INVALID_ARGUMENT, "nö: 100 %\n", (("more-bin", b"\x00\xff"), ("plain", "text"))
        )

    def methods(self) -> dict[str, Method]:
        return {
            "/s/echo": Method(Kind.UNARY, self.echo),
            "/s/quick": Method(Kind.UNARY, self.echo, is_quick=True),
            "/s/large": Method(Kind.UNARY, self.large, is_quick=True),
            "/s/numbers": Method(Kind.STREAM, self.numbers),
            "/s/waits": Method(Kind.STREAM, self.waits),
            "/s/upload": Method(Kind.UPLOAD, self.upload),
            "/s/stuck": Method(Kind.UPLOAD, self.stuck),
            "/s/refuses": Method(Kind.UNARY, self.refuses),
            "/s/refusesUploads": Method(Kind.UPLOAD, self.refuses),
        }


def only_friends(headers: Mapping[str, str]) -> None:
    if headers.get("who") == "foe":
        raise CallRejected(grpc.StatusCode.UNAUTHENTICATED, "not you")


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def server(service: Service) -> Iterator[Http2Server]:
    server = Http2Server("127.0.0.1", 0, service.methods(), only_friends, DaemonThreads("http2"))
    server.start()
    yield server
    service.go_on.set()
    server.stop()


@pytest.fixture
def channel(server: Http2Server) -> Iterator[grpc.Channel]:
    options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    with grpc.insecure_channel(f"127.0.0.1:{server.port}", options=options) as channel:
        yield channel


@pytest.fixture
def raw(server: Http2Server) -> Iterator[RawClient]:
    client = RawClient(server.port)
    yield client
    client.close()


# ---- grpc's own client


def test_all_kinds_of_methods(channel: grpc.Channel) -> None:
    assert channel.unary_unary("/s/echo")(b"") == b""
    assert channel.unary_unary("/s/quick")(b"x" * 100_000) == b"x" * 100_000
    assert list(channel.unary_stream("/s/numbers")(b"1000")) == [str(n).encode() for n in range(1000)]
    assert list(channel.unary_stream("/s/numbers")(b"0")) == []
    assert channel.stream_unary("/s/upload")(iter([b"abc", b"", b"de"])) == b"5"


@pytest.mark.parametrize("path", ["/s/echo", "/s/quick"])
def test_large_messages_both_ways(channel: grpc.Channel, path: str) -> None:
    content = bytes(range(256)) * 100_000
    assert channel.unary_unary(path)(content) == content


def test_a_large_upload_in_pieces(channel: grpc.Channel) -> None:
    assert channel.stream_unary("/s/upload")(iter([bytes(MEBIBYTE)] * 40)) == str(40 * MEBIBYTE).encode()


def test_a_hundred_calls_at_once(channel: grpc.Channel) -> None:
    texts = [str(n).encode() * 1000 for n in range(100)]
    with ThreadPoolExecutor(100) as pool:
        assert list(pool.map(lambda text: channel.unary_unary("/s/echo")(text, timeout=60), texts)) == texts


def test_compressed_requests(server: Http2Server) -> None:
    for codec in (grpc.Compression.Gzip, grpc.Compression.Deflate):
        with grpc.insecure_channel(f"127.0.0.1:{server.port}", compression=codec) as channel:
            assert channel.unary_unary("/s/echo")(b"a" * 10_000) == b"a" * 10_000


def test_refusals_tell_code_words_and_metadata(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary("/s/refuses")(b"")
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert caught.value.details() == "nö: 100 %\n"
    assert {("more-bin", b"\x00\xff"), ("plain", "text")} <= set(caught.value.trailing_metadata())
    with pytest.raises(grpc.RpcError) as caught:
        channel.stream_unary("/s/refusesUploads")(iter([bytes(MEBIBYTE)] * 20))
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_unknown_methods_and_strangers(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary("/s/nothing")(b"")
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
    with pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary("/s/echo")(b"", metadata=(("who", "foe"),))
    assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED


def test_a_cancelled_call_is_over(channel: grpc.Channel, service: Service) -> None:
    call = channel.unary_stream("/s/waits")(b"")
    assert next(call) == b"first"
    call.cancel()
    assert until(lambda: service.ended == ["waits"])
    assert channel.unary_unary("/s/echo")(b"still here") == b"still here"


def test_whoever_is_running_may_end_within_the_grace(
    server: Http2Server, channel: grpc.Channel, service: Service
) -> None:
    call = channel.unary_stream("/s/waits")(b"")
    assert next(call) == b"first"
    stopping = threading.Thread(target=server.stop, args=(30.0,))
    stopping.start()
    service.go_on.set()
    assert list(call) == [b"second"]
    stopping.join(30)
    assert not stopping.is_alive()


# ---- frame by frame


def test_headers_in_pieces_with_padding_and_priority(raw: RawClient) -> None:
    block = raw.block("/s/echo")
    first = padded(bytes(5) + block[:10], 7)
    raw.send(frames.frame(FrameKind.HEADERS, PADDED | PRIORITISED, 1, first))
    raw.send(frames.frame(FrameKind.CONTINUATION, 0, 1, block[10:12]))
    raw.send(frames.frame(FrameKind.CONTINUATION, END_HEADERS, 1, block[12:]))
    for byte in message(b"hello"):
        raw.send(data(1, padded(bytes([byte]), 3), PADDED))
    raw.send(data(1, b"", END_STREAM))
    body, headers = raw.answer(1)
    assert body == message(b"hello")
    assert (headers[":status"], headers["grpc-status"]) == ("200", "0")


def test_trailers_end_a_request(raw: RawClient) -> None:
    raw.send(frames.frame(FrameKind.HEADERS, END_HEADERS, 1, raw.block("/s/echo")), data(1, message(b"x")))
    raw.send(frames.frame(FrameKind.HEADERS, END_HEADERS | END_STREAM, 1, raw.encoded(("checksum", "7"))))
    assert raw.answer(1)[0] == message(b"x")


def test_the_clients_windows_are_kept(server: Http2Server) -> None:
    raw = RawClient(server.port, {Setting.INITIAL_WINDOW_SIZE: 10})
    raw.call(1, "/s/large", b"100")
    assert len(raw.await_frame(FrameKind.DATA, of=1)) == 10
    raw.send(frames.settings({Setting.INITIAL_WINDOW_SIZE: 30}))
    assert len(raw.await_frame(FrameKind.DATA, of=1)) == 20
    raw.send(frames.window_update(1, 1000))
    assert len(raw.answer(1)[0]) == 75
    raw.close()


def test_who_waits_for_room_lets_others_read_the_news(raw: RawClient) -> None:
    """A quick call runs on the thread that reads; its answer has to wait for what that thread would read."""
    raw.call(1, "/s/large", b"65000")
    assert len(raw.answer(1)[0]) == 65005
    raw.call(3, "/s/large", b"1000")
    assert len(raw.await_frame(FrameKind.DATA, of=3)) == 530
    raw.send(frames.window_update(0, 100_000))
    assert len(raw.answer(3)[0]) == 475


def test_large_answers_come_in_frames_that_fit(server: Http2Server) -> None:
    wide = {Setting.INITIAL_WINDOW_SIZE: 2**31 - 1}
    for largest, more in ((16_384, {}), (100_000, {Setting.MAX_FRAME_SIZE: 100_000})):
        raw = RawClient(server.port, {**wide, **more})
        raw.send(frames.window_update(0, 10 * MEBIBYTE))
        raw.call(1, "/s/large", b"3000000")
        sizes = [len(payload) for kind, _, _, payload in until_the_end(raw) if kind == FrameKind.DATA]
        assert (sum(sizes), max(sizes)) == (3_000_005, largest)
        raw.close()


def until_the_end(raw: RawClient) -> Iterator[tuple[int, int, int, bytes]]:
    for each in raw.frames():
        yield each
        if each[0] == FrameKind.HEADERS and each[1] & END_STREAM:
            return


def test_pings_are_answered_while_a_call_runs(raw: RawClient, service: Service) -> None:
    raw.call(1, "/s/waits", b"")
    service.running.wait(30)
    raw.send(frames.frame(FrameKind.PING, 0, 0, b"12345678"))
    assert raw.await_frame(FrameKind.PING, flags=ACK) == b"12345678"
    service.go_on.set()
    assert raw.answer(1)[1]["grpc-status"] == "0"


def test_what_waits_is_sent_before(raw: RawClient, service: Service) -> None:
    raw.call(1, "/s/waits", b"")
    assert raw.await_frame(FrameKind.DATA, of=1) == message(b"first")
    service.go_on.set()
    assert raw.answer(1)[0] == message(b"second")


def test_responses_that_are_there_share_a_frame(raw: RawClient) -> None:
    raw.call(1, "/s/numbers", b"3")
    assert raw.await_frame(FrameKind.DATA, of=1) == message(b"0") + message(b"1") + message(b"2")


def test_frames_nobody_knows_and_late_ones_are_ignored(raw: RawClient) -> None:
    raw.send(frames.head(200, 0, 0, 3) + b"???")  # type: ignore[arg-type]
    raw.send(frames.frame(FrameKind.PRIORITY, 0, 7, bytes(5)))
    raw.call(1, "/s/echo", b"1")
    raw.answer(1)
    raw.send(frames.window_update(1, 10), frames.reset(1, ErrorCode.CANCEL))
    raw.call(3, "/s/echo", b"3")
    assert raw.answer(3)[0] == message(b"3")


def test_an_upload_that_breaks_off_is_not_taken_for_whole(raw: RawClient, service: Service) -> None:
    raw.send(frames.frame(FrameKind.HEADERS, END_HEADERS, 1, raw.block("/s/upload")), data(1, message(b"half")))
    service.running.wait(30)
    raw.send(frames.reset(1, ErrorCode.CANCEL))
    assert until(lambda: service.seen == [grpc.StatusCode.CANCELLED])


def test_a_lost_connection_ends_its_calls(raw: RawClient, service: Service) -> None:
    raw.call(1, "/s/waits", b"")
    service.running.wait(30)
    raw.close()
    assert until(lambda: service.ended == ["waits"])


def test_not_grpc(raw: RawClient) -> None:
    raw.call(1, "/s/echo", b"", content_type="text/html")
    assert raw.answer(1)[1] == {":status": "415"}


def test_a_request_without_a_message(raw: RawClient) -> None:
    raw.call(1, "/s/echo")
    assert raw.answer(1)[1]["grpc-status"] == "13"
    raw.send(
        frames.frame(FrameKind.HEADERS, END_HEADERS, 3, raw.block("/s/echo")), data(3, b"\0\0\0\0\x09a", END_STREAM)
    )
    assert raw.answer(3)[1]["grpc-status"] == "13"


def opened(raw: RawClient, stream: int) -> bytes:
    return frames.frame(FrameKind.HEADERS, END_HEADERS, stream, raw.block("/s/upload"))


BROKEN = {
    "data of no stream": (lambda raw: data(1, b"x"), ErrorCode.PROTOCOL_ERROR),
    "an even stream": (lambda raw: opened(raw, 2), ErrorCode.PROTOCOL_ERROR),
    "a promise": (lambda raw: frames.frame(FrameKind.PUSH_PROMISE, 0, 1, bytes(4)), ErrorCode.PROTOCOL_ERROR),
    "nothing to continue": (lambda raw: frames.frame(FrameKind.CONTINUATION, 0, 1), ErrorCode.PROTOCOL_ERROR),
    "headers cut in two": (
        lambda raw: frames.frame(FrameKind.HEADERS, 0, 1, raw.block("/s/echo")) + data(1, b""),
        ErrorCode.PROTOCOL_ERROR,
    ),
    "all padding": (lambda raw: opened(raw, 1) + data(1, b"\x05ab", PADDED), ErrorCode.PROTOCOL_ERROR),
    "too large a frame": (lambda raw: frames.head(FrameKind.DATA, 0, 1, 9 * MEBIBYTE), ErrorCode.FRAME_SIZE_ERROR),
    "a short ping": (lambda raw: frames.frame(FrameKind.PING, 0, 0, b"1"), ErrorCode.FRAME_SIZE_ERROR),
    "half a setting": (lambda raw: frames.frame(FrameKind.SETTINGS, 0, 0, b"1"), ErrorCode.FRAME_SIZE_ERROR),
    "tiny frames": (lambda raw: frames.settings({Setting.MAX_FRAME_SIZE: 1}), ErrorCode.PROTOCOL_ERROR),
    "a huge window": (lambda raw: frames.settings({Setting.INITIAL_WINDOW_SIZE: 2**31}), ErrorCode.FLOW_CONTROL_ERROR),
    "a window without end": (lambda raw: frames.window_update(0, 2**31 - 1), ErrorCode.FLOW_CONTROL_ERROR),
    "no more window": (lambda raw: frames.window_update(0, 0), ErrorCode.PROTOCOL_ERROR),
    "headers of nonsense": (
        lambda raw: frames.frame(FrameKind.HEADERS, END_HEADERS, 1, b"\xff\xff\xff\xff\xff"),
        ErrorCode.COMPRESSION_ERROR,
    ),
    "headers without end": (
        lambda raw: (
            frames.frame(FrameKind.HEADERS, 0, 1, bytes(16_384))
            + frames.frame(FrameKind.CONTINUATION, 0, 1, bytes(16_384)) * 4
        ),
        ErrorCode.ENHANCE_YOUR_CALM,
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_protocol_ends_the_connection_and_no_other(server: Http2Server, name: str) -> None:
    sent, code = BROKEN[name]
    broken, other = RawClient(server.port), RawClient(server.port)
    broken.send(sent(broken))
    assert broken.failure() == code
    other.call(1, "/s/echo", b"well")
    assert other.answer(1)[0] == message(b"well")
    broken.close()
    other.close()


def test_another_protocol_is_hung_up_on(server: Http2Server) -> None:
    raw = RawClient(server.port, preface=b"GET / HTTP/1.1\r\nHost: somebody\r\n\r\n")
    assert list(raw.frames()) == []
    raw.close()


def test_an_upload_is_not_taken_faster_than_it_is_used(raw: RawClient) -> None:
    """Its window opens again only when messages were used; a client that sends on regardless breaks the protocol."""
    raw.send(frames.frame(FrameKind.HEADERS, END_HEADERS, 1, raw.block("/s/stuck")))
    for _ in range(WINDOW // (16 * 1024) + 1):
        raw.send(data(1, message(bytes(16 * 1024 - 5))))
    reset = raw.await_frame(FrameKind.RST_STREAM, of=1)
    assert int.from_bytes(reset, "big") == ErrorCode.FLOW_CONTROL_ERROR


# ---- messages alone


def test_messages_are_cut_wherever_they_arrive() -> None:
    whole = message(b"") + message(b"abc") + message(b"x" * 1000)
    for size in (1, 2, 3, 7, 500, len(whole)):
        messages = Messages(1000)
        pieces = [memoryview(whole)[at : at + size] for at in range(0, len(whole), size)]
        found = [each for piece in pieces for each in messages.feed(piece)]
        assert found == [(False, b""), (False, b"abc"), (False, b"x" * 1000)]
        assert messages.is_between


def expanded(content: bytes, encoding: str = "gzip", most: int = 10 * MEBIBYTE, expansion: int = 200) -> bytes:
    return decompress(content, encoding, most, expansion, lambda size: None)


def test_messages_have_a_limit_and_so_has_what_they_unfold_to() -> None:
    with pytest.raises(TooLarge, match=r"1001 vs\. 1000"):
        Messages(1000).feed(memoryview(message(bytes(1001))))
    zeros = gzip.compress(bytes(9 * MEBIBYTE))
    with pytest.raises(TooLarge):
        expanded(zeros, most=100_000, expansion=2000)
    with pytest.raises(TooLarge):
        expanded(zeros)
    assert expanded(zeros, expansion=2000) == bytes(9 * MEBIBYTE)
    assert expanded(gzip.compress(bytes(1_000_000))) == bytes(1_000_000)
    assert expanded(zlib.compress(b"abc"), "deflate") == b"abc"


@pytest.mark.parametrize("encoding", ["identity", "snappy", "gzip"])
def test_messages_compressed_in_another_way(encoding: str) -> None:
    with pytest.raises(BadMessage):
        expanded(zlib.compress(b"abc"), encoding)


WHOLE = gzip.compress(b"abc", mtime=0)


@pytest.mark.parametrize("broken", [b"", WHOLE[:-1], WHOLE + b"more"], ids=["empty", "cut", "longer"])
def test_messages_that_do_not_end_where_they_should(broken: bytes) -> None:
    with pytest.raises(BadMessage):
        expanded(broken)
