"""ORC files as Spark writes them: rows that DuckDB laid down as Parquet, taken over batch by batch by pyarrow."""

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

from twinspark.errors import NotNative
from twinspark.tables.ducktext import identifier, literal
from twinspark.tables.orc_files import CATALYST, LAST_MILLIS
from twinspark.tables.text_rows import GIVE_UP
from twinspark.types import nested_types

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
# Types that Spark names beside the column (OrcUtils.orcTypeDescription).
NAMED = (StringType, TimestampType, TimestampNTZType, DayTimeIntervalType, YearMonthIntervalType)
CHANGED = (TimestampType, TimestampNTZType, DateType)


# ---- What DuckDB hands over


def columns(schema: StructType) -> str:
    """The columns as ORC keeps them: times without a zone as numbers, instants as what a clock in UTC showed."""
    if (time.timezone or time.daylight) and any(isinstance(type, TimestampType) for type in nested_types(schema)):
        raise NotNative("ORC timestamps of other zones than UTC")
    return ", ".join(f"{kept(f.dataType, identifier(f.name))} AS {identifier(f.name)}" for f in schema.fields)


def kept(type: DataType, value: str, depth: int = 0) -> str:
    if not any(isinstance(each, CHANGED) for each in nested_types(type)):
        return value
    match type:
        case ArrayType():
            return f"list_transform({value}, lambda e{depth}_: {kept(type.elementType, f'e{depth}_', depth + 1)})"
        case MapType():
            return kept_map(type, value, depth)
        case StructType():
            fields = [
                f"{identifier(f.name)} := {kept(f.dataType, f'{value}.{identifier(f.name)}', depth)}" for f in type
            ]
            return f"CASE WHEN {value} IS NOT NULL THEN struct_pack({', '.join(fields)}) END"
    return kept_time(type, value)


def kept_map(type: MapType, value: str, depth: int) -> str:
    entry = f"e{depth}_"
    key = kept(type.keyType, f"{entry}.key", depth + 1)
    item = kept(type.valueType, f"{entry}.value", depth + 1)
    entries = f"list_transform(map_entries({value}), lambda {entry}: struct_pack(k := {key}, v := {item}))"
    return f"CASE WHEN {value} IS NOT NULL THEN map_from_entries({entries}) END"


def kept_time(type: DataType, value: str) -> str:
    if isinstance(type, TimestampNTZType):
        return f"epoch_us({value})"
    if isinstance(type, DateType):
        return checked(f"{value} >= DATE '1582-10-15'", value, value, "dates before 1582 written to ORC")
    # pyarrow writes parts of seconds before 1970 as negative numbers, which Spark cannot read.
    held = f"epoch_us({value})"
    inside = (
        f"{held} BETWEEN 0 AND {LAST_MILLIS}000 OR ({held} % 1000000 = 0 AND {held} BETWEEN -{LAST_MILLIS}000 AND 0)"
    )
    return checked(inside, value, f"make_timestamp({held})", "timestamps with parts of seconds before 1970, in ORC")


def checked(condition: str, value: str, result: str, reason: str) -> str:
    return f"CASE WHEN {condition} OR {value} IS NULL THEN {result} ELSE error({literal(GIVE_UP + reason)}) END"


# ---- What ORC is told


def transcode(source: str, target: str, schema: StructType, codec: str) -> None:
    """A Parquet file of ours as an ORC file; a batch at a time."""
    arrow = pa.schema([arrow_field(f.name, f.dataType) for f in schema.fields])
    with orc.ORCWriter(target, compression=CODECS[codec] or "uncompressed") as writer, pq.ParquetFile(source) as file:
        writer.write(arrow.empty_table())  # the schema is there without rows, too
        for batch in file.iter_batches(BATCH_ROWS):
            writer.write(pa.Table.from_batches([batch]).cast(arrow))


def arrow_field(name: str, type: DataType, nullable: bool = True) -> pa.Field:
    told = {CATALYST: type.simpleString()} if isinstance(type, NAMED) else None
    return pa.field(name, arrow_type(type), nullable, told)


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
        raise NotNative(f"{type.simpleString()} written to ORC")
    return ARROW[type.__class__]
