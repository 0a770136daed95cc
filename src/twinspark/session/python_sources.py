"""A session's Python data sources: registered under their names, and written to by their own writers."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.errors import NotNative, SparkError
from twinspark.plan.python_functions import MAP_ARROW, PythonFunction
from twinspark.plan.pythons import PythonMap
from twinspark.plan.relations import Field
from twinspark.pythons import planning
from twinspark.pythons.evaluate import SessionWorkers
from twinspark.read.proto import read_relation
from twinspark.read.proto.python_sources import options_of
from twinspark.session.native import Cursor, Query
from twinspark.types import BinaryType

if TYPE_CHECKING:
    from twinspark.session.session import Session

Command = Callable[[], tuple[bytes, ...]]
APPEND, OVERWRITE = 1, 2
# Names that Spark, or what often stands beside it, finds before it looks for a Python data source.
TAKEN = frozenset(
    {"parquet", "csv", "json", "text", "orc", "jdbc", "xml", "avro", "binaryfile", "libsvm", "image", "noop", "console"}
    | {"rate", "rate-micro-batch", "socket", "textsocket", "kafka", "delta", "iceberg", "hive", "statestore"}
    | {"state-metadata", "protobuf"}
)


def register_data_source(message: Any, session: "Session") -> Command:
    """spark.dataSource.register."""
    name = message.name.lower()
    if message.WhichOneof("data_source") != "python_data_source" or name in TAKEN or "." in name:
        raise NotNative("a Python data source under a name of Spark's")
    python = message.python_data_source
    definition = PythonFunction(message.name, python.command, MAP_ARROW, python.python_ver)

    def register() -> tuple[bytes, ...]:
        session.pythons.sources[name] = definition
        return ()

    return register


def source_written(message: Any, session: "Session") -> PythonFunction | None:
    return session.pythons.sources.get(message.source.lower()) if message.source else None


def write_to_source(message: Any, definition: PythonFunction, context: Context, cursor: Cursor) -> Command:
    """The rows go through the writer's function in a worker; what it says of them is committed, or aborted."""
    if message.partitioning_columns or message.HasField("bucket_by") or message.sort_column_names:
        raise NotNative("partitions of a Python data source")
    if message.mode not in (APPEND, OVERWRITE):
        raise NotNative("a Python data source written in this mode")
    options = options_of(message.options, [message.path] if message.path else [])
    workers: SessionWorkers = context.pythons.own
    rows = read_relation(message.input, context)
    sent = planning.write_message(definition, options, rows.schema, message.mode == OVERWRITE, workers.as_bytes)

    def carry_out() -> tuple[bytes, ...]:
        command, writer = workers.ask(definition, "write_into_data_source", sent, planning.read_writing)
        writing = PythonMap(
            input=rows,
            function=replace(definition, name="write_to_data_source", command=command),
            fields=(Field("message", BinaryType(), True),),
            workers=workers,
        )
        try:
            told = Query.of(writing, context, cursor).stream().read_all().column(0).to_pylist()
        except SparkError:
            committed(writer, [None], True)
            raise
        committed(writer, told, False)
        return ()

    def committed(writer: bytes, messages: list[bytes | None], abort: bool) -> None:
        message = planning.commit_message(writer, messages, abort)
        workers.ask(definition, "commit_data_source_write", message, planning.read_committed)

    return carry_out
