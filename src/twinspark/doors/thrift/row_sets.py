"""Converts record batches to the row set format of a client: Arrow, columns, or (before HIVE V6) rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as t

from twinspark.doors.thrift.value_text import HIVE, JSON, text_of
from twinspark.driver.text_values import month_day_nano
from twinspark.types import sql_name
from twinspark.wire.thrift.messages import Message
from twinspark.wire.thrift.protocol import HIVE_V6, HIVE_V8, JSON_TYPE_KEY, SPARK_V5, SQL_NAME_KEY, ResultFormat, TypeId
from twinspark.wire.thrift.type_descriptions import type_desc

DIRECT: dict[type[t.DataType], str] = {
    t.BooleanType: "boolVal",
    t.ByteType: "byteVal",
    t.ShortType: "i16Val",
    t.IntegerType: "i32Val",
    t.LongType: "i64Val",
    t.FloatType: "doubleVal",
    t.DoubleType: "doubleVal",
    t.BinaryType: "binaryVal",
}
COMPLEX = (t.ArrayType, t.MapType, t.StructType, t.VariantType)
INTERVALS = (t.YearMonthIntervalType, t.DayTimeIntervalType, t.CalendarIntervalType)


@dataclass(frozen=True)
class Form:
    """The format that one client can read of one result; chosen when the statement starts."""

    version: int
    arrow: bool = False
    lz4: bool = False
    native: frozenset[str] = field(default_factory=frozenset)

    @property
    def format(self) -> ResultFormat:
        if self.arrow:
            return ResultFormat.ARROW
        return ResultFormat.ROW if self.version < HIVE_V6 else ResultFormat.COLUMN


def form_of(version: int, request: Message, lz4: bool) -> Form:
    """Arrow from SPARK V5, with the schema included; types that a client does not read natively are sent as text."""
    arrow = version >= SPARK_V5 and bool(request.get("canReadArrowResult"))
    flags = {name for name, wanted in (request.get("useArrowNativeTypes") or {}).items() if wanted}
    return Form(version, arrow, arrow and lz4 and bool(request.get("canDecompressLZ4Result")), frozenset(flags))


def is_native(kind: t.DataType, form: Form) -> bool:
    """Numbers, dates and strings always; other types by the client's useArrowNativeTypes."""
    if isinstance(kind, t.DecimalType):
        return "decimalAsArrow" in form.native
    if isinstance(kind, t.TimestampType | t.TimestampNTZType):
        return "timestampAsArrow" in form.native
    if isinstance(kind, COMPLEX):
        return "complexTypesAsArrow" in form.native
    if isinstance(kind, INTERVALS):
        return "intervalTypesAsArrow" in form.native
    return not isinstance(kind, t.NullType) or "nullTypeAsArrow" in form.native


def arrow_array(array: pa.Array, kind: t.DataType, form: Form) -> pa.Array:
    if not is_native(kind, form):
        return text_of(array, kind, JSON if isinstance(kind, COMPLEX) else HIVE)
    if isinstance(kind, t.YearMonthIntervalType):
        return month_day_nano(array, np.asarray(pc.fill_null(array, 0)))
    return array


def wire_schema(schema: t.StructType, empty: pa.Schema, form: Form) -> pa.Schema:
    """Derived from an empty array of each column, so that schema and batches agree."""
    fields = []
    for spark, carried in zip(schema.fields, empty, strict=True):
        kind = arrow_array(pa.array([], carried.type), spark.dataType, form).type
        metadata = {SQL_NAME_KEY: sql_name(spark.dataType), JSON_TYPE_KEY: json.dumps(spark.dataType.jsonValue())}
        fields.append(pa.field(spark.name, kind, carried.nullable, metadata))
    return pa.schema(fields)


def arrow_row_set(batches: Sequence[pa.RecordBatch], schema: t.StructType, wire: pa.Schema, form: Form) -> Message:
    return {"rows": [], "arrowBatches": [arrow_batch(batch, schema, wire, form) for batch in batches]}


def arrow_batch(batch: pa.RecordBatch, schema: t.StructType, wire: pa.Schema, form: Form) -> Message:
    arrays = [arrow_array(c, f.dataType, form) for c, f in zip(batch.columns, schema.fields, strict=True)]
    data = pa.RecordBatch.from_arrays(arrays, schema=wire).serialize()
    packed = pa.compress(data, codec="lz4", asbytes=True) if form.lz4 else memoryview(data)
    return {"batch": packed, "rowCount": batch.num_rows}


def column_row_set(batch: pa.RecordBatch, schema: t.StructType) -> Message:
    pairs = zip(batch.columns, schema.fields, strict=True)
    return {"rows": [], "columns": [wire_column(array, field.dataType) for array, field in pairs]}


def wire_column(array: pa.Array, kind: t.DataType) -> Message:
    if type(kind) in DIRECT:
        return {DIRECT[type(kind)]: direct_values(array, kind)}
    return {"stringVal": outer_text(array, kind)}


def direct_values(array: pa.Array, kind: t.DataType) -> pa.Array:
    """Spark sends a float as the double with the same text: 0.1, not 0.10000000149011612."""
    if isinstance(kind, t.FloatType):
        return pc.cast(pc.cast(array, pa.string()), pa.float64())
    return array


def outer_text(array: pa.Array, kind: t.DataType) -> pa.Array:
    """Spark's server puts collated strings in quotes, which its clients expect."""
    texts = text_of(array, kind, HIVE)
    if type(kind) is t.StringType and kind.collation != "UTF8_BINARY":
        return pc.binary_join_element_wise('"', texts, '"', "")
    return texts


def row_row_set(batch: pa.RecordBatch, schema: t.StructType) -> Message:
    """The same columns, which the codec writes as rows; these have no binary type, so binary is sent as text."""
    pairs = zip(batch.columns, schema.fields, strict=True)
    return {"rows": [row_column(array, field.dataType) for array, field in pairs]}


def row_column(array: pa.Array, kind: t.DataType) -> Message:
    if type(kind) in DIRECT and not isinstance(kind, t.BinaryType):
        return wire_column(array, kind)
    return {"stringVal": text_of(array, kind, HIVE)}


def table_schema(schema: t.StructType, form: Form) -> Message:
    columns = enumerate(schema.fields)
    return {"columns": [column_desc(field, index, form) for index, field in columns]}


def column_desc(field: t.StructField, index: int, form: Form) -> Message:
    """Clients before HIVE V8 do not know the ids of interval types."""
    desc = type_desc(field.dataType)
    entry = desc["types"][0]["primitiveEntry"]
    if form.version < HIVE_V8 and entry["type"] in (TypeId.INTERVAL_YEAR_MONTH, TypeId.INTERVAL_DAY_TIME):
        entry["type"] = TypeId.STRING
    comment = (field.metadata or {}).get("comment", "")
    return {"columnName": field.name, "typeDesc": desc, "position": index, "comment": comment}
