"""What a call may ask for: a method by its path, and how many messages go each way."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Kind(Enum):
    UNARY = "one message in, one out"
    STREAM = "one message in, any number out"
    UPLOAD = "any number in, one out"


@dataclass(frozen=True)
class Method:
    """`run(request, call)`; of an upload the request is an iterator. An empty response says: no more for now."""

    kind: Kind
    run: Callable[[Any, Any], Any]
    is_quick: bool = False  # the thread that reads the connection may run it: nothing else is read meanwhile
