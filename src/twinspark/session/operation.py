"""One execution: its id, its tags, the engine it runs on, and the responses a client may come back for."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, Protocol

import grpc
from pyspark.sql.connect.proto import base_pb2

from twinspark.session.spark_side import SparkSide


class State(Enum):
    """Spark's OperationState, by its own words."""

    RUNNING = "RUNNING"
    TERMINATING = "TERMINATING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True)
class Asked:
    """An ExecutePlan request as it came: parsed once, and the very bytes for Spark."""

    request: Any
    plan: Any  # its plan, decompressed where it came compressed
    data: bytes
    operation_id: str

    @cached_property
    def tags(self) -> frozenset[str]:
        return frozenset(self.request.tags)

    @cached_property
    def reattachable(self) -> bool:
        options = self.request.request_options
        return any(each.reattach_options.reattachable for each in options if each.HasField("reattach_options"))


class Operation(Protocol):
    """What the session and the door need of an execution, whichever engine runs it."""

    asked: Asked
    reason: str
    state: State

    @property
    def engine(self) -> str: ...

    def responses(self) -> Iterator[bytes]: ...

    def reattach(self, request: Any, data: bytes) -> Iterator[bytes]: ...

    def release(self, request: Any, data: bytes) -> None: ...

    def interrupt(self) -> bool: ...

    def hang_up(self) -> None: ...

    @property
    def detached_seconds(self) -> float: ...

    @property
    def lost(self) -> bool:
        """Whether the Spark that ran it is gone, and the operation with it: the client has to start again."""


@dataclass
class RelayedOperation:
    """An execution on Spark: its responses pass through, and Spark keeps them for a client that reattaches."""

    asked: Asked
    spark: SparkSide
    reason: str
    ended: Callable[["RelayedOperation"], None]
    state: State = State.RUNNING
    started: float = field(default_factory=time.monotonic)
    _generation: int = 0
    _call: Any = None
    _left: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def engine(self) -> str:
        return "spark"

    def responses(self) -> Iterator[bytes]:
        self.spark.ready()
        self._generation = self.spark.generation
        yield from self._followed("ExecutePlan", self.asked.data)

    def reattach(self, request: Any, data: bytes) -> Iterator[bytes]:
        yield from self._followed("ReattachExecute", data)

    def release(self, request: Any, data: bytes) -> None:
        if self.known_to_spark:
            self.spark.unary("ReleaseExecute", data)

    def interrupt(self) -> bool:
        return False  # Spark interrupts its own: the door relays the request

    def hang_up(self) -> None:
        """The client has left: stop listening to Spark for it (Spark keeps the operation for a while)."""
        with self._lock:
            self._left = time.monotonic()
            if self._call is not None:
                self._call.cancel()

    @property
    def detached_seconds(self) -> float:
        """Spark abandons its own; we only forget what has long ended."""
        return 0.0 if self._left is None else time.monotonic() - self._left

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def known_to_spark(self) -> bool:
        return self.spark.open and self._generation == self.spark.generation

    @property
    def lost(self) -> bool:
        return self._generation != 0 and not self.known_to_spark

    def _followed(self, rpc: str, data: bytes) -> Iterator[bytes]:
        complete = False
        try:
            for response in self.spark.stream(rpc, data, self._keep):
                if is_complete(response):
                    complete = True
                    self._finish()  # before the client hears of it: its next request must find everything settled
                yield response
                yield b""  # what Spark sends goes on at once
        except grpc.RpcError as failure:
            self._fail(failure)
            raise
        if not complete and not self.asked.reattachable:
            self._finish()

    def _keep(self, call: Any) -> None:
        with self._lock:
            self._call, self._left = call, None

    def _fail(self, failure: grpc.RpcError) -> None:
        """An error that Spark answered is the operation's end; a broken connection is not: the client may return."""
        if failure.code() == grpc.StatusCode.INTERNAL and self.state is State.RUNNING:
            canceled = "OPERATION_CANCELED" in (failure.details() or "")
            self.state = State.CANCELLED if canceled else State.FAILED
            self.ended(self)

    def _finish(self) -> None:
        if self.state is State.RUNNING:
            self.state = State.SUCCEEDED
            self.ended(self)


def is_complete(response: bytes) -> bool:
    """ResultComplete is tiny, so only tiny responses are decoded to look for it."""
    return len(response) < 1000 and base_pb2.ExecutePlanResponse.FromString(response).HasField("result_complete")
