"""Long attacks on the listening ports of a real server, with what they cost it; PySpark is answered all the while."""

import gzip
import resource
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from pyspark.sql import SparkSession
from served import MEBIBYTE, Served, State, allow_many_files

import twinspark.driver as driver
from twinspark.doors.http2 import frames
from twinspark.doors.http2.frames import END_HEADERS, END_STREAM, PREFACE, FrameKind, Setting

sys.path.insert(0, str(Path(__file__).parent.parent / "doors"))
from raw_http2 import RawClient, data, message

pytestmark = pytest.mark.attack
HELLO = PREFACE + frames.settings({})
LOGIN = struct.pack(">bi", 1, 5) + b"PLAIN" + struct.pack(">bi", 2, 4) + b"\0u\0p"
PATH = "/spark.connect.SparkConnectService/AnalyzePlan"
IDLE = 10_000


@contextmanager
def client_of(served: Served) -> Iterator[SparkSession]:
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{served.port}").create()
    yield session
    session.stop()


def answers(session: SparkSession) -> bool:
    return [tuple(row) for row in session.sql("select 1 + 1").collect()] == [(2,)]


@contextmanager
def crowd(port: int, count: int, said: bytes = b"") -> Iterator[list[socket.socket]]:
    """So many sockets; those that were turned away are among them, closed by the other side."""
    lines: list[socket.socket] = []
    try:
        for index in range(count):
            lines.append(socket.create_connection(("127.0.0.1", port), timeout=60))
            send(lines[-1], said)
            if index % 500 == 499:
                time.sleep(0.1)
        yield lines
    finally:
        for line in lines:
            line.close()


def send(line: socket.socket, said: bytes) -> bool:
    try:
        line.sendall(said)
    except OSError:
        return False
    return True


def change(before: State, after: State) -> str:
    return f"memory {before[0]} -> {after[0]} MiB, threads {before[1]} -> {after[1]}"


def report(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with capsys.disabled():
        print(f"\n  {text}", end="")


CROWDS = {"silent": b"", "HTTP/2": HELLO, "half a preface": PREFACE[:11], "half a frame": HELLO + b"\0\0\x08\x06"}


@pytest.mark.parametrize("name", CROWDS)
@pytest.mark.parametrize("most", [4096, 20_000])
def test_ten_thousand_idle_connections(name: str, most: int, capsys: pytest.CaptureFixture[str]) -> None:
    """It was 3 GB and 10,000 threads."""
    allow_many_files(60_000)
    limits = ["--max-connections", str(most), "--limit", f"connections_per_address={most}"]
    patience = [f"--limit={name}_seconds=600" for name in ("handshake", "header", "login")]
    with Served(*limits, *patience) as served, client_of(served) as session:
        assert answers(session)
        before = served.state()
        with crowd(served.port, IDLE, CROWDS[name]):
            assert answers(session)
            after = served.state()
            held = served.open_files()
        assert answers(session)
    report(capsys, f"{IDLE} {name}, at most {most}: {held} files, {change(before, after)}")
    assert after[0] - before[0] < 100
    assert after[1] <= before[1] + 4


def test_half_open_logins_at_the_thrift_door(capsys: pytest.CaptureFixture[str]) -> None:
    """1,500 of them held 1,500 threads."""
    with Served("--thrift-port", "0", "--limit", "connections_per_address=4000") as served:
        assert thrift_answers(served)
        before = served.state()
        for said in (b"", b"\x01", LOGIN[:-2], b"POST / HTTP/1.1\r\nA:", b"\x80\x01\0\x01"):
            with crowd(served.thrift_port, 1500, said):
                time.sleep(0.5)
                after = served.state()
                assert thrift_answers(served)
            report(capsys, f"1500 x {said[:12]!r}: {change(before, after)}")
            assert after[0] - before[0] < 50
            assert after[1] <= before[1] + 6


def thrift_answers(served: Served) -> bool:
    with driver.connect("127.0.0.1", served.thrift_port) as connection:
        return connection.cursor().execute("select 1").fetchall() == [(1,)]


def test_a_process_that_gets_no_more_threads(capsys: pytest.CaptureFixture[str]) -> None:
    """100 idle sockets under a limit of 60 processes ended the accept thread for good."""
    with Served() as served:
        with client_of(served) as session:
            assert answers(session)
        pages = int(Path(f"/proc/{served.pid}/statm").read_text().split()[0])
        served.limit(resource.RLIMIT_AS, pages * resource.getpagesize() + 8 * MEBIBYTE)  # a stack has 64
        with crowd(served.port, 200, HELLO):
            refused = [call_once(served) for _ in range(20)]
        served.unlimit(resource.RLIMIT_AS)
        with client_of(served) as session:
            assert answers(session)
    report(capsys, f"calls without a thread: {sorted(set(map(str, refused)))}")


def call_once(served: Served) -> grpc.StatusCode | None:
    with grpc.insecure_channel(f"127.0.0.1:{served.port}") as channel:
        try:
            channel.unary_unary(PATH)(b"", timeout=20)
        except grpc.RpcError as error:
            return error.code()
    return None


def test_a_process_that_may_open_no_more_files(capsys: pytest.CaptureFixture[str]) -> None:
    """accept() fails with EMFILE, and goes on when there is room."""
    with Served() as served, client_of(served) as session:
        assert answers(session)
        served.limit(resource.RLIMIT_NOFILE, served.open_files() + 20)
        with crowd(served.port, 200, HELLO):
            time.sleep(1)
            held = served.open_files()
        served.unlimit(resource.RLIMIT_NOFILE)
        with client_of(served) as other:
            assert answers(other)
    warned = sum("could not be accepted" in line for line in served.lines)
    report(capsys, f"200 connections, {held} files, {warned} warnings")
    assert warned >= 1


def test_compressed_messages_by_the_dozen(capsys: pytest.CaptureFixture[str]) -> None:
    """1.5 MB on the wire were 1.3 GB in memory."""
    bomb = message(gzip.compress(bytes(128 * MEBIBYTE)), is_compressed=True)
    with Served() as served, client_of(served) as session:
        assert answers(session)
        before = served.memory()
        peak = Peak(served)
        for _ in range(20):
            raw = RawClient(served.port)
            for stream in range(1, 13, 2):
                raw.send(frames.frame(FrameKind.HEADERS, END_HEADERS, stream, raw.block(PATH, grpc_encoding="gzip")))
                for at in range(0, len(bomb), 16_384):
                    raw.send(data(stream, bomb[at : at + 16_384]))
                raw.send(data(stream, b"", END_STREAM))
            raw.answer(11)
            raw.close()
        highest = peak.stop()
        assert answers(session)
    report(capsys, f"120 bombs of {len(bomb)} bytes: memory {before} -> at most {highest} MiB")
    assert highest - before < 250


class Peak:
    """The most memory that was seen."""

    def __init__(self, served: Served) -> None:
        self._served, self._is_over, self._most = served, threading.Event(), 0
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._is_over.wait(0.05):
            self._most = max(self._most, self._served.memory())

    def stop(self) -> int:
        self._is_over.set()
        self._thread.join()
        return self._most


def continuations(raw: RawClient) -> bytes:
    begun = frames.frame(FrameKind.HEADERS, 0, 1, raw.block(PATH))
    return begun + frames.frame(FrameKind.CONTINUATION, 0, 1) * 5000


def rapid_resets(raw: RawClient) -> bytes:
    pieces = []
    for stream in range(1, 4001, 2):
        pieces.append(frames.frame(FrameKind.HEADERS, END_HEADERS, stream, raw.block(PATH)))
        pieces.append(frames.reset(stream, frames.ErrorCode.CANCEL))
    return b"".join(pieces)


FLOODS: dict[str, Callable[[RawClient], bytes]] = {
    "continuations": continuations,
    "resets": rapid_resets,
    "pings": lambda raw: frames.frame(FrameKind.PING, 0, 0, bytes(8)) * 20_000,
    "settings": lambda raw: frames.settings({Setting.INITIAL_WINDOW_SIZE: 7}) * 20_000,
    "windows": lambda raw: frames.window_update(0, 1) * 20_000,
    "priorities": lambda raw: frames.frame(FrameKind.PRIORITY, 0, 1, bytes(5)) * 20_000,
    "noise": lambda raw: bytes(range(256)) * 2000,
}


@pytest.mark.parametrize("name", FLOODS)
def test_floods(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Five clients that come back whenever they are cut, for five seconds; the sixth wants an answer."""
    with Served() as served, client_of(served) as session:
        assert answers(session)
        before = served.state()
        until, counts = time.monotonic() + 5, [0] * 5
        flooding = [
            threading.Thread(target=flood, args=(served.port, name, until, counts, index)) for index in range(5)
        ]
        for each in flooding:
            each.start()
        slowest = 0.0
        while time.monotonic() < until:
            started = time.monotonic()
            assert answers(session)
            slowest = max(slowest, time.monotonic() - started)
        for each in flooding:
            each.join()
        time.sleep(1)
        after = served.state()
    report(capsys, f"{name}: {sum(counts)} floods, slowest query {slowest * 1000:.0f} ms, {change(before, after)}")
    assert after[0] - before[0] < 100
    assert slowest < 10


def flood(port: int, name: str, until: float, counts: list[int], index: int) -> None:
    while time.monotonic() < until:
        try:
            raw = RawClient(port)
            raw.line.settimeout(5)
            counts[index] += 1
            raw.send(FLOODS[name](raw))
            for _ in raw.frames():
                pass
        except OSError:
            pass
        raw.close()


def test_results_that_nobody_reads(capsys: pytest.CaptureFixture[str]) -> None:
    """Forty clients ask for a large result each, open their windows as wide as they go, and read nothing."""
    from pyspark.sql.connect.proto import base_pb2

    with Served() as served, client_of(served) as session:
        assert answers(session)
        before = served.memory()
        lines = []
        for index in range(40):
            request = base_pb2.ExecutePlanRequest(session_id=f"00000000-0000-0000-0000-{index:012}")
            request.plan.root.sql.query = "select id, uuid() from range(20000000)"
            raw = RawClient(served.port, {Setting.INITIAL_WINDOW_SIZE: 2**31 - 1})
            raw.send(frames.window_update(0, 2**31 - 1 - 65_535))
            raw.call(1, "/spark.connect.SparkConnectService/ExecutePlan", request.SerializeToString())
            lines.append(raw)
        time.sleep(10)
        after = served.memory()
        assert answers(session)
        for raw in lines:
            raw.close()
    report(capsys, f"40 results that nobody reads: memory {before} -> {after} MiB")
    assert after - before < 1500
