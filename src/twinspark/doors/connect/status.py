"""Converts exceptions to gRPC statuses as Spark's server sends them; the only module that catches every exception."""

import json
import logging
import os
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import DecodeError
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status
from pyspark.sql.connect.proto import base_pb2

from twinspark.doors.connect.throwables import hierarchy_of
from twinspark.doors.http2 import CallRejected
from twinspark.errors import OUT_OF_MEMORY, JavaError, NotAllowed, NotNative, QueryContext, SparkError
from twinspark.errors.marker import without_token
from twinspark.relay.engine import SparkUnavailable
from twinspark.sessions.session import Session

log = logging.getLogger("twinspark.door")
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
REFUSED = "TWINSPARK_NOT_NATIVE"
UNAVAILABLE = "TWINSPARK_SPARK_UNAVAILABLE"
FORBIDDEN = "TWINSPARK_NOT_ALLOWED"
DETAILS_KEY = "grpc-status-details-bin"
# these errors state the position by its numbers, and print the plan
ANALYSIS = "org.apache.spark.sql.AnalysisException"
PARSE = "org.apache.spark.sql.catalyst.parser.ParseException"  # most of these print the position themselves
# Absolute paths, quoted (possibly with spaces) or not.
PATHS = re.compile(r"""(?<=['"`])(?:[A-Za-z]:)?[\\/][^'"`\n]*|(?<![\w.])(?:[A-Za-z]:)?[\\/][\w.@~+-]+[^\s'"`,;:)]*""")
MAX_METADATA = 1024  # spark.connect.grpc.maxMetadataSize: larger parameters are sent by FetchErrorDetails only
MAX_MESSAGE = 2048  # SparkConnectService.extractErrorMessage


@dataclass(frozen=True)
class ThrownException:
    """The exception that a JVM would have thrown, as it is sent to the client."""

    condition: str
    message: str
    sqlstate: str
    parameters: dict[str, str]
    classes: list[str]
    contexts: tuple[QueryContext, ...]


class Outcome(grpc.Status):  # type: ignore[misc]
    """A gRPC status for `abort_with_status`."""

    def __init__(self, code: grpc.StatusCode, details: str, trailing_metadata: Any) -> None:
        self.code = code
        self.details = details
        self.trailing_metadata = trailing_metadata


def status_of(error: Exception, session: Session | None) -> Any:
    """Spark's conditions keep their names; errors of the Spark engine are relayed; other exceptions are bugs, reported
    with an id."""
    if session is not None:
        session.has_jvm_error = isinstance(error, grpc.RpcError)
    if isinstance(error, grpc.RpcError):
        return relayed_outcome(error)
    if isinstance(error, NotNative) and error.likely_error is not None:
        error = error.likely_error
    if isinstance(error, SparkError):
        return status_of_thrown(thrown_by(error), session)
    if isinstance(error, JavaError) and error.java_class == OUT_OF_MEMORY:
        return Outcome(grpc.StatusCode.UNKNOWN, str(error), ())  # Spark's server passes fatal errors to gRPC unchanged
    if isinstance(error, JavaError):
        return status_of_thrown(without_condition(error), session)
    if isinstance(error, NotNative):
        return status_of_thrown(unsupported_plan(error), session)
    if isinstance(error, NotAllowed):
        return status_of_thrown(forbidden(error), session)
    if isinstance(error, SparkUnavailable):
        return status_of_thrown(unavailable(error), session)
    if isinstance(error, DecodeError):
        return Outcome(grpc.StatusCode.INTERNAL, "Invalid protobuf byte sequence", ())  # gRPC Java's message text
    if (failure := java_failure(error)) is not None:
        log.warning("the file system raised an error", exc_info=error)
        return status_of_thrown(without_condition(failure), session)
    return status_of_thrown(thrown_by(internal(error)), session)


def relayed_outcome(error: Any) -> Outcome:
    kept = tuple((key, value) for key, value in error.trailing_metadata() or () if key == DETAILS_KEY)
    return Outcome(error.code(), error.details() or "", kept)


def thrown_by(error: SparkError) -> ThrownException:
    classes = hierarchy_of(error.condition, error.parameters, error.exception)
    text = str(error)
    is_drawn = classes[0] == PARSE and "\n== SQL" in text
    message = text if is_drawn else f"{text}{place_shown(classes, error.contexts)}"
    return ThrownException(error.condition, message, error.sqlstate, error.parameters, classes, error.contexts)


def place_shown(classes: list[str], contexts: tuple[QueryContext, ...]) -> str:
    if ANALYSIS not in classes or classes[0] == PARSE:
        return "".join(f"\n{each.summary}" for each in contexts if each.summary)
    place = contexts[0].line_and_column if contexts else None
    return f"; line {place[0]} pos {place[1]}" if place else ""


def without_condition(error: JavaError) -> ThrownException:
    classes = [error.java_class, "java.lang.RuntimeException", "java.lang.Exception", "java.lang.Throwable"]
    return ThrownException("", str(error), "", {}, [*classes, "java.lang.Object"], ())


def unsupported_plan(error: NotNative) -> ThrownException:
    """With `engine=duckdb` nothing falls back to Spark: the error names the reason for which it would have."""
    reason = error.cause.reason
    instead = f" Instead: {reason.instead}" if reason.instead else ""
    message = f"[{REFUSED}] The embedded engine (twinspark.engine=duckdb) does not run this: {error.cause}{instead}"
    classes = hierarchy_of("UNSUPPORTED_CALL.WITHOUT_SUGGESTION", {})
    parameters = {"code": reason.code, "reason": error.cause.text, "instead": reason.instead}
    return ThrownException(REFUSED, f"{message} SQLSTATE: 0A000", "0A000", parameters, classes, ())


def unavailable(error: SparkUnavailable) -> ThrownException:
    """Not gRPC's UNAVAILABLE, after which PySpark retries silently for ten minutes."""
    classes = hierarchy_of(UNAVAILABLE, {}, "SparkException")
    message = f"[{UNAVAILABLE}] {error} SQLSTATE: 08001"
    return ThrownException(UNAVAILABLE, message, "08001", {"cause": str(error)}, classes, ())


def forbidden(error: NotAllowed) -> ThrownException:
    """With the SQLSTATE of insufficient privileges: 42501."""
    message = f"[{FORBIDDEN}] This server does not allow {error.reason}. SQLSTATE: 42501"
    classes = hierarchy_of("UNSUPPORTED_CALL.WITHOUT_SUGGESTION", {})
    return ThrownException(FORBIDDEN, message, "42501", {"reason": error.reason}, classes, ())


def internal(error: Exception) -> SparkError:
    bug = uuid.uuid4().hex[:12]
    log.error("internal error %s", bug, exc_info=error)
    text = f"twinspark failed ({type(error).__name__}: {without_paths(error)}); see {bug} in the server's log"
    return SparkError("INTERNAL_ERROR", message=text)


def without_paths(error: Exception) -> str:
    """The error's message without paths of the server, which clients must not see."""
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno)
    return PATHS.sub("…", without_token(str(error)))


def java_failure(error: Exception) -> JavaError | None:
    """An error of the file system as Java would report it; `writing_to` handles most of them before."""
    if isinstance(error, OSError) and error.errno is not None:
        return JavaError("java.io.IOException", os.strerror(error.errno))
    if isinstance(error, ValueError) and "embedded null" in str(error):
        return JavaError("java.nio.file.InvalidPathException", "Nul character not allowed")
    return None


def status_of_thrown(thrown: ThrownException, session: Session | None) -> Any:
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
    message = abbreviate(thrown.message)
    return rpc_status.to_status(status_pb2.Status(code=code_pb2.INTERNAL, message=message, details=[packed]))


def add_parameters(info: Any, thrown: ThrownException) -> None:
    parameters = json.dumps(thrown.parameters, separators=(",", ":"), ensure_ascii=False)
    if thrown.condition and len(parameters) <= MAX_METADATA:
        info.metadata["errorClass"] = thrown.condition
        info.metadata["messageParameters"] = parameters


def details_of(thrown: ThrownException) -> bytes:
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


def add_context(message: base_pb2.FetchErrorDetailsResponse.QueryContext, context: QueryContext) -> None:
    message.fragment, message.summary = context.fragment, context.summary
    if context.is_dataframe:
        message.context_type = base_pb2.FetchErrorDetailsResponse.QueryContext.DATAFRAME
        message.call_site = context.call_site
        return
    message.object_type, message.object_name = context.object_type, context.object_name
    message.start_index, message.stop_index = context.start_index, context.stop_index


def abbreviate(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 3] + "..."


def unary_rpc(method: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Decorates a unary RPC, method(self, request bytes, call), to end with a status on any exception."""

    @wraps(method)
    def call_method(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        try:
            return method(*args, **kwargs)
        except Exception as error:  # noqa: BLE001
            outcome = status_of(error, session_of_call(args))
        abort_call(args, outcome)
        raise AssertionError("abort_with_status raises")

    return call_method


def streaming_rpc(method: Callable[Arguments, Iterator[bytes]]) -> Callable[Arguments, Iterator[bytes]]:
    """The same for a streaming RPC, during its iteration."""

    @wraps(method)
    def iterate_method(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Iterator[bytes]:
        try:
            yield from method(*args, **kwargs)
            return
        except Exception as error:  # noqa: BLE001
            outcome = status_of(error, session_of_call(args))
        abort_call(args, outcome)

    return iterate_method


def session_of_call(args: tuple[Any, ...]) -> Session | None:
    """The session of a failed call, if it was found: its errors are stored there."""
    found: Session | None = args[2].known
    return found


def abort_call(args: tuple[Any, ...], outcome: Any) -> None:
    args[2].abort_with_status(outcome)


def abort_at_once(call: Any, error: Exception) -> None:
    """Ends a call that another thread has not answered yet; what that thread sends later is discarded."""
    outcome = status_of(error, call.known)
    call.end_with_status(CallRejected(outcome.code, outcome.details, outcome.trailing_metadata or ()))
