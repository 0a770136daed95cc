"""gRPC calls to a Spark Connect server with raw bytes: the client's messages are relayed without being decoded
again."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc

SERVICE = "/spark.connect.SparkConnectService/"
STREAMING = {"ExecutePlan", "ReattachExecute"}
UNLIMITED = -1
CHANNEL_OPTIONS = [
    ("grpc.max_send_message_length", UNLIMITED),
    ("grpc.max_receive_message_length", UNLIMITED),
    ("grpc.enable_retries", 0),  # our own client retries already; retrying here too would multiply the attempts
    ("grpc.use_local_subchannel_pool", 1),
    # A Spark that is starting rejects connections at first: retry soon, without grpc's growing backoff.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
]
CONNECT_TIMEOUT = "grpc.min_reconnect_backoff_ms"  # despite its name this is also the timeout of one connection attempt


class ResponseClock:
    """Counts the calls that wait for Spark and records when Spark last responded, for the hang detection."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting = 0
        self.last = time.monotonic()

    def note(self) -> None:
        self.last = time.monotonic()

    @property
    def seconds_ago(self) -> float:
        return time.monotonic() - self.last

    @property
    def is_awaited(self) -> bool:
        return self._waiting > 0

    def begin(self) -> None:
        with self._changed:
            if self._waiting == 0:
                self.note()  # silence counts from the first waiting call
            self._waiting += 1
            self._changed.notify_all()

    def end(self) -> None:
        self.note()
        with self._changed:
            self._waiting -= 1

    def wait_for_call(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._waiting > 0, seconds)

    @contextmanager
    def during(self) -> Iterator[None]:
        self.begin()
        try:
            yield
        finally:
            self.end()


class Responses:
    """A streaming call: iterate for the responses, `cancel()` to stop reading."""

    def __init__(self, call: Any, clock: ResponseClock) -> None:
        self._call = call
        self._clock = clock
        clock.begin()
        if not call.add_callback(clock.end):  # it has ended already
            clock.end()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        response: bytes = next(self._call)
        self._clock.note()
        return response

    def cancel(self) -> None:
        self._call.cancel()


class Closed(grpc.RpcError):  # type: ignore[misc]
    """A call on a relay that was closed meanwhile: treated like a broken connection."""

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNAVAILABLE

    def details(self) -> str:
        return "this Spark was given up"

    def trailing_metadata(self) -> tuple[()]:
        return ()


def call_on(method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    try:
        return method(*args, **kwargs)
    except ValueError as error:  # grpc raises it for a closed channel
        raise Closed(str(error)) from error


class Relay:
    """All RPCs of one Spark Connect server, bytes in and bytes out."""

    def __init__(self, channel: grpc.Channel, metadata: tuple[tuple[str, str], ...] = ()) -> None:
        self._channel = channel
        self._metadata = metadata
        self._unary: dict[str, Any] = {}
        self.clock = ResponseClock()
        self.failure = ""  # why this Spark was abandoned: every call that waited then ends with it

    def unary(self, rpc: str, request: bytes, timeout: float | None = None) -> bytes:
        with self.clock.during():
            answer: bytes = call_on(self._method(rpc, "unary_unary"), request, timeout=timeout, metadata=self._metadata)
            return answer

    def ask(self, rpc: str, request: bytes, patience: float) -> bytes | None:
        """A call with a limited wait; None if no response came within `patience` seconds, though the call continues."""
        call = call_on(self._method(rpc, "unary_unary").future, request, metadata=self._metadata)
        self.clock.begin()
        call.add_done_callback(lambda _: self.clock.end())
        try:
            answer: bytes = call.result(timeout=patience)
        except grpc.FutureTimeoutError:
            return None
        return answer

    def ping(self, request: bytes, timeout: float) -> None:
        """A call by the hang detection, which does not count as waiting."""
        call_on(self._method("AnalyzePlan", "unary_unary"), request, timeout=timeout, metadata=self._metadata)

    def stream(self, rpc: str, request: bytes) -> Responses:
        return Responses(call_on(self._method(rpc, "unary_stream"), request, metadata=self._metadata), self.clock)

    def add_artifacts(self, requests: Iterable[bytes]) -> bytes:
        with self.clock.during():
            answer: bytes = call_on(
                self._method("AddArtifacts", "stream_unary"), iter(requests), metadata=self._metadata
            )
            return answer

    def close(self) -> None:
        self._channel.close()

    def _method(self, rpc: str, kind: str) -> Any:
        if rpc not in self._unary:
            # Without serializers grpc passes the message's bytes through.
            self._unary[rpc] = getattr(self._channel, kind)(SERVICE + rpc)
        return self._unary[rpc]


def local_channel(port: int) -> grpc.Channel:
    return grpc.insecure_channel(f"127.0.0.1:{port}", options=[*CHANNEL_OPTIONS, (CONNECT_TIMEOUT, 1000)])


def until_cancelled(call: Any) -> Iterator[bytes]:
    """The responses of a streaming call; leaving the loop early cancels the call."""
    try:
        yield from call
    finally:
        call.cancel()
