"""Partition specs: converts Spark's transforms to Iceberg's, and writes the DuckDB SQL that computes them."""

import threading
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyiceberg import transforms as iceberg
from pyiceberg import types
from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.sorting import NullOrder, SortDirection

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.tables.changes import quote_path
from twinspark.tables.transforms import Bucket, Day, Hour, Identity, Month, Transform, Truncate, Year
from twinspark.types import quote_identifier
from twinspark.types.duckdb import duck_name


def partition_spec(schema: Schema, transforms: Sequence[Transform]) -> PartitionSpec:
    fields = [
        partition_field(schema, transform, PARTITION_FIELD_ID_START + at) for at, transform in enumerate(transforms)
    ]
    return PartitionSpec(*fields)


def partition_field(schema: Schema, transform: Transform, field_id: int) -> PartitionField:
    source = source_field(schema, transform)
    made = iceberg_transform(transform)
    if not made.can_transform(source.field_type):
        raise SparkError("UNSUPPORTED_PARTITION_TRANSFORM", transform=f"`{transform}`")
    return PartitionField(source.field_id, field_id, made, partition_name(transform))


def source_field(schema: Schema, transform: Transform) -> types.NestedField:
    path = ".".join(transform.column)
    try:
        return schema.find_field(path, case_sensitive=False)
    except ValueError as error:
        columns = ", ".join(quote_identifier(field.name) for field in schema.fields)
        raise SparkError(
            "COLUMN_NOT_DEFINED_IN_TABLE",
            colType="partition",
            colName=quote_path(transform.column),
            tableName="",
            tableCols=columns,
        ) from error


def iceberg_transform(transform: Transform) -> iceberg.Transform[Any, Any]:
    match transform:
        case Identity():
            return iceberg.IdentityTransform()
        case Bucket(_, count):
            return iceberg.BucketTransform(count)
        case Truncate(_, width):
            return iceberg.TruncateTransform(width)
        case Year():
            return iceberg.YearTransform()
        case Month():
            return iceberg.MonthTransform()
        case Day():
            return iceberg.DayTransform()
        case Hour():
            return iceberg.HourTransform()


ENDINGS = {Bucket: "_bucket", Truncate: "_trunc", Year: "_year", Month: "_month", Day: "_day", Hour: "_hour"}


def partition_name(transform: Transform) -> str:
    """The name Iceberg's Spark integration gives."""
    return ".".join(transform.column) + ENDINGS.get(transform.__class__, "")


def spark_transforms(schema: Schema, spec: PartitionSpec) -> tuple[Transform, ...]:
    found = [
        spark_transform(field.transform, tuple(schema.find_column_name(field.source_id).split(".")))
        for field in spec.fields
    ]
    return tuple(transform for transform in found if transform is not None)


def spark_transform(transform: Any, column: tuple[str, ...]) -> Transform | None:
    match transform:
        case iceberg.VoidTransform():
            return None
        case iceberg.BucketTransform():
            return Bucket(column, transform.num_buckets)
        case iceberg.TruncateTransform():
            return Truncate(column, transform.width)
    plain: dict[type, type[Identity] | type[Year] | type[Month] | type[Day] | type[Hour]] = {
        iceberg.IdentityTransform: Identity,
        iceberg.YearTransform: Year,
        iceberg.MonthTransform: Month,
        iceberg.DayTransform: Day,
        iceberg.HourTransform: Hour,
    }
    return plain[transform.__class__](column)


def partition_sql(schema: Schema, field: PartitionField, connection: Any) -> str:
    """SQL of the partition value as a string that `partition_value` decodes: 'n' for null, else 'v' and the value."""
    source = schema.find_field(field.source_id)
    column = ".".join(duck_name(part) for part in schema.find_column_name(field.source_id).split("."))
    value = value_sql(column, source.field_type, field.transform, connection)
    return f"CASE WHEN {column} IS NULL THEN 'n' ELSE 'v' || CAST({value} AS VARCHAR) END"


def value_sql(column: str, type: types.IcebergType, transform: Any, connection: Any) -> str:
    match transform:
        case iceberg.IdentityTransform():
            return identity_sql(column, type)
        case iceberg.VoidTransform():
            return "NULL"
        case iceberg.BucketTransform():
            return f"{bucket_function(type, transform.num_buckets, connection)}({column})"
        case iceberg.TruncateTransform():
            return truncate_sql(column, type, transform.width)
        case iceberg.YearTransform():
            return f"(year({utc(column, type)}) - 1970)"
        case iceberg.MonthTransform():
            local = utc(column, type)
            return f"((year({local}) - 1970) * 12 + month({local}) - 1)"
        case iceberg.DayTransform():
            return f"(CAST({utc(column, type)} AS DATE) - DATE '1970-01-01')"
        case iceberg.HourTransform():
            return f"CAST(floor(epoch_us({column}) / 3600000000) AS BIGINT)"
    raise NotNative(reasons.ICEBERG_TABLE, f"the partition transform {transform}")


def utc(column: str, type: types.IcebergType) -> str:
    """TIMESTAMP values are truncated in UTC, whatever the session's zone is."""
    return f"make_timestamp(epoch_us({column}))" if isinstance(type, types.TimestamptzType) else column


def identity_sql(column: str, type: types.IcebergType) -> str:
    if isinstance(type, types.DateType):
        return f"({column} - DATE '1970-01-01')"
    if isinstance(type, types.TimestampType | types.TimestamptzType):
        return f"epoch_us({column})"
    return f"hex({column})" if isinstance(type, types.BinaryType | types.FixedType) else column


def truncate_sql(column: str, type: types.IcebergType, width: int) -> str:
    if isinstance(type, types.StringType):
        return f"left({column}, {width})"
    if isinstance(type, types.IntegerType | types.LongType):
        wide = f"CAST({column} AS HUGEINT)"
        return f"({wide} - ((({wide} % {width}) + {width}) % {width}))"
    raise NotNative(reasons.ICEBERG_TABLE, f"the partition transform truncate of {type}")


REGISTERING = threading.Lock()
BUCKETS: dict[str, Callable[[Any], Any]] = {}


def bucket_function(type: types.IcebergType, count: int, connection: Any) -> str:
    """Registers Iceberg's bucket of pyiceberg-core as a DuckDB function, once for each database."""
    kind = BUCKET_KINDS.get(type.__class__)
    if kind is None:
        raise NotNative(reasons.ICEBERG_TABLE, f"the partition transform bucket of {type}")
    duck, arrow = kind
    name = f"twinspark_bucket_{duck.replace(' ', '_').lower()}_{count}"
    with REGISTERING:
        if not connection.execute("SELECT 1 FROM duckdb_functions() WHERE function_name = ?", [name]).fetchall():
            connection.create_function(name, bucket_of(name, type, count, arrow), [duck], "INTEGER", type="arrow")
    return name


def bucket_of(name: str, type: types.IcebergType, count: int, arrow: pa.DataType) -> Callable[[Any], Any]:
    """DuckDB releases a Python function when the cursor that registered it closes, and still calls it: the cache keeps
    a reference."""
    if name not in BUCKETS:
        apply = iceberg.BucketTransform(count).pyarrow_transform(type)
        BUCKETS[name] = lambda values: apply(as_arrow(values, arrow))
    return BUCKETS[name]


def as_arrow(values: Any, type: pa.DataType) -> Any:
    """One contiguous array of the type that pyiceberg-core hashes."""
    cast = values.cast(type)
    return cast.combine_chunks() if isinstance(cast, pa.ChunkedArray) else cast


BUCKET_KINDS: dict[type, tuple[str, pa.DataType]] = {
    types.IntegerType: ("INTEGER", pa.int32()),
    types.LongType: ("BIGINT", pa.int64()),
    types.StringType: ("VARCHAR", pa.string()),
    types.DateType: ("DATE", pa.date32()),
    types.TimestampType: ("TIMESTAMP", pa.timestamp("us")),
    types.TimestamptzType: ("TIMESTAMPTZ", pa.timestamp("us", "UTC")),
}


def partition_value(text: str, type: types.IcebergType) -> Any:
    """The value as PyIceberg's manifests store it."""
    if text == "n":
        return None
    value = text[1:]
    if isinstance(type, types.StringType):
        return value
    if isinstance(type, types.BooleanType):
        return value == "true"
    if isinstance(type, types.FloatType | types.DoubleType):
        return float(value)
    if isinstance(type, types.DecimalType):
        return Decimal(value)
    return bytes.fromhex(value) if isinstance(type, types.BinaryType | types.FixedType) else int(value)


def order_sql(table: Table) -> str:
    """The table's sort order as SQL; empty if it has none, or one with transforms."""
    fields = table.sort_order().fields
    if not all(isinstance(each.transform, iceberg.IdentityTransform) for each in fields):
        return ""
    return ", ".join(
        f"{column_sql(table, each.source_id)} {'ASC' if each.direction == SortDirection.ASC else 'DESC'} "
        f"NULLS {'FIRST' if each.null_order == NullOrder.NULLS_FIRST else 'LAST'}"
        for each in fields
    )


def column_sql(table: Table, id: int) -> str:
    return ".".join(duck_name(part) for part in table.schema().find_column_name(id).split("."))
