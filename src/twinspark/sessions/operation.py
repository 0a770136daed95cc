"""The interface of an operation (one ExecutePlan request), whichever engine runs it, and its state."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Protocol

from pyspark.sql.connect.proto import base_pb2

from twinspark.errors import Cause
from twinspark.sessions.effects import SqlEffects, effects_of_text, text_of_plan


class State(Enum):
    """Spark's OperationState, by its own names."""

    RUNNING = "RUNNING"
    TERMINATING = "TERMINATING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True)
class PlanRequest:
    """An ExecutePlan request: parsed once, with the original bytes for Spark."""

    request: base_pb2.ExecutePlanRequest
    plan: base_pb2.Plan  # its plan, decompressed if it was compressed
    data: bytes
    operation_id: str
    settings: Mapping[str, str] = field(default_factory=dict)  # of its session when the request arrived

    @cached_property
    def tags(self) -> frozenset[str]:
        return frozenset(self.request.tags)

    @cached_property
    def effects(self) -> SqlEffects:
        """What its SQL statement changes; nothing if the plan is no SQL statement."""
        text = text_of_plan(self.plan)
        return effects_of_text(text, self.settings) if text else SqlEffects()

    @cached_property
    def reattachable(self) -> bool:
        options = self.request.request_options
        return any(each.reattach_options.reattachable for each in options if each.HasField("reattach_options"))


class Operation(Protocol):
    """What the session and the servers need of an execution, whichever engine runs it."""

    plan_request: PlanRequest
    cause: Cause

    @property
    def state(self) -> State: ...

    @property
    def engine(self) -> str: ...

    def start(self) -> None:
        """Begins work that does not wait for the first reader."""

    def responses(self) -> Iterator[bytes]: ...

    def reattach(self, request: base_pb2.ReattachExecuteRequest, data: bytes) -> Iterator[bytes]: ...

    def release(self, request: base_pb2.ReleaseExecuteRequest, data: bytes) -> None: ...

    def interrupt(self) -> bool: ...

    def hang_up(self) -> None: ...

    @property
    def detached_seconds(self) -> float: ...

    @property
    def is_lost(self) -> bool:
        """Whether the Spark that ran it is gone: the client has to start the operation again."""
