"""Calls PySpark's planning workers: data source creation, read and write planning, and analyze of table functions."""

import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import IO, TypeVar

from twinspark.errors import SparkError
from twinspark.plan.python_functions import AnalyzedArgument, AnalyzeResult, CreatedDataSource, Options, PythonFunction
from twinspark.types import BinaryType, StructField, StructType
from twinspark.workers import task_header as tasks
from twinspark.workers import wire
from twinspark.workers.idle_timeout import open_with_timeout
from twinspark.workers.processes import MODULE, Pool
from twinspark.workers.results import crash_error

Answer = TypeVar("Answer")
Environment = dict[str, str]
PARTITION = StructType([StructField("partition", BinaryType())])
MESSAGE = StructType([StructField("message", BinaryType())])


def ask(
    pool: Pool,
    environment: Environment,
    module: str,
    message: bytes,
    read: Callable[[IO[bytes]], Answer],
    idle_seconds: int = 0,
) -> Answer:
    """PythonPlannerRunner.runInPython."""
    asked = {**environment, MODULE: f"pyspark.sql.worker.{module}"}
    worker = pool.take(asked)
    try:
        worker.output.write(message + wire.integer(wire.END_OF_STREAM))
        worker.output.flush()
        source = open_with_timeout(worker, idle_seconds, lambda: True) if idle_seconds else worker.input
        answer = read(source)
        reusable = read_end(source, pool)
    except (EOFError, OSError, ValueError) as error:  # the worker died, or its answer is not readable
        worker.kill()
        raise crash_error(worker.pid, environment) from error
    except BaseException:
        worker.close()
        raise
    if reusable:
        pool.give_back(worker, asked)
    else:
        worker.close()
    return answer


def read_end(source: IO[bytes], pool: Pool) -> bool:
    pool.accumulate([wire.read_framed(source) for _ in range(wire.read_integer(source))])
    return wire.read_integer(source) == wire.END_OF_STREAM


def opening(function: PythonFunction, place: tasks.SessionFiles, config: Mapping[str, str]) -> bytes:
    """The message that every planning worker gets first: Python version, files, configuration."""
    return b"".join([wire.text(function.version), tasks.files((function,), place), wire.mapping(config)])


# ---- data sources


def create_message(definition: PythonFunction, options: Options, schema: StructType | None) -> bytes:
    """UserDefinedPythonDataSourceRunner.writeToPython."""
    given = wire.boolean(False) if schema is None else wire.boolean(True) + wire.text(schema.json())
    return wire.frame(definition.command) + wire.text(definition.name) + given + options_message(options)


def options_message(options: Options) -> bytes:
    return wire.integer(len(options)) + b"".join(wire.text(key) + wire.text(value) for key, value in options)


def read_created(source: IO[bytes]) -> CreatedDataSource:
    made = wire.read_exactly(source, check_length(wire.read_integer(source), source, "create", "instance"))
    is_json = wire.read_integer(source) == 0
    return CreatedDataSource(made, wire.read_text(source), is_json)


def check_length(length: int, source: IO[bytes], action: str, kind: str) -> int:
    """Raises the worker's exception if the length is the exception mark
    (QueryCompilationErrors.pythonDataSourceError)."""
    if length == wire.EXCEPTION_THROWN:
        raise SparkError("PYTHON_DATA_SOURCE_ERROR", action=action, type=kind, msg=wire.read_text(source))
    return length


def plan_message(source: bytes, schema: StructType, rows: int, as_bytes: bool) -> bytes:
    """UserDefinedPythonDataSourceReadRunner.writeToPython: no filters are pushed down, and it is no stream."""
    flags = [wire.boolean(False), wire.boolean(False), wire.boolean(as_bytes)]
    told = [wire.frame(source), wire.text(PARTITION.json()), wire.text(schema.json()), wire.integer(rows)]
    return b"".join([*told, *flags])


def read_planned(source: IO[bytes]) -> tuple[bytes, list[bytes]]:
    """The function that reads a partition, and the partitions (PythonDataSourceReadInfo)."""
    function = wire.read_exactly(source, check_length(wire.read_integer(source), source, "initialize", "reader"))
    count = check_length(wire.read_integer(source), source, "generate", "read partitions")
    return function, [wire.read_framed(source) for _ in range(count)]


def write_message(
    definition: PythonFunction, options: Options, schema: StructType, overwrite: bool, as_bytes: bool
) -> bytes:
    """UserDefinedPythonDataSourceWriteRunner.writeToPython."""
    told = [wire.frame(definition.command), wire.text(definition.name), wire.text(schema.json())]
    flags = [wire.boolean(overwrite), wire.boolean(False), wire.boolean(as_bytes)]
    return b"".join([*told, wire.text(MESSAGE.json()), options_message(options), *flags])


def read_writing(source: IO[bytes]) -> tuple[bytes, bytes]:
    """The function that writes rows, and the pickled writer that commits them."""
    function = wire.read_exactly(source, check_length(wire.read_integer(source), source, "initialize", "writer"))
    return function, wire.read_framed(source)


def commit_message(writer: bytes, messages: Sequence[bytes | None], abort: bool) -> bytes:
    """UserDefinedPythonDataSourceCommitRunner.writeToPython."""
    sent = [wire.integer(wire.NULL) if each is None else wire.frame(each) for each in messages]
    return b"".join([wire.frame(writer), wire.integer(len(sent)), *sent, wire.boolean(abort)])


def read_committed(source: IO[bytes]) -> None:
    check_length(wire.read_integer(source), source, "commit or abort", "write")


# ---- table functions


def analyze_message(function: PythonFunction, arguments: Sequence[AnalyzedArgument], as_bytes: bool) -> bytes:
    """UserDefinedPythonTableFunctionAnalyzeRunner.writeToPython."""
    sent = [analyzed_argument(each, as_bytes) for each in arguments]
    return b"".join([wire.text(function.name), wire.frame(function.command), wire.integer(len(sent)), *sent])


def analyzed_argument(argument: AnalyzedArgument, as_bytes: bool) -> bytes:
    value = wire.frame(pickle.dumps(pickled_value(argument, as_bytes), 2)) if argument.is_constant else b""
    name = wire.text(argument.name) if argument.name is not None else b""
    return b"".join(
        [
            wire.text(argument.type.json()),
            wire.boolean(argument.is_constant) + value,
            wire.boolean(argument.is_table),
            wire.boolean(argument.name is not None) + name,
        ]
    )


def pickled_value(argument: AnalyzedArgument, as_bytes: bool) -> object:
    """A constant as the JVM pickles it: binary values may be bytearrays."""
    return bytearray(argument.value) if isinstance(argument.value, bytes) and not as_bytes else argument.value


def read_analyzed(source: IO[bytes]) -> AnalyzeResult:
    length = wire.read_integer(source)
    if length == wire.EXCEPTION_THROWN:
        message = wire.read_framed(source).decode().rpartition("PySparkValueError:")[2].strip()
        raise SparkError("TABLE_VALUED_FUNCTION_FAILED_TO_ANALYZE_IN_PYTHON", msg=message)
    schema = StructType.fromJson(wire.read_json(source, length))
    result = wire.read_framed(source)
    is_single = wire.read_integer(source) == 1
    partition = tuple(wire.read_text(source) for _ in range(wire.read_integer(source)))
    ordering = tuple(read_ordering(source) for _ in range(wire.read_integer(source)))
    selected = tuple((wire.read_text(source), wire.read_text(source)) for _ in range(wire.read_integer(source)))
    return AnalyzeResult(schema, result, is_single, partition, ordering, selected)


def read_ordering(source: IO[bytes]) -> tuple[str, bool, bool | None]:
    text, ascending, nulls = wire.read_text(source), wire.read_integer(source) == 1, wire.read_integer(source)
    return text, ascending, None if nulls == 0 else nulls == 1
