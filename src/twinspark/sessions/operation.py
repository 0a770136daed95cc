"""The interface of an operation (one ExecutePlan request), whichever engine runs it, and its state."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, Protocol

from pyspark.sql.connect.proto import base_pb2

from twinspark.compile.pipeline import CompiledPlan
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


@dataclass(frozen=True)
class Activity:
    """What a running operation has done so far; `progress` is between 0 and 1, None if it is unknown."""

    started: float  # by the monotonic clock
    rows: int = 0
    sent_bytes: int = 0
    progress: float | None = None


@dataclass(frozen=True)
class OperationResult:
    """What is known of an operation after its end, for the history."""

    rows: int = 0
    sent_bytes: int = 0
    condition: str = ""
    error: str = ""
    compiled: Sequence[CompiledPlan] = ()  # what DuckDB ran
    notes: dict[str, Any] | None = None  # facts about a cached plan, stored for all runs of it
    profile: str = ""  # of DuckDB, as JSON
    spark_metrics: bytes = b""  # ExecutePlanResponse.Metrics


NO_RESULT = OperationResult()


@dataclass(frozen=True)
class EndedOperation:
    """An operation that has ended: its engine, the reason for that engine, and its outcome."""

    session_id: str
    operation_id: str
    engine: str
    cause: Cause
    outcome: str
    seconds: float
    user_id: str
    plan_request: PlanRequest
    result: OperationResult = NO_RESULT


class Operation(Protocol):
    """What the session and the servers need of an execution, whichever engine runs it."""

    plan_request: PlanRequest
    cause: Cause

    @property
    def state(self) -> State: ...

    @property
    def engine(self) -> str: ...

    def activity(self) -> Activity: ...

    def result(self) -> OperationResult:
        """What is known of it for the history, also while it runs."""

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
