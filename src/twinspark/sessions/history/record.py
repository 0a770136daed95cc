"""One row of the history: an operation that has ended, or that is running now."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass, field, fields
from operator import attrgetter
from typing import Any

from twinspark.sessions.history.plan_graph import Node

MOST_TEXT = 64 * 1024  # characters of a statement, a generated SQL text or the text of the passes
MOST_LINE = 4096  # characters of an error message or another text of one line
COMPRESSION = 1  # of zlib: the fastest; generated SQL is very repetitive


@dataclass(frozen=True, slots=True)
class OperationRecord:
    """The columns of `system.runtime.operations`, in their order."""

    operation_id: str
    session_id: str
    user: str
    state: str
    engine: str
    code: str  # of the reason (docs/reference/reasons.md)
    reason: str
    statement: str  # SQL text, or the kinds of the plan's relations
    started: float  # seconds since 1970
    seconds: float
    progress: float | None = None  # between 0 and 1 while it runs, if known
    rows: int = 0
    bytes: int = 0
    condition: str = ""  # of the error
    error: str = ""
    source: str = ""  # file and line of the client's program, if it sends them
    tags: str = ""
    client: str = ""


COLUMNS = tuple(each.name for each in fields(OperationRecord))
values_of = attrgetter(*COLUMNS)  # dataclasses.astuple copies every value


@dataclass(frozen=True, slots=True)
class Details:
    """What only the page of one operation shows."""

    sql: str = ""  # what DuckDB ran
    passes: str = ""  # the plan after each pass of the compiler that changed it
    nodes: tuple[Node, ...] = ()
    origin: str = ""  # where the numbers of the nodes come from: `plan`, `profile` or `spark`
    instead: str = ""  # what to write so that the query runs natively
    stack: tuple[str, ...] = field(default=())  # the client's calls, the innermost first

    def pack(self) -> bytes:
        return zlib.compress(json.dumps(asdict(self), separators=(",", ":")).encode(), COMPRESSION)

    @classmethod
    def unpack(cls, data: bytes) -> Details:
        found: dict[str, Any] = json.loads(zlib.decompress(data))
        nodes = tuple(Node(**each) for each in found.pop("nodes"))
        return cls(**{**found, "stack": tuple(found["stack"])}, nodes=nodes)


def shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
