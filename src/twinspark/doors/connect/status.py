"""Errors on their way out, as Spark's own server sends them; the only place that catches everything."""

import json
import logging
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status
from pyspark.sql.connect.proto import base_pb2

from twinspark.doors.connect.throwables import hierarchy_of
from twinspark.errors import JavaError, NotNative, QueryContext, SparkError
from twinspark.session.session import Session
from twinspark.spark.engine import SparkUnavailable

log = logging.getLogger("twinspark.door")
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
REFUSED = "TWINSPARK_NOT_NATIVE"
DETAILS_KEY = "grpc-status-details-bin"
ANALYSIS = "org.apache.spark.sql.AnalysisException"  # these tell the place by its numbers, and show the plan
PARSE = "org.apache.spark.sql.catalyst.parser.ParseException"  # most draw it themselves
MAX_METADATA = 1024  # spark.connect.grpc.maxMetadataSize: larger parameters travel by FetchErrorDetails only
MAX_MESSAGE = 2048  # SparkConnectService.extractErrorMessage


@dataclass(frozen=True)
class Thrown:
    """What a JVM would have thrown: the facts that travel to the client."""

    condition: str
    message: str
    sqlstate: str
    parameters: dict[str, str]
    classes: list[str]
    contexts: tuple[QueryContext, ...]


class Outcome(grpc.Status):  # type: ignore[misc]
    """A gRPC status ready for `abort_with_status`."""

    def __init__(self, code: grpc.StatusCode, details: str, trailing_metadata: Any) -> None:
        self.code = code
        self.details = details
        self.trailing_metadata = trailing_metadata


def status_of(error: Exception, session: Session | None) -> Any:
    """Spark's own errors keep their name; Spark's answers pass through; anything else is a bug of ours, with an id."""
    if isinstance(error, grpc.RpcError):
        return passed_through(error)
    if isinstance(error, NotNative) and error.nearest is not None:
        error = error.nearest
    if isinstance(error, SparkError):
        return status_of_thrown(thrown_by(error), session)
    if isinstance(error, JavaError):
        return status_of_thrown(without_condition(error), session)
    if isinstance(error, NotNative):
        return status_of_thrown(refused(error), session)
    if isinstance(error, SparkUnavailable):
        return Outcome(grpc.StatusCode.UNAVAILABLE, str(error), ())
    return status_of_thrown(thrown_by(internal(error)), session)


def passed_through(error: Any) -> Outcome:
    kept = tuple((key, value) for key, value in error.trailing_metadata() or () if key == DETAILS_KEY)
    return Outcome(error.code(), error.details() or "", kept)


def thrown_by(error: SparkError) -> Thrown:
    classes = hierarchy_of(error.condition, error.parameters, error.exception)
    said = str(error)
    is_drawn = classes[0] == PARSE and "\n== SQL" in said
    message = said if is_drawn else f"{said}{place_shown(classes, error.contexts)}"
    return Thrown(error.condition, message, error.sqlstate, error.parameters, classes, error.contexts)


def place_shown(classes: list[str], contexts: tuple[QueryContext, ...]) -> str:
    if ANALYSIS not in classes or classes[0] == PARSE:
        return "".join(f"\n{each.summary}" for each in contexts if each.summary)
    place = contexts[0].place if contexts else None
    return f"; line {place[0]} pos {place[1]}" if place else ""


def without_condition(error: JavaError) -> Thrown:
    classes = [error.java_class, "java.lang.RuntimeException", "java.lang.Exception", "java.lang.Throwable"]
    return Thrown("", str(error), "", {}, [*classes, "java.lang.Object"], ())


def refused(error: NotNative) -> Thrown:
    """In `engine=duckdb` nothing goes to Spark: the client is told which part would have to."""
    message = f"[{REFUSED}] The embedded engine (twinspark.engine=duckdb) does not run this: {error.reason}"
    classes = hierarchy_of("UNSUPPORTED_CALL.WITHOUT_SUGGESTION", {})
    return Thrown(REFUSED, f"{message} SQLSTATE: 0A000", "0A000", {"reason": error.reason}, classes, ())


def internal(error: Exception) -> SparkError:
    bug = uuid.uuid4().hex[:12]
    log.error("internal error %s", bug, exc_info=error)
    said = f"twinspark failed ({type(error).__name__}: {error}); the server's log tells more under {bug}"
    return SparkError("INTERNAL_ERROR", message=said)


def status_of_thrown(thrown: Thrown, session: Session | None) -> Any:
    info = error_details_pb2.ErrorInfo(reason=thrown.classes[0], domain="org.apache.spark")
    info.metadata["classes"] = json.dumps(thrown.classes, separators=(",", ":"))
    if thrown.sqlstate:
        info.metadata["sqlState"] = thrown.sqlstate
    add_parameters(info, thrown)
    if session is not None:
        info.metadata["errorId"] = str(uuid.uuid4())
        session.keep_error(info.metadata["errorId"], details_of(thrown))
    packed = any_pb2.Any()
    packed.Pack(info)
    message = abbreviated(thrown.message)
    return rpc_status.to_status(status_pb2.Status(code=code_pb2.INTERNAL, message=message, details=[packed]))


def add_parameters(info: Any, thrown: Thrown) -> None:
    parameters = json.dumps(thrown.parameters, separators=(",", ":"), ensure_ascii=False)
    if thrown.condition and len(parameters) <= MAX_METADATA:
        info.metadata["errorClass"] = thrown.condition
        info.metadata["messageParameters"] = parameters


def details_of(thrown: Thrown) -> bytes:
    details = base_pb2.FetchErrorDetailsResponse(root_error_idx=0)
    entry = details.errors.add(message=thrown.message, error_type_hierarchy=thrown.classes)
    if not thrown.condition:
        return bytes(details.SerializeToString())
    entry.spark_throwable.error_class = thrown.condition
    entry.spark_throwable.message_parameters.update(thrown.parameters)
    if thrown.sqlstate:
        entry.spark_throwable.sql_state = thrown.sqlstate
    for context in thrown.contexts:
        add_context(entry.spark_throwable.query_contexts.add(), context)
    return bytes(details.SerializeToString())


def add_context(message: Any, context: QueryContext) -> None:
    message.fragment, message.summary = context.fragment, context.summary
    if context.is_dataframe:
        message.context_type = base_pb2.FetchErrorDetailsResponse.QueryContext.DATAFRAME
        message.call_site = context.call_site
        return
    message.object_type, message.object_name = context.object_type, context.object_name
    message.start_index, message.stop_index = context.start_index, context.stop_index


def abbreviated(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 3] + "..."


def answered(method: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """For a unary RPC: method(self, request bytes, call)."""

    @wraps(method)
    def guarded(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        try:
            return method(*args, **kwargs)
        except Exception as error:  # noqa: BLE001
            outcome = status_of(error, session_of_call(args))
        refuse(args, outcome)
        raise AssertionError("abort_with_status raises")

    return guarded


def streamed(method: Callable[Arguments, Iterator[bytes]]) -> Callable[Arguments, Iterator[bytes]]:
    """For a streaming RPC: the same, over the life of its iterator."""

    @wraps(method)
    def guarded(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Iterator[bytes]:
        try:
            yield from method(*args, **kwargs)
            return
        except Exception as error:  # noqa: BLE001
            outcome = status_of(error, session_of_call(args))
        refuse(args, outcome)

    return guarded


def session_of_call(args: tuple[Any, ...]) -> Session | None:
    """The session of a call that failed, if it had found one: its errors are kept there."""
    found: Session | None = args[2].known
    return found


def refuse(args: tuple[Any, ...], outcome: Any) -> None:
    args[2].abort_with_status(outcome)
