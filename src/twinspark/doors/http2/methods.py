"""The methods of a gRPC server by their paths, and how many messages each takes and returns."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Kind(Enum):
    UNARY = "one message in, one out"
    STREAM = "one message in, any number out"
    UPLOAD = "any number in, one out"
    EXCHANGE = "any number in, any number out"

    @property
    def takes_many(self) -> bool:
        return self in (Kind.UPLOAD, Kind.EXCHANGE)


@dataclass(frozen=True)
class Method:
    """`run(request, call)`; for an upload or an exchange the request is an iterator. An empty response flushes the
    previous ones."""

    kind: Kind
    run: Callable[[Any, Any], Any]
    is_quick: bool = False  # the thread that reads the connection may run it, although nothing else is read meanwhile
