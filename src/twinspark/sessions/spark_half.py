"""The interface of a session's counterpart on Spark, which the relay room implements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2

Row = tuple[Any, ...]


class OtherCatalog(Protocol):
    """Spark's own catalog beside ours (relay.catalog.SparkCatalog)."""

    def claims(self, parts: Sequence[str]) -> bool: ...
    def has_table(self, parts: Sequence[str]) -> bool: ...
    def has_schema(self, name: str) -> bool: ...
    def schemas(self) -> dict[str, Row]: ...
    def tables(self, schema: str) -> dict[str, Row]: ...
    def has_function(self, name: str) -> bool: ...
    def functions(self, schema: str) -> list[str]: ...
    def information(self, schema: str, table: str) -> str: ...
    def drop_shadow(self, schema: str) -> None: ...
    def ask(self, statement: str) -> pa.Table: ...


class SparkHalf(ABC):
    """A session's counterpart on Spark: opened when a plan needs it, and brought up to date by replaying the
    journal."""

    @property
    @abstractmethod
    def open(self) -> bool:
        """Whether the running Spark knows this session."""

    @property
    @abstractmethod
    def generation(self) -> int:
        """The number of the Spark process that knows the session; it grows with each restart."""

    @property
    @abstractmethod
    def missing(self) -> str:
        """What must be installed before Spark can start; empty if nothing is known to be missing."""

    @abstractmethod
    def catalog(self) -> OtherCatalog:
        """Spark's own catalog, as this session sees it."""

    @abstractmethod
    def unary(self, rpc: str, request: bytes) -> bytes: ...

    @abstractmethod
    def stream(self, rpc: str, request: bytes) -> Iterator[bytes]: ...

    @abstractmethod
    def ask(self, rpc: str, request: bytes, patience: float) -> bytes | None: ...

    @abstractmethod
    def own_global_views(self) -> None:
        """Makes Spark replay this session's journal before it reads any global view."""

    @abstractmethod
    def clone(self, source: SparkHalf, request: base_pb2.CloneSessionRequest) -> None:
        """Makes Spark clone its session, including state that only Spark has."""

    @abstractmethod
    def release(self, request: bytes) -> None:
        """Releases the session on Spark."""


class EngineState(Protocol):
    """What is reported of the Spark that all sessions share (relay.engine.SparkEngine)."""

    @property
    def running(self) -> bool: ...
    def status(self) -> dict[str, Any]: ...


OpenHalf = Callable[[Any], SparkHalf]  # opens a session's counterpart on Spark
