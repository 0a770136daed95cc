"""Routes by the oneof names of the protocol: a handler per member; the rest is Spark's, with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative

Handler = Callable[..., Any]


class Routes:
    """A table from a oneof's member to its handler, or to the reason why it is Spark's."""

    def __init__(self, oneof: str) -> None:
        self.oneof = oneof
        self.handlers: dict[str, Handler] = {}
        self.reasons: dict[str, str] = {}
        self.parts: dict[str, str] = {}  # members that are read as parts of others, and where

    def handles(self, *members: str) -> Callable[[Handler], Handler]:
        def note(handler: Handler) -> Handler:
            for member in members:
                self.handlers[member] = handler
            return handler

        return note

    def to_spark(self, **reasons: str) -> None:
        self.reasons.update(reasons)

    def part_of(self, **places: str) -> None:
        self.parts.update(places)

    def of(self, message: Any) -> tuple[Handler, Any]:
        """The handler of the member that is set, and the member's message."""
        member = message.WhichOneof(self.oneof)
        handler = self.handlers.get(member or "")
        if handler is None:
            raise NotNative(self.reasons.get(member or "", f"{self.oneof} {member}"))
        return handler, getattr(message, member)
