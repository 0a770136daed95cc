"""Raw-bytes calls to a Spark Connect server: what the client sent goes through without being decoded again."""

from collections.abc import Iterable, Iterator
from typing import Any

import grpc

SERVICE = "/spark.connect.SparkConnectService/"
STREAMING = {"ExecutePlan", "ReattachExecute"}
UNLIMITED = -1
CHANNEL_OPTIONS = [
    ("grpc.max_send_message_length", UNLIMITED),
    ("grpc.max_receive_message_length", UNLIMITED),
    ("grpc.enable_retries", 0),  # the client at our door retries; twice would multiply
    ("grpc.use_local_subchannel_pool", 1),
    # A JVM that is starting refuses connections at first: ask again soon, not after grpc's growing minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
]


class Relay:
    """All RPCs of one Spark Connect server, bytes in and bytes out."""

    def __init__(self, channel: grpc.Channel, metadata: tuple[tuple[str, str], ...] = ()) -> None:
        self._channel = channel
        self._metadata = metadata
        self._unary: dict[str, Any] = {}

    def unary(self, rpc: str, request: bytes, timeout: float | None = None) -> bytes:
        answer: bytes = self._method(rpc, "unary_unary")(request, timeout=timeout, metadata=self._metadata)
        return answer

    def stream(self, rpc: str, request: bytes) -> Any:
        """A grpc call: iterate for the responses, `cancel()` to stop listening."""
        return self._method(rpc, "unary_stream")(request, metadata=self._metadata)

    def add_artifacts(self, requests: Iterable[bytes]) -> bytes:
        answer: bytes = self._method("AddArtifacts", "stream_unary")(iter(requests), metadata=self._metadata)
        return answer

    def close(self) -> None:
        self._channel.close()

    def _method(self, rpc: str, kind: str) -> Any:
        if rpc not in self._unary:
            # No serializers: grpc then takes and gives the message's bytes.
            self._unary[rpc] = getattr(self._channel, kind)(SERVICE + rpc)
        return self._unary[rpc]


def local_channel(port: int) -> grpc.Channel:
    return grpc.insecure_channel(f"127.0.0.1:{port}", options=CHANNEL_OPTIONS)


def until_cancelled(call: Any) -> Iterator[bytes]:
    """The responses of a streaming call; leaving the loop early hangs up."""
    try:
        yield from call
    finally:
        call.cancel()
