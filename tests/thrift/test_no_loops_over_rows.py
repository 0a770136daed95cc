"""From Arrow to the wire without a loop over rows: a hundred thousand rows cost as few Python calls as a hundred."""

import cProfile
import datetime
import pstats
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as t

from twinspark.doors.thrift.row_sets import Form, arrow_row_set, column_row_set, row_row_set, wire_schema
from twinspark.driver.connection import NATIVE_TYPES
from twinspark.types.arrow import arrow_type
from twinspark.wire.thrift.binary import Writer
from twinspark.wire.thrift.messages import STRUCTS, Message
from twinspark.wire.thrift.protocol import HIVE_V10, SPARK_V9

# What is not here goes one by one, and is listed in docs/use/thrift.md: variants, and binary in text that is no UTF-8.
VALUES: list[tuple[t.DataType, Any]] = [
    (t.BooleanType(), True),
    (t.IntegerType(), 7),
    (t.FloatType(), 0.1),
    (t.DoubleType(), 1.0e10),
    (t.DecimalType(18, 4), Decimal("-1.5000")),
    (t.DecimalType(38, 38), Decimal("1E-38")),
    (t.StringType(), 'it\'s "q"'),
    (t.BinaryType(), b"bytes"),
    (t.DateType(), datetime.date(1582, 10, 10)),
    (t.TimestampType(), datetime.datetime(2020, 10, 25, 0, 30, tzinfo=datetime.UTC)),
    (t.TimestampNTZType(), datetime.datetime(9999, 12, 31, 23, 59, 59, 999_999)),
    (t.DayTimeIntervalType(), datetime.timedelta(days=-1, seconds=5)),
    (t.ArrayType(t.IntegerType()), [1, None, 3]),
    (t.MapType(t.StringType(), t.DoubleType()), [("b", 0.5), ("a", None)]),
    (t.StructType([t.StructField("x", t.StringType()), t.StructField("y", t.DateType())]), {"x": "s", "y": None}),
]
SCHEMA = t.StructType([t.StructField(f"c{at}", kind) for at, (kind, _) in enumerate(VALUES)])
FORMS = {
    "rows": Form(0),
    "columns": Form(HIVE_V10),
    "arrow": Form(SPARK_V9, True, False, frozenset(NATIVE_TYPES)),
    "arrow as text": Form(SPARK_V9, True),
    "arrow in lz4": Form(SPARK_V9, True, True, frozenset(NATIVE_TYPES)),
}


def batch_of(rows: int) -> pa.RecordBatch:
    arrays = [pa.array([None, value], arrow_type(kind, "Europe/Berlin")) for kind, value in VALUES]
    indices = pa.array([row % 2 for row in range(rows)])
    return pa.RecordBatch.from_arrays([array.take(indices) for array in arrays], names=SCHEMA.names)


def row_set(batch: pa.RecordBatch, form: Form) -> Message:
    if form.arrow:
        return arrow_row_set([batch], SCHEMA, wire_schema(SCHEMA, batch.schema, form), form)
    return (row_row_set if form.version == 0 else column_row_set)(batch, SCHEMA)


def calls_for(rows: int, form: Form) -> int:
    batch, profile = batch_of(rows), cProfile.Profile()
    with profile:
        writer = Writer()
        STRUCTS["TRowSet"].write(writer, row_set(batch, form))
    assert sum(map(len, writer.parts)) > rows
    calls: int = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]
    return calls


@pytest.mark.parametrize("form", FORMS)
def test_calls_do_not_grow_with_rows(form: str) -> None:
    few, many = calls_for(100, FORMS[form]), calls_for(100_000, FORMS[form])
    assert many < 1.2 * few + 100
