"""Errors of Flight calls: Spark's messages, with the gRPC code that Flight SQL's clients turn into their exceptions."""

import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, NoReturn

import pyarrow as pa
from google.protobuf.message import DecodeError
from google.rpc import status_pb2
from grpc import StatusCode as Code

from twinspark.doors.connect.status import DETAILS_KEY, status_of
from twinspark.doors.http2 import Call, CallRejected

SQLSTATE = re.compile(r"SQLSTATE: ([0-9A-Z]{5})")
# The longest prefix of an SQLSTATE counts.
CODES = {
    "0A": Code.UNIMPLEMENTED,
    "22": Code.INVALID_ARGUMENT,
    "42": Code.INVALID_ARGUMENT,
    "42501": Code.PERMISSION_DENIED,
    "42704": Code.NOT_FOUND,
    "42P01": Code.NOT_FOUND,
    "42P06": Code.ALREADY_EXISTS,
    "42P07": Code.ALREADY_EXISTS,
    "08": Code.UNAVAILABLE,
    "HY008": Code.CANCELLED,
}


def invalid(message: str) -> CallRejected:
    return CallRejected(Code.INVALID_ARGUMENT, message)


def not_supported(message: str) -> CallRejected:
    return CallRejected(Code.UNIMPLEMENTED, message)


def code_of(sqlstate: str) -> Code:
    return CODES.get(sqlstate) or CODES.get(sqlstate[:2]) or Code.INTERNAL


def sqlstate_of(rejection: CallRejected) -> str | None:
    found = SQLSTATE.findall(rejection.details or "")
    return found[-1] if found else None


def translate(rejection: CallRejected) -> CallRejected:
    """Spark Connect ends every failed plan with INTERNAL."""
    sqlstate = sqlstate_of(rejection)
    if rejection.code is not Code.INTERNAL or sqlstate is None:
        return rejection
    code = code_of(sqlstate)
    metadata = [(key, with_code(value, code) if key == DETAILS_KEY else value) for key, value in rejection.metadata]
    return CallRejected(code, rejection.details, metadata)


def with_code(details: bytes, code: Code) -> bytes:
    """The details contain the code a second time, and grpc-go rejects a status in which the two differ."""
    status = status_pb2.Status.FromString(details)
    status.code = code.value[0]
    return bytes(status.SerializeToString())


def fail(error: Exception, call: Call) -> NoReturn:
    if isinstance(error, CallRejected):
        raise translate(error)
    if isinstance(error, DecodeError | pa.ArrowInvalid):
        raise invalid(f"{type(error).__name__}: {error}")
    outcome = status_of(error, call.known)
    raise translate(CallRejected(outcome.code, outcome.details, outcome.trailing_metadata or ()))


def answers_once(method: Callable[[Any, Any, Call], bytes]) -> Callable[[Any, Any, Call], bytes]:
    """Ends with a status on any exception, like `unary_rpc` of Spark Connect."""

    @wraps(method)
    def call_method(service: Any, request: Any, call: Call) -> bytes:
        try:
            return method(service, request, call)
        except Exception as error:  # noqa: BLE001
            fail(error, call)

    return call_method


def answers_stream(method: Callable[[Any, Any, Call], Iterator[bytes]]) -> Callable[[Any, Any, Call], Iterator[bytes]]:
    @wraps(method)
    def iterate_method(service: Any, request: Any, call: Call) -> Iterator[bytes]:
        try:
            yield from method(service, request, call)
        except Exception as error:  # noqa: BLE001
            fail(error, call)

    return iterate_method
