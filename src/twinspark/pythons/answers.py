"""Rows from a worker: its Arrow streams, its exceptions in Spark's words, and its word that it can be used again."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import pyarrow as pa

from twinspark.errors import JavaError, NotNative, SparkError
from twinspark.pythons import wire
from twinspark.pythons.workers import FAULTS

EXCEPTION = "org.apache.spark.SparkException"
MESSAGE = "An exception was thrown from the Python worker"
TIMES = 6  # boot, init, finish, processing; bytes spilled to memory and to disk
CRASHED = "the Python worker exited unexpectedly (crashed)"
ADVICE = (  # PythonRunner.handleException
    "Python worker exited unexpectedly (crashed). Consider setting 'spark.sql.execution.pyspark.udf.faulthandler."
    "enabled' or'spark.python.worker.faulthandler.enabled' configuration to 'true' for the better Python traceback."
)


class Answers:
    """What a worker sends, read to its end (PythonArrowOutput.read); `reusable` once it said so."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self.reusable = False
        self.accumulated: list[bytes] = []

    def batches(self) -> Iterator[pa.RecordBatch]:
        while (mark := wire.read_integer(self._source)) != wire.END_OF_DATA:
            if mark == wire.START_ARROW_STREAM:
                yield from pa.ipc.open_stream(self._source)
            elif mark == wire.TIMING_DATA:
                wire.read_exactly(self._source, 8 * TIMES)
            elif mark == wire.EXCEPTION_THROWN:
                raise exception_of(wire.read_framed(self._source).decode())
            else:
                raise NotNative(f"a Python worker said {mark}, which nobody knows")
        self.accumulated = [wire.read_framed(self._source) for _ in range(wire.read_integer(self._source))]
        self.reusable = wire.read_integer(self._source) == wire.END_OF_STREAM


def crashed(pid: int | None, environment: Mapping[str, str]) -> NotNative:
    """A worker that left without a word, and what its fault handler wrote, if it has one."""
    if FAULTS not in environment:
        return NotNative(CRASHED, nearest=JavaError(EXCEPTION, ADVICE))
    told = fault_text(pid, environment)
    said = f"Python worker exited unexpectedly (crashed){f': {told}' if told else ''}"
    return NotNative(CRASHED, nearest=JavaError(EXCEPTION, said))


def fault_text(pid: int | None, environment: Mapping[str, str]) -> str:
    path = Path(environment[FAULTS]) / str(pid)
    if not path.is_file():
        return ""
    told = path.read_text()
    path.unlink()
    return told


ELSEWHERE = "TwinsparkElsewhere: "


def exception_of(traceback: str) -> Exception:
    """Ours says that only Spark knows what to make of a value; all others are the function's own."""
    if ELSEWHERE in traceback:
        return NotNative(traceback.rpartition(ELSEWHERE)[2].strip())
    return SparkError("PYTHON_EXCEPTION", msg=MESSAGE, traceback=traceback)


# ---- what came back, as the plan's types


def conformed(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    """A worker's column in the plan's type; Spark refuses other types in its own words, so they are Spark's."""
    if column.type == wanted:
        return column
    if not is_alike(column.type, wanted):
        raise NotNative(f"a Python function that returns {column.type} as {wanted}")
    return column.cast(wanted)


def is_alike(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Equal but for what Spark's types do not say: zones, widths of offsets, nullability."""
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


def for_duckdb(column: pa.Array) -> pa.Array:
    """DuckDB keeps Spark's intervals of days and times of day as numbers, and knows no struct without fields."""
    if pa.types.is_struct(column.type) and not column.type.num_fields:
        if column.null_count < len(column):
            raise NotNative("a struct without fields that is not null")
        return pa.nulls(len(column), pa.bool_())
    numbers = as_numbers(column.type)
    return column if numbers == column.type else column.cast(numbers)


def as_numbers(type: pa.DataType) -> pa.DataType:
    """The type with intervals and times of day as numbers, also inside of it."""
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
