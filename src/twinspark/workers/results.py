"""Reads a worker's output: Arrow streams, exceptions as Spark's errors, and whether the worker can be reused."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import pyarrow as pa

from twinspark.errors import JavaError, NotNative, SparkError, reasons
from twinspark.workers import wire
from twinspark.workers.processes import FAULTS, kill_reason

EXCEPTION = "org.apache.spark.SparkException"
MESSAGE = "An exception was thrown from the Python worker"
TIMES = 6  # boot, init, finish, processing; bytes spilled to memory and to disk
CRASHED = "it exited unexpectedly"
ADVICE = (  # PythonRunner.handleException
    "Python worker exited unexpectedly (crashed). Consider setting 'spark.sql.execution.pyspark.udf.faulthandler."
    "enabled' or'spark.python.worker.faulthandler.enabled' configuration to 'true' for the better Python traceback."
)


class Answers:
    """Reads a worker's output to its end (PythonArrowOutput.read); `reusable` when the worker has confirmed that."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self.reusable = False
        self.accumulated: list[bytes] = []

    def batches(self) -> Iterator[pa.RecordBatch]:
        while (mark := wire.read_integer(self._source)) != wire.END_OF_DATA:
            if mark == wire.START_ARROW_STREAM:
                yield from validate_batches(pa.ipc.open_stream(self._source))
            elif mark == wire.TIMING_DATA:
                wire.read_exactly(self._source, 8 * TIMES)
            elif mark == wire.EXCEPTION_THROWN:
                traceback = wire.read_framed(self._source).decode()
                raise SparkError("PYTHON_EXCEPTION", msg=MESSAGE, traceback=traceback)
            elif mark == wire.FALL_BACK:
                raise NotNative(reasons.PYTHON_FUNCTION_TYPE, wire.read_framed(self._source).decode())
            else:
                raise EOFError(f"the worker sent {mark}, which no worker sends")
        self.accumulated = [wire.read_framed(self._source) for _ in range(wire.read_integer(self._source))]
        self.reusable = wire.read_integer(self._source) == wire.END_OF_STREAM


def validate_batches(batches: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """A function can write anything to its worker's socket: offsets outside of their buffers must not reach DuckDB."""
    for batch in batches:
        batch.validate(full=True)
        yield batch


def crash_error(pid: int | None, environment: Mapping[str, str]) -> Exception:
    """The error of a worker that ended without an answer, with the text of its fault handler, if it has one."""
    if reason := kill_reason(pid):
        return kill_error(reason)
    if FAULTS not in environment:
        return NotNative(reasons.PYTHON_WORKER_FAILED, CRASHED, likely_error=JavaError(EXCEPTION, ADVICE))
    messages = fault_text(pid, environment)
    said = f"Python worker exited unexpectedly (crashed){f': {messages}' if messages else ''}"
    return NotNative(reasons.PYTHON_WORKER_FAILED, CRASHED, likely_error=JavaError(EXCEPTION, said))


def kill_error(reason: str) -> SparkError:
    """A worker over the operator's limits is an error and no fall-back: Spark would run it without limits."""
    return SparkError("PYTHON_EXCEPTION", msg=MESSAGE, traceback=f"The Python worker was killed: {reason}")


def fault_text(pid: int | None, environment: Mapping[str, str]) -> str:
    path = Path(environment[FAULTS]) / str(pid)
    if not path.is_file():
        return ""
    messages = path.read_text()
    path.unlink()
    return messages


# ---- results as the plan's types


def cast_result(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    """A worker's column in the plan's type; other types fall back to Spark, which raises its own errors for them."""
    if column.type == wanted:
        return column
    if not is_alike(column.type, wanted):
        raise NotNative(reasons.PYTHON_FUNCTION_TYPE, f"{column.type} returned instead of {wanted}")
    return column.cast(wanted)


def is_alike(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether the types differ at most in what Spark's types do not have: zones, widths of offsets, nullability."""
    if pa.types.is_timestamp(found) and pa.types.is_timestamp(wanted):
        return found.unit == wanted.unit and (found.tz is None) == (wanted.tz is None)
    if pa.types.is_large_string(found) or pa.types.is_large_binary(found):
        return pa.types.is_string(wanted) if pa.types.is_large_string(found) else pa.types.is_binary(wanted)
    if is_list(found) and is_list(wanted):
        return is_alike(found.value_type, wanted.value_type)
    if pa.types.is_map(found) and pa.types.is_map(wanted):
        return is_alike(found.key_type, wanted.key_type) and is_alike(found.item_type, wanted.item_type)
    if pa.types.is_struct(found) and pa.types.is_struct(wanted):
        mine, theirs = list(found), list(wanted)
        return len(mine) == len(theirs) and all(
            a.name == b.name and is_alike(a.type, b.type) for a, b in zip(mine, theirs, strict=True)
        )
    return bool(found == wanted)


def is_list(type: pa.DataType) -> bool:
    return bool(pa.types.is_list(type) or pa.types.is_large_list(type))


def duckdb_column(column: pa.Array) -> pa.Array:
    """A column as DuckDB stores it: day-time intervals and TIME as numbers, a null for a struct without fields."""
    if pa.types.is_struct(column.type) and not column.type.num_fields:
        if column.null_count < len(column):
            raise NotNative(reasons.PYTHON_FUNCTION_TYPE, "a struct without fields that is not null")
        return pa.nulls(len(column), pa.bool_())
    numbers = as_numbers(column.type)
    return column if numbers == column.type else column.cast(numbers)


def as_numbers(type: pa.DataType) -> pa.DataType:
    """The type with intervals and times of day as numbers, also inside nested types."""
    if pa.types.is_duration(type) or pa.types.is_time64(type):
        return pa.int64()
    if pa.types.is_list(type):
        return pa.list_(type.value_field.with_type(as_numbers(type.value_type)))
    if pa.types.is_map(type):
        key, item = type.key_field, type.item_field
        return pa.map_(key.with_type(as_numbers(key.type)), item.with_type(as_numbers(item.type)))
    if pa.types.is_struct(type):
        return pa.struct([field.with_type(as_numbers(field.type)) for field in type])
    return type
