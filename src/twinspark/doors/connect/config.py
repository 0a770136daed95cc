"""The Config RPC: seven operations on a session's configuration, as in SparkConnectConfigHandler."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql.connect.proto.base_pb2 import ConfigRequest, ConfigResponse

from twinspark.config.own import OURS
from twinspark.errors import JavaError, SparkError
from twinspark.sessions.config import is_modifiable, warning_of
from twinspark.sessions.journal import entry_of
from twinspark.sessions.session import LAST_OPERATION, LAST_OPERATIONS, Session

Pair = tuple[str, str | None]
SPARK_STATUS = "twinspark.sparkStatus"
SERVER_STACKTRACE = "spark.sql.connect.serverStacktrace.enabled"
# Read-only keys that the server reports.
REPORTS: dict[str, Callable[[Session], str]] = {
    LAST_OPERATION: lambda session: session.last_operation,
    LAST_OPERATIONS: lambda session: session.last_operations,
    SPARK_STATUS: lambda session: json.dumps(session.shared.spark.status()),
}
ILLEGAL_ARGUMENT = "java.lang.IllegalArgumentException"


def configure(session: Session, request: ConfigRequest, data: bytes) -> ConfigResponse:
    answer = ConfigResponse(session_id=session.session_id, server_side_session_id=session.server_session_id)
    kind = request.operation.WhichOneof("op_type")
    if kind is None:
        raise JavaError("java.lang.UnsupportedOperationException", f"{request.operation} not supported.")
    for key, value in HANDLERS[kind](session, getattr(request.operation, kind), data, answer):
        pair = answer.pairs.add(key=key)
        if value is not None:
            pair.value = value
        warn(answer, key)
    return answer


def warn(answer: ConfigResponse, key: str) -> None:
    if warning := warning_of(key):
        answer.warnings.append(warning)


def set_keys(session: Session, operation: ConfigRequest.Set, data: bytes, answer: ConfigResponse) -> Iterator[Pair]:
    for pair in operation.pairs:
        if not pair.HasField("value"):
            raise JavaError(ILLEGAL_ARGUMENT, f"requirement failed: value cannot be null for key: {pair.key}")
        try:
            session.config.set(pair.key, pair.value)
            warn(answer, pair.key)
        except SparkError as error:
            if not operation.silent:
                raise
            answer.warnings.append(f"Failed to set {pair.key} to Some({pair.value}) due to {error}")
    keep(session, [pair.key for pair in operation.pairs], data)
    return iter(())


def unset_keys(session: Session, operation: ConfigRequest.Unset, data: bytes, answer: ConfigResponse) -> Iterator[Pair]:
    for key in operation.keys:
        session.config.unset(key)
        warn(answer, key)
    keep(session, list(operation.keys), data)
    return iter(())


def keep(session: Session, keys: list[str], data: bytes) -> None:
    """The journal replays it on Spark when the session is opened there; twinspark's own keys are not sent to Spark."""
    if not all(key.startswith(OURS) for key in keys):
        session.journal.record(entry_of("Config", data, f"config {' '.join(keys)}"))


def get_keys(session: Session, operation: ConfigRequest.Get, data: bytes, answer: ConfigResponse) -> Iterator[Pair]:
    for key in operation.keys:
        yield key, without_jvm(session, key) or report(session, key) or session.config.get(key)


def report(session: Session, key: str) -> str:
    """What the server reports under that key; empty for settings, and where there is nothing to report yet."""
    return REPORTS[key](session) if key in REPORTS else ""


def without_jvm(session: Session, key: str) -> str:
    """PySpark reads this setting after an error, and then prints a stack trace under the heading "JVM stacktrace:". An
    error of the native engine has none, so the heading is left out, unless the user chose the setting."""
    is_default = key == SERVER_STACKTRACE and key not in session.config.everything_set()
    return "false" if is_default and not session.has_jvm_error else ""


def get_with_defaults(
    session: Session, operation: ConfigRequest.GetWithDefault, data: bytes, answer: ConfigResponse
) -> Iterator[Pair]:
    for pair in operation.pairs:
        default = pair.value if pair.HasField("value") else None
        yield pair.key, report(session, pair.key) or session.config.get_with_default(pair.key, default)


def get_options(
    session: Session, operation: ConfigRequest.GetOption, data: bytes, answer: ConfigResponse
) -> Iterator[Pair]:
    for key in operation.keys:
        yield key, report(session, key) or session.config.get_option(key)


def get_all(session: Session, operation: ConfigRequest.GetAll, data: bytes, answer: ConfigResponse) -> Iterator[Pair]:
    prefix = operation.prefix if operation.HasField("prefix") else ""
    for key, value in session.config.get_all().items():
        if key.startswith(prefix):
            yield key.removeprefix(prefix), value


def are_modifiable(
    session: Session, operation: ConfigRequest.IsModifiable, data: bytes, answer: ConfigResponse
) -> Iterator[Pair]:
    for key in operation.keys:
        yield key, str(is_modifiable(key) or session.config.is_open(key)).lower()


HANDLERS: dict[str, Callable[[Session, Any, bytes, Any], Iterator[Pair]]] = {
    "set": set_keys,
    "get": get_keys,
    "get_with_default": get_with_defaults,
    "get_option": get_options,
    "get_all": get_all,
    "unset": unset_keys,
    "is_modifiable": are_modifiable,
}
