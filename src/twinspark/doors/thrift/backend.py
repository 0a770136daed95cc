"""Runs the statements of the Thrift server: a protocol class, and its implementation over any Spark Connect server."""

import contextlib
import uuid
from collections.abc import Generator, Iterator, Mapping
from typing import Any, Protocol
from urllib.parse import quote

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import types as t
from pyspark.sql.connect.proto import relations_pb2
from pyspark.sql.connect.session import SparkSession
from pyspark.sql.connect.shell.progress import Progress, ProgressHandler

from twinspark.duck.results.month_intervals import readable

# PySpark's client logs every error of a statement with the JVM's stack trace; the Thrift client receives the error
# already.
PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True
Arguments = list[Any] | dict[str, Any] | None


class BackendError(Exception):
    """A statement failed: Spark's message text and SQLSTATE."""

    def __init__(self, message: str, sqlstate: str | None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class Statement(Protocol):
    """A running statement: its schema, its batches as they arrive, and a way to stop it."""

    @property
    def schema(self) -> t.StructType: ...

    @property
    def batches(self) -> Iterator[pa.RecordBatch]: ...


class BackendSession(Protocol):
    def prepare(self) -> str:
        """A name for the next statement, by which another thread may cancel it."""

    def execute(self, name: str, sql: str, arguments: Arguments = None) -> Statement: ...

    def describe(self, sql: str) -> t.StructType:
        """The schema of a query, by analysis only."""

    def time_zone(self) -> str: ...

    def cancel(self, name: str) -> None: ...

    def progress(self, name: str) -> float:
        """The completed fraction of a running statement's tasks, from 0 to 1."""

    def close(self) -> None: ...


class Backend(Protocol):
    def open(self, user: str, configuration: Mapping[str, str]) -> BackendSession: ...


class ConnectBackend:
    """Statements run in Spark Connect sessions at `url`: twinspark's own server, or any other."""

    def __init__(self, url: str) -> None:
        self.url = url

    def open(self, user: str, configuration: Mapping[str, str]) -> BackendSession:
        separator = "" if self.url.endswith(";") else ";" if "/;" in self.url else "/;"
        named = f"{self.url}{separator}user_id={quote(user)}" if user else self.url
        with spark_errors():
            session = ConnectSession(SparkSession.builder.remote(named).create())
            for key, value in configuration.items():
                session.spark.conf.set(key, value)
        return session


class Fraction(ProgressHandler):  # type: ignore[misc]
    """The completed fraction of a statement's tasks; PySpark's client calls it with the server's progress reports."""

    done = 0.0

    def __call__(self, stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        tasks = sum(stage.num_tasks for stage in stages or [])
        if tasks:
            self.done = sum(stage.num_completed_tasks for stage in stages) / tasks


class ConnectSession:
    def __init__(self, spark: SparkSession) -> None:
        self.spark, self.closed = spark, False
        self.running: dict[str, Fraction] = {}

    def progress(self, name: str) -> float:
        fraction = self.running.get(name)
        return fraction.done if fraction is not None else 0.0

    def prepare(self) -> str:
        return f"thrift-{uuid.uuid4()}"

    def execute(self, name: str, sql: str, arguments: Arguments = None) -> Statement:
        fraction = self.running[name] = Fraction()
        try:
            return ConnectStatement(self.spark, name, fraction, sql, arguments)
        finally:
            del self.running[name]

    def describe(self, sql: str) -> t.StructType:
        with spark_errors():
            found: t.StructType = self.spark.sql(sql).schema
            return found

    def time_zone(self) -> str:
        with spark_errors():
            return str(self.spark.conf.get("spark.sql.session.timeZone"))

    def cancel(self, name: str) -> None:
        """A closed session has ended all its statements."""
        if not self.closed:
            with spark_errors():
                self.spark.interruptTag(name)

    def close(self) -> None:
        self.closed = True
        self.spark.stop()


class ConnectStatement:
    """`spark.sql` runs commands at once; queries run with the second request, whose stream is read incrementally."""

    def __init__(self, spark: SparkSession, name: str, fraction: "Fraction", sql: str, arguments: Arguments) -> None:
        with spark_errors(), with_tag(spark, name):
            frame = spark.sql(sql, arguments) if arguments else spark.sql(sql)
            client = spark.client
            request = client._execute_plan_request_with_metadata()
            request.plan.CopyFrom(frame._plan.to_proto(client))
        self.first: list[pa.RecordBatch] = []
        if is_empty_answer(request.plan.root):
            self.stream, self.schema = nothing(), t.StructType([])
        else:
            self.stream = client._execute_and_fetch_as_iterator(request, {}, Progress(handlers=[fraction]))
            self.schema = self.learn_schema(frame)

    def learn_schema(self, frame: Any) -> t.StructType:
        """The first response contains the schema; reading up to the first batch reports errors before the state
        FINISHED."""
        found: t.StructType | None = None
        with spark_errors():
            for item in self.stream:
                if isinstance(item, t.StructType):
                    found = item
                elif isinstance(item, pa.RecordBatch):
                    self.first.append(item)
                    break
            return found if found is not None else frame.schema

    @property
    def batches(self) -> Iterator[pa.RecordBatch]:
        try:
            while self.first:
                yield readable(self.first.pop(0))
            with spark_errors():
                for item in self.stream:
                    if isinstance(item, pa.RecordBatch):
                        yield readable(item)
        finally:
            self.stream.close()  # the server then stops the statement


def nothing() -> Generator[Any, None, None]:
    yield from ()


def is_empty_answer(relation: relations_pb2.Relation) -> bool:
    """Whether a command has run already and its result, sent as Arrow, has no columns: no second request is needed."""
    if relation.WhichOneof("rel_type") != "local_relation" or not relation.local_relation.data:
        return False
    return len(pa.ipc.open_stream(relation.local_relation.data).schema) == 0


@contextlib.contextmanager
def with_tag(spark: SparkSession, name: str) -> Iterator[None]:
    """Tags belong to the calling thread, so statements of other threads are not affected."""
    spark.addTag(name)
    try:
        yield
    finally:
        spark.removeTag(name)


@contextlib.contextmanager
def spark_errors() -> Iterator[None]:
    try:
        yield
    except PySparkException as error:
        message = str(error).partition("\n\nJVM stacktrace:")[0]
        raise BackendError(message, error.getSqlState()) from error
