"""Writes ORC files as Spark does: DuckDB writes Parquet files, which pyarrow converts batch by batch."""

import time
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
)

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import not_native
from twinspark.tables.files.orc import CATALYST, LAST_MILLIS
from twinspark.types import has_inner, nested_types
from twinspark.types.duckdb import ValueRewriter, duck_name

CODECS = {"zstd": "zstd", "zlib": "zlib", "snappy": "snappy", "none": "", "uncompressed": ""}
BATCH_ROWS = 65_536
ARROW: Mapping[type[DataType], pa.DataType] = {
    ByteType: pa.int8(),
    ShortType: pa.int16(),
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    FloatType: pa.float32(),
    DoubleType: pa.float64(),
    StringType: pa.string(),
    BinaryType: pa.binary(),
    BooleanType: pa.bool_(),
    DateType: pa.date32(),
    TimestampType: pa.timestamp("us"),
    TimestampNTZType: pa.int64(),
    DayTimeIntervalType: pa.int64(),
    YearMonthIntervalType: pa.int32(),
}
# Types that Spark stores in an attribute of the column (OrcUtils.orcTypeDescription).
NAMED = (StringType, TimestampType, TimestampNTZType, DayTimeIntervalType, YearMonthIntervalType)
CHANGED = (TimestampType, TimestampNTZType, DateType)


# ---- DuckDB's output


def columns(schema: StructType) -> str:
    """The columns as ORC stores them: TIMESTAMP_NTZ as numbers, TIMESTAMP as local times in UTC."""
    if (time.timezone or time.daylight) and any(isinstance(type, TimestampType) for type in nested_types(schema)):
        raise NotNative(reasons.ORC_LAYOUT, "timestamps in a time zone other than UTC")
    times = ValueRewriter(stored_time, lambda type: has_inner(type, CHANGED), "e")
    return ", ".join(f"{times.rewrite(duck_name(f.name), f.dataType)} AS {duck_name(f.name)}" for f in schema.fields)


def stored_time(value: str, type: DataType) -> str:
    if isinstance(type, TimestampNTZType):
        return f"epoch_us({value})"
    if isinstance(type, DateType):
        return check_value(f"{value} >= DATE '1582-10-15'", value, value, "dates before 1582 to ORC")
    # pyarrow writes fractions of seconds before 1970 as negative numbers, which Spark cannot read.
    held = f"epoch_us({value})"
    inside = (
        f"{held} BETWEEN 0 AND {LAST_MILLIS}000 OR ({held} % 1000000 = 0 AND {held} BETWEEN -{LAST_MILLIS}000 AND 0)"
    )
    return check_value(
        inside, value, f"make_timestamp({held})", "timestamps before 1970 with fractions of seconds to ORC"
    )


def check_value(condition: str, value: str, result: str, detail: str) -> str:
    return (
        f"CASE WHEN {condition} OR {value} IS NULL THEN {result} ELSE {not_native(reasons.WRITE_COLUMNS, detail)} END"
    )


# ---- pyarrow's ORC schema


def transcode(source: str, target: str, schema: StructType, codec: str) -> None:
    """Converts a Parquet file to an ORC file, batch by batch."""
    arrow = pa.schema([arrow_field(f.name, f.dataType) for f in schema.fields])
    with orc.ORCWriter(target, compression=CODECS[codec] or "uncompressed") as writer, pq.ParquetFile(source) as file:
        writer.write(arrow.empty_table())  # writes the schema even without rows
        for batch in file.iter_batches(BATCH_ROWS):
            writer.write(pa.Table.from_batches([batch]).cast(arrow))


def arrow_field(name: str, type: DataType, nullable: bool = True) -> pa.Field:
    attributes = {CATALYST: type.simpleString()} if isinstance(type, NAMED) else None
    return pa.field(name, arrow_type(type), nullable, attributes)


def arrow_type(type: DataType) -> pa.DataType:
    match type:
        case ArrayType():
            return pa.list_(arrow_field("item", type.elementType))
        case MapType():
            return pa.map_(arrow_field("key", type.keyType, False), arrow_field("value", type.valueType))
        case StructType():
            return pa.struct([arrow_field(f.name, f.dataType) for f in type.fields])
        case DecimalType():
            return pa.decimal128(type.precision, type.scale)
    if type.__class__ not in ARROW:
        raise NotNative(reasons.WRITE_COLUMNS, f"{type.simpleString()} to ORC")
    return ARROW[type.__class__]
