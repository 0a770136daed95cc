"""A session's Python data sources: registered by name, and written to by their own writers."""

from collections.abc import Callable
from dataclasses import replace

from pyspark.sql.connect.proto import commands_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.query import CompiledQuery, Cursor
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.plan.python_functions import MAP_ARROW, PythonFunction
from twinspark.plan.python_relations import PythonMap
from twinspark.plan.relations import Field
from twinspark.read.proto import read_relation
from twinspark.read.proto.python.sources import options_of
from twinspark.sessions.python.functions import PythonState
from twinspark.types import BinaryType
from twinspark.workers import planning
from twinspark.workers.evaluate import SessionWorkers

Command = Callable[[], tuple[bytes, ...]]
APPEND, OVERWRITE = 1, 2
# Names that Spark, or a library often installed with it, resolves before it looks for a Python data source.
TAKEN = frozenset(
    {"parquet", "csv", "json", "text", "orc", "jdbc", "xml", "avro", "binaryfile", "libsvm", "image", "noop", "console"}
    | {"rate", "rate-micro-batch", "socket", "textsocket", "kafka", "delta", "iceberg", "hive", "statestore"}
    | {"state-metadata", "protobuf"}
)


def register_data_source(message: relations_pb2.CommonInlineUserDefinedDataSource, pythons: PythonState) -> Command:
    """spark.dataSource.register."""
    name = message.name.lower()
    if message.WhichOneof("data_source") != "python_data_source" or name in TAKEN or "." in name:
        raise NotNative(reasons.PYTHON_FUNCTION_NAME, "a data source with the name of a built-in source")
    python = message.python_data_source
    definition = PythonFunction(message.name, python.command, MAP_ARROW, python.python_ver)

    def register() -> tuple[bytes, ...]:
        pythons.sources[name] = definition
        return ()

    return register


def source_written(message: commands_pb2.WriteOperation, pythons: PythonState) -> PythonFunction | None:
    return pythons.sources.get(message.source.lower()) if message.source else None


def write_to_source(
    message: commands_pb2.WriteOperation, definition: PythonFunction, context: Context, cursor: Cursor
) -> Command:
    """Sends the rows through the writer's function in a worker, then commits or aborts with the messages it
    returned."""
    if message.partitioning_columns or message.HasField("bucket_by") or message.sort_column_names:
        raise NotNative(reasons.PYTHON_DATA_SOURCE, "partitionBy")
    if message.mode not in (APPEND, OVERWRITE):
        raise NotNative(reasons.PYTHON_DATA_SOURCE, "this save mode")
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
            messages = CompiledQuery.of(writing, context, cursor).stream().read_all().column(0).to_pylist()
        except SparkError:
            commit(writer, [None], True)
            raise
        commit(writer, messages, False)
        return ()

    def commit(writer: bytes, messages: list[bytes | None], abort: bool) -> None:
        message = planning.commit_message(writer, messages, abort)
        workers.ask(definition, "commit_data_source_write", message, planning.read_committed)

    return carry_out
