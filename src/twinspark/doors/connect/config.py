"""The Config RPC: seven operations on a session's configuration, answered as SparkConnectConfigHandler answers."""

from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql.connect.proto import base_pb2

from twinspark.errors import JavaError, SparkError
from twinspark.session.choose import ENGINE_KEY, check_engine
from twinspark.session.config import is_modifiable, warning_of
from twinspark.session.journal import entry_of
from twinspark.session.session import LAST_OPERATION, Session

Pair = tuple[str, str | None]
OURS = "twinspark."
ILLEGAL_ARGUMENT = "java.lang.IllegalArgumentException"


def configure(session: Session, request: Any, data: bytes) -> Any:
    answer = base_pb2.ConfigResponse(session_id=session.session_id, server_side_session_id=session.server_session_id)
    kind = request.operation.WhichOneof("op_type")
    for key, value in HANDLERS[kind](session, getattr(request.operation, kind), data, answer):
        pair = answer.pairs.add(key=key)
        if value is not None:
            pair.value = value
        warn(answer, key)
    return answer


def warn(answer: Any, key: str) -> None:
    if warning := warning_of(key):
        answer.warnings.append(warning)


def set_keys(session: Session, operation: Any, data: bytes, answer: Any) -> Iterator[Pair]:
    for pair in operation.pairs:
        if not pair.HasField("value"):
            raise JavaError(ILLEGAL_ARGUMENT, f"requirement failed: value cannot be null for key: {pair.key}")
        try:
            set_one(session, pair.key, pair.value)
            warn(answer, pair.key)
        except SparkError as error:
            if not operation.silent:
                raise
            answer.warnings.append(f"Failed to set {pair.key} to Some({pair.value}) due to {error}")
    keep(session, [pair.key for pair in operation.pairs], data)
    return iter(())


def set_one(session: Session, key: str, value: str) -> None:
    if key == ENGINE_KEY:
        check_engine(value)
    session.config.set(key, value)


def unset_keys(session: Session, operation: Any, data: bytes, answer: Any) -> Iterator[Pair]:
    for key in operation.keys:
        session.config.unset(key)
        warn(answer, key)
    keep(session, list(operation.keys), data)
    return iter(())


def keep(session: Session, keys: list[str], data: bytes) -> None:
    """Spark hears of it too, when the session goes there; our own keys are no business of Spark's."""
    if not all(key.startswith(OURS) for key in keys):
        session.journal.record(entry_of("Config", data, f"config {' '.join(keys)}"))


def get_keys(session: Session, operation: Any, data: bytes, answer: Any) -> Iterator[Pair]:
    for key in operation.keys:
        yield key, session.last_operation if key == LAST_OPERATION else session.config.get(key)


def get_with_defaults(session: Session, operation: Any, data: bytes, answer: Any) -> Iterator[Pair]:
    for pair in operation.pairs:
        default = pair.value if pair.HasField("value") else None
        yield pair.key, session.config.get_with_default(pair.key, default)


def get_options(session: Session, operation: Any, data: bytes, answer: Any) -> Iterator[Pair]:
    for key in operation.keys:
        yield key, session.config.get_option(key)


def get_all(session: Session, operation: Any, data: bytes, answer: Any) -> Iterator[Pair]:
    prefix = operation.prefix if operation.HasField("prefix") else ""
    for key, value in session.config.get_all().items():
        if key.startswith(prefix):
            yield key.removeprefix(prefix), value


def are_modifiable(session: Session, operation: Any, data: bytes, answer: Any) -> Iterator[Pair]:
    for key in operation.keys:
        yield key, str(is_modifiable(key) or key == ENGINE_KEY).lower()


HANDLERS: dict[str, Callable[[Session, Any, bytes, Any], Iterator[Pair]]] = {
    "set": set_keys,
    "get": get_keys,
    "get_with_default": get_with_defaults,
    "get_option": get_options,
    "get_all": get_all,
    "unset": unset_keys,
    "is_modifiable": are_modifiable,
}
