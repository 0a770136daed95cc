"""The session of a shell: runs statements, and reports which engine ran each one and why."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.sql import types as t

from twinspark.cli.run import error_text
from twinspark.doors.connect.server import ConnectServer
from twinspark.doors.thrift.backend import BackendError, ConnectBackend, ConnectSession, Statement
from twinspark.errors import SparkError
from twinspark.operations.explain import explain_text

LAST_OPERATION = "twinspark.lastOperation"


class StatementFailed(Exception):
    """A statement failed: Spark's message, with the position in the text."""


@dataclass
class Answer:
    """A statement's columns and rows, which are read as they are needed."""

    schema: t.StructType
    batches: Iterator[pa.RecordBatch]
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


@dataclass(frozen=True)
class Decision:
    """Which engine ran the last statement, and why; empty for a server that is no twinspark."""

    engine: str = ""
    code: str = ""
    reason: str = ""
    instead: str = ""

    @property
    def badge(self) -> str:
        is_plain = not self.code or self.code in ("NATIVE", "CONSTANT")
        return f" on {self.engine}" + ("" if is_plain else f" [{self.code}]") if self.engine else ""

    @property
    def text(self) -> str:
        if not self.engine:
            return "No statement has run, or the server does not report engines."
        lines = [f"{self.engine}: [{self.code}] {self.reason}", f"Instead: {self.instead}" if self.instead else ""]
        return "\n".join(line for line in lines if line)


class ShellSession:
    """A Spark Connect session at `url`; `server` is the one in this process, if there is one."""

    def __init__(self, url: str, server: ConnectServer | None = None) -> None:
        opened = ConnectBackend(url).open("", {})
        assert isinstance(opened, ConnectSession)
        self.backend, self.server = opened, server
        self._running = ""

    def run(self, statement: str) -> Answer:
        began = time.monotonic()
        self._running = self.backend.prepare()
        found: Statement = failing(lambda: self.backend.execute(self._running, statement))
        return Answer(found.schema, reading(found.batches), began)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """All rows of a short listing."""
        answer = self.run(statement)
        return [row for batch in answer.batches for row in zip(*map(pa.Array.to_pylist, batch.columns), strict=True)]

    def interrupt(self) -> None:
        failing(lambda: self.backend.cancel(self._running))

    def decision(self) -> Decision:
        return decision_of(self.backend.spark)

    def explain(self, statement: str) -> str:
        """What `twinspark explain` prints, in this session; of a remote server what EXPLAIN returns."""
        if self.server is None:
            return "\n".join(str(row[0]) for row in self.rows(f"EXPLAIN EXTENDED {statement}"))
        self.decision()  # a session is opened by its first request
        spark_session = self.backend.spark.session_id
        opened = next(each for each in self.server.sessions.all() if each.session_id == spark_session)
        try:
            return "\n".join(explain_text(opened, statement).lines())
        except SparkError as error:
            raise StatementFailed(str(error)) from error

    def close(self) -> None:
        self.backend.close()


def decision_of(spark: Any) -> Decision:
    found = json.loads(spark.conf.get(LAST_OPERATION, "{}") or "{}") or {}
    return Decision(*(str(found.get(key) or "") for key in ("engine", "code", "reason", "instead")))


def failing(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except BackendError as error:
        raise StatementFailed(message_of(error)) from error


def reading(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    try:
        yield from batches
    except BackendError as error:
        raise StatementFailed(message_of(error)) from error


def message_of(error: BackendError) -> str:
    """Most of Spark's messages contain the position already."""
    cause: Any = error.__cause__
    return str(error).strip() if "== SQL" in str(error) or cause is None else error_text(cause).strip()
