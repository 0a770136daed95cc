"""Calls the methods of TCLIService, and raises the errors in their replies."""

import threading
from typing import Any

from twinspark.driver.errors import InterfaceError, InternalError, error_of
from twinspark.driver.transport import Transport
from twinspark.wire.thrift import binary as wire
from twinspark.wire.thrift.messages import STRUCTS, Message, call_parts, read_wrapped, request_of, response_of
from twinspark.wire.thrift.protocol import StatusCode


class Service:
    """Serializes calls, since a connection allows one call at a time."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.sequence = 0
        self.lock = threading.Lock()

    def call(self, method: str, request: Message) -> Message:
        """Returns the reply; raises if its status is an error."""
        with self.lock:
            self.sequence += 1
            writer = call_parts(method, wire.CALL, self.sequence, 1, request_of(method), {**request})
            reply = self.exchange(method, writer)
        raise_for_status(reply.get("status"))
        return reply

    def exchange(self, method: str, writer: wire.Writer) -> Message:
        """Closes the transport after a timeout, a Ctrl-C or an incomplete reply, since the next reply could not be read
        from its start."""
        try:
            reader = self.transport.exchange(writer.parts)
            name, kind, message = read_reply(method, reader)
        except BaseException:
            self.transport.close()
            raise
        if kind == wire.EXCEPTION:
            raise InternalError(f"{method}: {(message or {}).get('message', '')}")
        if name != method or message is None:
            raise InternalError(f"the reply to {method} is empty, or one to {name}")
        return message

    def is_usable(self) -> bool:
        return self.transport.is_usable()

    def close(self) -> None:
        self.transport.close()


def read_reply(method: str, reader: wire.Reader) -> tuple[str, int, Message | None]:
    try:
        name, kind, _ = reader.message_head()
        if kind == wire.EXCEPTION:
            return name, kind, STRUCTS["TApplicationException"].read(reader)
        return name, kind, read_wrapped(reader, 0, response_of(method))
    except wire.WireError as error:
        raise InternalError(f"the reply to {method} cannot be read: {error}") from error


def raise_for_status(status: Message | None) -> None:
    if status is None:
        raise InterfaceError("a reply without status")
    if status.get("statusCode", 0) not in (StatusCode.ERROR, StatusCode.INVALID_HANDLE):
        return
    raise error_of(message_of(status), status.get("sqlState"))


def message_of(status: Message) -> str:
    """The error message; Databricks sends it in displayMessage."""
    texts: list[Any] = [status.get("errorMessage"), status.get("displayMessage"), *status.get("infoMessages", [])]
    return next((str(text) for text in texts if text), "the server gave no reason")
