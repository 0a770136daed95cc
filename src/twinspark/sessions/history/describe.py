"""Makes the record of an operation that has ended, or of one that is running."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import grpc
from google.protobuf.message import Message
from pyspark.sql.connect.proto import base_pb2

from twinspark.compile.describe import passes_text, sql_of
from twinspark.errors import Cause, JavaError, NotAllowed, NotNative, SparkError
from twinspark.sessions.effects import text_of_plan
from twinspark.sessions.history.plan_graph import nodes_of_plan, nodes_of_profile, nodes_of_spark
from twinspark.sessions.history.record import MOST_LINE, MOST_TEXT, Details, OperationRecord, shorten
from twinspark.sessions.operation import EndedOperation, Operation, OperationResult, PlanRequest

CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]*)\]")
MOST_RELATIONS = 12  # of a plan without SQL text that are listed
MOST_MESSAGES = 2000  # of a plan that are searched for the client's source line
RELATION = "rel_type"
PACKED = "history"  # the name under which a cached plan keeps its packed details


def describe_ended(moment: float, ended: EndedOperation) -> tuple[OperationRecord, bytes | None]:
    request, result = ended.plan_request, ended.result
    record = OperationRecord(
        **common_columns(request, ended.session_id, ended.user_id),
        state=ended.outcome,
        engine=ended.engine,
        code=ended.cause.reason.code,
        reason=shorten(ended.cause.text, MOST_LINE),
        started=moment - ended.seconds,
        seconds=ended.seconds,
        rows=result.rows,
        bytes=result.sent_bytes,
        condition=result.condition,
        error=shorten(result.error, MOST_LINE),
    )
    return record, packed_details(ended)


def describe_running(operation: Operation, session_id: str, user: str) -> OperationRecord:
    activity = operation.activity()
    seconds = time.monotonic() - activity.started
    return OperationRecord(
        **common_columns(operation.plan_request, session_id, user),
        state=operation.state.value,
        engine=operation.engine,
        code=operation.cause.reason.code,
        reason=shorten(operation.cause.text, MOST_LINE),
        started=time.time() - seconds,
        seconds=seconds,
        progress=activity.progress,
        rows=activity.rows,
        bytes=activity.sent_bytes,
    )


def common_columns(plan_request: PlanRequest, session_id: str, user: str) -> dict[str, Any]:
    stack = call_stack(plan_request)
    return {
        "operation_id": plan_request.operation_id,
        "session_id": session_id,
        "user": user,
        "statement": shorten(statement_of(plan_request.plan), MOST_TEXT),
        "source": shorten(stack[0] if stack else call_site(plan_request.plan), MOST_LINE),
        "tags": shorten(" ".join(sorted(plan_request.request.tags)), MOST_LINE),
        "client": shorten(plan_request.request.client_type, MOST_LINE),
    }


# ---- what the client sent


def statement_of(plan: base_pb2.Plan) -> str:
    """The SQL text; of a DataFrame the kinds of its relations, from the root down."""
    return text_of_plan(plan) or " ← ".join(plan_parts(plan))


def plan_parts(plan: base_pb2.Plan) -> list[str]:
    kinds: list[str] = []
    message: Any = plan.root
    if plan.WhichOneof("op_type") == "command":
        kinds.append(str(plan.command.WhichOneof("command_type") or "command"))
        message = getattr(plan.command, kinds[0], None)
        message = getattr(message, "input", None) or getattr(message, "relation", None)
    while message is not None and len(kinds) < MOST_RELATIONS and (kind := relation_kind(message)):
        kinds.append(f"sql: {message.sql.query}" if kind == "sql" else kind)
        message = getattr(getattr(message, kind), "input", None)
    return kinds


def relation_kind(message: Any) -> str:
    is_relation = isinstance(message, Message) and RELATION in message.DESCRIPTOR.oneofs_by_name
    return str(message.WhichOneof(RELATION) or "") if is_relation else ""


def call_stack(plan_request: PlanRequest) -> list[str]:
    """The calls in the client's program, the innermost first: PySpark sends them, in the other order, with
    SPARK_CONNECT_DEBUG_CLIENT_CALL_STACK."""
    error = base_pb2.FetchErrorDetailsResponse.Error()
    for packed in plan_request.request.user_context.extensions:
        if packed.Is(error.DESCRIPTOR) and packed.Unpack(error):
            return [f"{each.file_name}:{each.line_number} {each.method_name}" for each in reversed(error.stack_trace)]
    return []


def call_site(plan: base_pb2.Plan) -> str:
    """Where the first expression of a DataFrame was made, which PySpark sends when it debugs DataFrame queries."""
    for number, message in enumerate(messages_in(plan)):
        if number > MOST_MESSAGES:
            return ""
        if message.DESCRIPTOR.name == "PythonOrigin":
            return str(message.call_site)
    return ""


def messages_in(message: Message) -> Iterator[Any]:
    waiting: list[Any] = [message]
    while waiting:
        each = waiting.pop()
        yield each
        for field, value in each.ListFields():
            if field.type == field.TYPE_MESSAGE:
                parts = [value] if isinstance(value, Message) else value.values() if hasattr(value, "values") else value
                waiting += [part for part in parts if isinstance(part, Message)]


# ---- what became of it


def packed_details(ended: EndedOperation) -> bytes | None:
    """The details of a plan that the cache of plans returned are made once for all its runs."""
    result, notes = ended.result, ended.result.notes
    is_same_for_all = notes is not None and not result.profile and not call_stack(ended.plan_request)
    if not is_same_for_all or notes is None:
        return details_of(ended).pack()
    if PACKED not in notes:
        notes[PACKED] = details_of(ended).pack()
    return bytes(notes[PACKED])


def details_of(ended: EndedOperation) -> Details:
    return details_of_result(ended.result, ended.cause, ended.plan_request)


def details_of_result(result: OperationResult, cause: Cause, plan_request: PlanRequest) -> Details:
    nodes, origin = graph_of(result)
    return Details(
        sql=shorten("\n\n".join(map(sql_of, result.compiled)), MOST_TEXT),
        passes=shorten("\n".join(map(passes_text, result.compiled)), MOST_TEXT),
        nodes=nodes,
        origin=origin,
        instead=cause.reason.instead,
        stack=tuple(call_stack(plan_request)),
    )


def graph_of(result: OperationResult) -> tuple[tuple[Any, ...], str]:
    if result.spark_metrics:
        return nodes_of_spark(result.spark_metrics), "spark"
    if result.profile:
        return nodes_of_profile(result.profile), "profile"
    return (nodes_of_plan(result.compiled[0].plan), "plan") if result.compiled else ((), "")


def error_columns(failure: BaseException) -> tuple[str, str]:
    """The condition and the message as the client gets them; an internal error names its class only, since its
    message may contain paths of the server."""
    if isinstance(failure, NotNative) and failure.likely_error is not None:
        failure = failure.likely_error
    if isinstance(failure, SparkError):
        return failure.condition, str(failure)
    if isinstance(failure, NotNative):
        return "TWINSPARK_NOT_NATIVE", str(failure.cause)
    if isinstance(failure, NotAllowed):
        return "TWINSPARK_NOT_ALLOWED", failure.reason
    if isinstance(failure, grpc.RpcError):
        text = failure.details() or ""
        found = CONDITION.match(text)
        return found[1] if found else "", text
    if isinstance(failure, JavaError):
        return "", f"{failure.java_class}: {failure}"
    return "INTERNAL_ERROR", type(failure).__name__
