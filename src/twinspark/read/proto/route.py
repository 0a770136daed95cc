"""Dispatch tables by the oneof members of the protocol: members without a handler fall back to Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from twinspark.cancellation import check_wanted
from twinspark.errors import Cause, NotNative, reasons

Handler = Callable[..., Any]


class Routes:
    """A table from a oneof's member to its handler, or to the reason for falling back to Spark."""

    def __init__(self, oneof: str) -> None:
        self.oneof = oneof
        self.handlers: dict[str, Handler] = {}
        self.causes: dict[str, Cause] = {}
        self.parts: dict[str, str] = {}  # members that are read as fields of other messages, and by which handler

    def handles(self, *members: str) -> Callable[[Handler], Handler]:
        def note(handler: Handler) -> Handler:
            for member in members:
                self.handlers[member] = handler
            return handler

        return note

    def to_spark(self, **causes: Cause) -> None:
        self.causes.update(causes)

    def part_of(self, **handlers: str) -> None:
        self.parts.update(handlers)

    def of(self, message: Message) -> tuple[Handler, Any]:
        """The handler of the member that is set, and the member's message."""
        check_wanted()
        member = message.WhichOneof(self.oneof)
        handler = self.handlers.get(member or "")
        if handler is None:
            raise self._not_native(member)
        return handler, getattr(message, member)

    def _not_native(self, member: str | None) -> NotNative:
        cause = self.causes.get(member or "", Cause(reasons.PROTOCOL, f"{self.oneof} {member}"))
        return NotNative(cause.reason, cause.detail)
