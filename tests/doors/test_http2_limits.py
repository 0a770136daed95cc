"""What a hostile client may not do to the Connect door: each limit, set low, and that others are served meanwhile."""

import gzip
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from raw_http2 import RawClient, data, message
from waiting import until

from twinspark.doors.http2 import Call, CallRejected, Http2Server, Kind, Method, frames
from twinspark.doors.http2.frames import ACK, END_HEADERS, END_STREAM, PREFACE, ErrorCode, FrameKind, Setting
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.threads import DaemonThreads

MEBIBYTE = 1024 * 1024
WIDE = {Setting.INITIAL_WINDOW_SIZE: 2**31 - 1}


class Service:
    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.produced = 0

    def echo(self, request: bytes, call: Call) -> bytes:
        return request

    def upload(self, requests: Iterator[bytes], call: Call) -> bytes:
        return str(sum(map(len, requests))).encode()

    def wait(self, request: bytes, call: Call) -> bytes:
        return str(self.go_on.wait(60)).encode()

    def stream(self, request: bytes, call: Call) -> Iterator[bytes]:
        for _ in range(int(request)):
            self.produced += 1
            yield bytes(MEBIBYTE)

    def methods(self) -> dict[str, Method]:
        return {
            "/s/echo": Method(Kind.UNARY, self.echo),
            "/s/upload": Method(Kind.UPLOAD, self.upload),
            "/s/wait": Method(Kind.UNARY, self.wait),
            "/s/stream": Method(Kind.STREAM, self.stream),
        }


def only_friends(headers: Any) -> None:
    if headers.get("who") == "foe":
        raise CallRejected(grpc.StatusCode.UNAUTHENTICATED, "not you")


class Started:
    """A server with some limits, and clients that are closed with it."""

    def __init__(self, threads: DaemonThreads | None = None, **limits: float) -> None:
        self.service = Service()
        self.limits = Limits().with_changes(f"{name}={value}" for name, value in limits.items())
        pool = threads or DaemonThreads("limited")
        self.server = Http2Server("127.0.0.1", 0, self.service.methods(), only_friends, pool, self.limits)
        self.server.start()
        self._clients: list[RawClient | socket.socket] = []

    def __enter__(self) -> "Started":
        return self

    def __exit__(self, *_: object) -> None:
        self.service.go_on.set()
        for each in self._clients:
            each.close()
        self.server.stop()

    def client(self, settings: dict[Setting, int] | None = None, preface: bytes = PREFACE) -> RawClient:
        client = RawClient(self.server.port, settings, preface)
        self._clients.append(client)
        return client

    def silent(self, said: bytes = b"") -> socket.socket:
        """Only a socket."""
        line = socket.create_connection(("127.0.0.1", self.server.port), timeout=30)
        line.sendall(said)
        self._clients.append(line)
        return line

    def rejected(self, limit: str) -> int:
        return self.server.state().rejected.get(limit, 0)

    def is_well(self) -> bool:
        client = self.client()
        client.call(1, "/s/echo", b"well")
        return client.answer(1)[0] == message(b"well")


def opened(raw: RawClient, stream: int, path: str = "/s/upload", **more: str) -> bytes:
    return frames.frame(FrameKind.HEADERS, END_HEADERS, stream, raw.block(path, **more))


def is_cut(raw: RawClient) -> bool:
    """Its stream ends, politely or not."""
    for _ in raw.frames():
        pass
    return True


# ---- connections


def test_idle_connections_cost_no_thread() -> None:
    with Started() as door:
        assert door.is_well()
        before = threading.active_count()
        for _ in range(50):
            door.silent()
            door.client()
        assert until(lambda: door.server.state().connections >= 100)
        assert threading.active_count() <= before
        assert door.is_well()


def test_a_connection_that_falls_idle_gives_its_thread_back() -> None:
    with Started(reading_seconds=0.2) as door:
        before = threading.active_count()
        clients = [door.client() for _ in range(20)]
        for each in clients:
            each.call(1, "/s/echo", b"x")
            each.answer(1)
        assert until(lambda: door.server.door.workers.in_use == 0)
        assert threading.active_count() <= before + 20  # pool threads wait a minute for other work
        for each in clients:
            each.call(3, "/s/echo", b"again")
            assert each.answer(3)[0] == message(b"again")


def test_a_newcomer_pushes_out_who_never_called() -> None:
    with Started(connections=10) as door:
        friend = door.client()
        friend.call(1, "/s/echo", b"x")
        friend.answer(1)
        strangers = [door.client() for _ in range(30)]
        assert door.is_well()
        assert all(map(is_cut, strangers[:15]))
        assert door.rejected("connections") >= 20
        friend.call(3, "/s/echo", b"still")
        assert friend.answer(3)[0] == message(b"still")


def test_too_many_friends_are_turned_away_politely() -> None:
    with Started(connections=3) as door:
        friends = [door.client() for _ in range(3)]
        for each in friends:
            each.call(1, "/s/echo", b"x")
            each.answer(1)
        assert door.silent().recv(1) == b""
        friends[0].close()
        assert until(lambda: door.server.state().connections == 2)
        assert door.is_well()


def test_one_address_has_its_own_limit_and_grpc_says_unavailable() -> None:
    with Started(connections_per_address=2) as door:
        friends = [door.client(), door.client()]
        for each in friends:
            each.call(1, "/s/echo", b"x")
            each.answer(1)
        with grpc.insecure_channel(f"127.0.0.1:{door.server.port}") as channel:
            with pytest.raises(grpc.RpcError) as caught:
                channel.unary_unary("/s/echo")(b"x", timeout=10)
            assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
            friends[0].close()
            assert channel.unary_unary("/s/echo")(b"x", timeout=30, wait_for_ready=True) == b"x"
        assert door.rejected("connections_per_address") >= 1


# ---- time


@pytest.mark.parametrize("said", [b"", PREFACE[:10]])
def test_who_does_not_say_its_protocol(said: bytes) -> None:
    with Started(handshake_seconds=0.3) as door:
        assert door.silent(said).recv(1) == b""
        assert door.rejected("handshake_seconds") == 1


def test_who_is_not_let_in_for_long() -> None:
    with Started(login_seconds=0.5) as door:
        foe, friend = door.client(), door.client()
        friend.call(1, "/s/echo", b"x")
        foe.call(1, "/s/echo", b"x", who="foe")
        assert foe.answer(1)[1]["grpc-status"] == "16"
        assert foe.failure() == ErrorCode.ENHANCE_YOUR_CALM
        friend.call(3, "/s/echo", b"x")
        assert friend.answer(3)[0] == message(b"x")


@pytest.mark.parametrize("half", [b"\0\0", frames.head(FrameKind.PING, 0, 0, 8) + b"1234"])
def test_half_a_frame(half: bytes) -> None:
    with Started(header_seconds=0.3) as door:
        slow = door.client()
        slow.call(1, "/s/echo", b"x")
        slow.answer(1)
        slow.send(half)
        assert slow.failure() == ErrorCode.ENHANCE_YOUR_CALM


def test_half_a_block_of_headers() -> None:
    with Started(header_seconds=0.3) as door:
        slow = door.client()
        slow.send(frames.frame(FrameKind.HEADERS, 0, 1, slow.block("/s/echo")))
        assert slow.failure() == ErrorCode.ENHANCE_YOUR_CALM


def test_half_a_request() -> None:
    with Started(request_seconds=0.3) as door:
        slow = door.client()
        slow.send(opened(slow, 1, "/s/echo"), data(1, b"\0\0\0\0\x09a"))
        assert slow.answer(1)[1]["grpc-status"] == "4"
        slow.send(opened(slow, 3, "/s/upload"), data(3, message(b"a")))
        assert slow.answer(3)[1]["grpc-status"] == "4"
        assert door.rejected("request_seconds") == 2


def test_a_grpc_client_does_not_notice_that_it_was_idle() -> None:
    with (
        Started(idle_seconds=0.3, closing_seconds=0.3) as door,
        grpc.insecure_channel(f"127.0.0.1:{door.server.port}") as channel,
    ):
        for _ in range(2):
            assert channel.unary_unary("/s/echo")(b"x", timeout=30) == b"x"
            assert until(lambda: door.server.state().connections == 0)


def test_a_call_that_runs_is_not_idle() -> None:
    with Started(idle_seconds=0.2) as door:
        raw = door.client()
        raw.call(1, "/s/wait", b"")
        time.sleep(2.5)
        door.service.go_on.set()
        assert raw.answer(1)[0] == message(b"True")


# ---- bytes that come in


def test_what_a_connection_may_leave_unread() -> None:
    with Started(unread_bytes_per_connection=100_000) as door:
        raw = door.client()
        for stream in (1, 3):
            raw.send(opened(raw, stream, "/s/echo"), data(stream, message(bytes(60_000))))
        assert raw.answer(3)[1]["grpc-status"] == "8"
        raw.send(data(1, b"", END_STREAM))
        assert len(raw.answer(1)[0]) == 60_005
        assert until(lambda: door.server.state().unread_bytes == 0)


def test_what_all_may_leave_unread() -> None:
    with Started(unread_bytes=100_000) as door:
        first, second = door.client(), door.client()
        first.send(opened(first, 1, "/s/echo"), data(1, message(bytes(60_000))))
        assert until(lambda: door.server.state().unread_bytes == 60_005)
        second.call(1, "/s/echo", bytes(60_000))
        assert second.answer(1)[1]["grpc-status"] == "14"  # UNAVAILABLE: clients try again
        first.close()
        assert until(lambda: door.server.state().unread_bytes == 0)
        second.call(3, "/s/echo", bytes(60_000))
        assert len(second.answer(3)[0]) == 60_005


def test_a_unary_call_takes_one_message() -> None:
    """1.5 MB of gzip on the wire became 1.3 GB: twelve messages of 128 MiB each were all decompressed and queued."""
    with Started() as door:
        raw = door.client()
        bomb = message(gzip.compress(bytes(MEBIBYTE)), is_compressed=True)
        raw.send(opened(raw, 1, "/s/echo", grpc_encoding="gzip"), data(1, bomb), data(1, bomb))
        assert raw.answer(1)[1]["grpc-status"] == "13"
        assert door.is_well()


def compressed_call(raw: RawClient, stream: int, content: bytes) -> tuple[bytes, str]:
    raw.send(opened(raw, stream, "/s/echo", grpc_encoding="gzip"))
    compressed = message(gzip.compress(content, 1), is_compressed=True)
    for at in range(0, len(compressed), MEBIBYTE):
        raw.send(data(stream, compressed[at : at + MEBIBYTE]))
    raw.send(data(stream, b"", END_STREAM))
    answer, headers = raw.answer(stream)
    return answer, headers["grpc-status"]


def test_a_message_expands_so_far_and_no_further() -> None:
    with Started() as door:
        raw = door.client()
        assert compressed_call(raw, 1, bytes(64 * MEBIBYTE)) == (b"", "8")  # RESOURCE_EXHAUSTED
        assert compressed_call(raw, 3, b"a" * 10_000) == (message(b"a" * 10_000), "0")
        assert door.rejected("expansion") == 1


def test_what_is_decompressed_counts_as_unread() -> None:
    with Started(unread_bytes=3 * MEBIBYTE) as door:
        raw = door.client()
        assert compressed_call(raw, 1, os.urandom(2 * MEBIBYTE).hex().encode()) == (b"", "14")  # UNAVAILABLE
        assert compressed_call(raw, 3, b"a" * 10_000) == (message(b"a" * 10_000), "0")
        assert until(lambda: door.server.state().unread_bytes == 0)


# ---- frames that cost little to send


def test_empty_continuations() -> None:
    with Started() as door:
        raw = door.client()
        raw.send(frames.frame(FrameKind.HEADERS, 0, 1, raw.block("/s/echo")))
        raw.send(frames.frame(FrameKind.CONTINUATION, 0, 1) * 200)
        assert raw.failure() == ErrorCode.ENHANCE_YOUR_CALM
        assert door.rejected("header_bytes") == 1


def test_a_list_of_headers_that_is_short_on_the_wire() -> None:
    """One entry of the table, said again and again: a byte on the wire, four thousand when read."""
    with Started() as door:
        raw = door.client()
        raw.send(frames.frame(FrameKind.HEADERS, END_HEADERS, 1, raw.block("/s/upload", long="x" * 3000)))
        entry = raw.encoded(("long", "x" * 3000))
        assert len(entry) == 1
        raw.send(frames.frame(FrameKind.HEADERS, END_HEADERS, 3, raw.block("/s/upload") + entry * 1000))
        assert raw.failure() == ErrorCode.ENHANCE_YOUR_CALM
        assert door.is_well()


def test_rapid_resets() -> None:
    """CVE-2023-44487."""
    with Started(resets=100) as door:
        raw = door.client()
        streams = range(1, 301, 2)
        raw.send(*(opened(raw, each, "/s/wait") + frames.reset(each, ErrorCode.CANCEL) for each in streams))
        assert raw.failure() == ErrorCode.ENHANCE_YOUR_CALM
        assert door.rejected("resets") == 1
        assert door.is_well()


def test_resets_that_a_client_makes_us_send() -> None:
    """CVE-2025-8671: the client breaks a stream's rules instead of resetting it."""
    with Started(resets=100) as door:
        raw = door.client()
        streams = range(1, 301, 2)
        raw.send(*(opened(raw, each, "/s/upload") + frames.window_update(each, 0) for each in streams))
        assert raw.failure() == ErrorCode.ENHANCE_YOUR_CALM


FLOODS = {
    "pings": frames.frame(FrameKind.PING, 0, 0, bytes(8)),
    "settings": frames.settings({Setting.INITIAL_WINDOW_SIZE: 1000}),
    "acknowledgements": frames.frame(FrameKind.SETTINGS, ACK, 0),
    "window updates": frames.window_update(0, 1),
    "priorities": frames.frame(FrameKind.PRIORITY, 0, 7, bytes(5)),
    "unknown frames": frames.head(99, 0, 0, 0),  # type: ignore[arg-type]
    "empty data": data(1, b""),
}


@pytest.mark.parametrize("name", FLOODS)
def test_floods(name: str) -> None:
    with Started(control_frames=500) as door:
        raw = door.client()
        raw.send(opened(raw, 1, "/s/upload"), FLOODS[name] * 1000)
        assert raw.failure() == ErrorCode.ENHANCE_YOUR_CALM
        assert door.rejected("control_frames") == 1
        assert door.is_well()


def test_an_answer_in_small_windows_is_no_flood() -> None:
    """A client that reads a large answer sends a window update for every frame of it."""
    with Started(control_frames=50) as door:
        raw = door.client({Setting.INITIAL_WINDOW_SIZE: 16_384})
        raw.call(1, "/s/stream", b"4")
        size = 0
        while size < 4 * (MEBIBYTE + 5):
            size += (got := len(raw.await_frame(FrameKind.DATA, of=1)))
            raw.send(frames.window_update(0, got), frames.window_update(1, got))
        assert door.rejected("control_frames") == 0 and door.is_well()


def test_many_small_calls_are_no_flood() -> None:
    """gRPC sends window updates and a ping after each response: a busy client sends thousands of them in a second."""
    with Started(control_frames=20) as door:
        raw = door.client()
        for stream in range(1, 401, 2):
            raw.call(stream, "/s/echo", b"x")
            raw.await_frame(FrameKind.DATA, of=stream)
            raw.send(frames.window_update(0, 1), frames.window_update(0, 1), FLOODS["pings"])
        assert door.rejected("control_frames") == 0 and door.is_well()


def test_pings_of_who_reads_no_answers() -> None:
    """The answers wait in the server, up to a number; the thread that reads never waits for this client."""
    with Started(control_frames=10_000_000) as door:
        raw = door.client()
        with pytest.raises(OSError):
            for _ in range(1000):
                raw.send(FLOODS["pings"] * 1000)
        assert door.is_well()


# ---- calls and answers


def test_no_more_calls_than_the_server_may_run() -> None:
    with Started(calls=2) as door:
        waiting = [door.client(), door.client()]
        for each in waiting:
            each.call(1, "/s/wait", b"")
        assert until(lambda: door.server.door.workers.in_use == 2)
        late = door.client()
        late.call(1, "/s/echo", b"x")
        assert late.answer(1)[1]["grpc-status"] == "14"
        door.service.go_on.set()
        assert [each.answer(1)[0] for each in waiting] == [message(b"True")] * 2


class NoThreads(DaemonThreads):
    """A system that gives no more threads, until it does."""

    is_out = True

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Any:
        if self.is_out:
            raise RuntimeError("can't start new thread")
        return super().submit(call, *args, **kwargs)


def test_a_system_without_threads() -> None:
    threads = NoThreads("none")
    with Started(threads) as door:
        raw = door.client()
        raw.call(1, "/s/echo", b"x")
        assert raw.answer(1)[1]["grpc-status"] == "14"
        threads.is_out = False
        raw.call(3, "/s/echo", b"x")
        assert raw.answer(3)[0] == message(b"x")


def test_who_does_not_read_holds_a_bounded_answer() -> None:
    """Its windows are wide open, its socket is full: the method waits, and what it has made stays small."""
    with Started(unsent_bytes_per_connection=2 * MEBIBYTE) as door:
        raw = door.client(WIDE)
        raw.send(frames.window_update(0, 2**31 - 1 - 65_535))
        for stream in range(1, 21, 2):
            raw.call(stream, "/s/stream", b"1000")
        assert until(lambda: door.service.produced > 10)
        time.sleep(0.5)
        produced = door.service.produced
        assert produced < 60
        time.sleep(0.5)
        assert door.service.produced == produced
        assert door.is_well()


def test_who_does_not_read_for_too_long() -> None:
    with Started(stalled_seconds=0.3) as door:
        raw = door.client({Setting.INITIAL_WINDOW_SIZE: 10})
        raw.call(1, "/s/stream", b"10")
        assert int.from_bytes(raw.await_frame(FrameKind.RST_STREAM, of=1), "big") == ErrorCode.CANCEL
        assert until(lambda: door.server.door.workers.in_use <= 1)
        assert door.rejected("stalled_seconds") == 1


# ---- the limits themselves


def test_limits_are_set_by_name() -> None:
    changed = Limits().with_changes(["connections=7", "idle_seconds=1.5"])
    assert (changed.connections, changed.idle_seconds, changed.calls) == (7, 1.5, Limits().calls)
    for wrong in ("conections=7", "connections=many", "connections=0", "connections", "connections=1.5"):
        with pytest.raises(ValueError):
            Limits().with_changes([wrong])
