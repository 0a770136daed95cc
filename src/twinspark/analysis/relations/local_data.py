"""Local relations: Arrow data that came with the request, cast to the client's schema or with Arrow's own."""

from __future__ import annotations

import pyarrow as pa
from pyspark.errors import PySparkTypeError
from pyspark.sql.pandas.types import from_arrow_schema

from twinspark.analysis.expressions import build
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.castable import can_store
from twinspark.functions.notation.settings import Settings
from twinspark.plan.relations import Field, LocalData, Project, Relation
from twinspark.types import (
    CalendarIntervalType,
    StructType,
    YearMonthIntervalType,
    nested_types,
    same_type,
    stored_type,
)
from twinspark.types.duckdb import duck_type

DEFAULT_SETTINGS, WHOLE = Settings(), pa.int64()
ODD = (CalendarIntervalType, YearMonthIntervalType)


def local_data(
    table: pa.Table | None, schema: StructType | None, key: str, settings: Settings = DEFAULT_SETTINGS
) -> Relation:
    if table is None and schema is None:
        raise SparkError("INTERNAL_ERROR", message="a local relation without data and schema")
    if table is None:
        return empty(schema, key)
    found = spark_schema(table.schema)
    own = LocalData(fields=fields_of(found), table=with_plain_times(table), key=key)
    if any(isinstance(t, ODD) for f in found.fields for t in nested_types(f.dataType)):
        raise NotNative(reasons.LOCAL_DATA, "year-month intervals")
    return own if schema is None else under(own, schema, settings)


def spark_schema(schema: pa.Schema) -> StructType:
    """ArrowUtils.fromArrowType does not support unsigned integers; the message has Arrow Java's name of the type."""
    for type in schema.types:
        if pa.types.is_unsigned_integer(type):
            raise SparkError("UNSUPPORTED_ARROWTYPE", typeName=f"Int({type.bit_width}, false)")
    try:
        return from_arrow_schema(schema, prefer_timestamp_ntz=True)
    except PySparkTypeError as error:
        raise NotNative(reasons.LOCAL_DATA, "an Arrow type that PySpark does not know") from error


def with_plain_times(table: pa.Table) -> pa.Table:
    """Converts times of day to nanoseconds and durations to microseconds, as DuckDB stores them."""
    wanted = pa.schema([field.with_type(plain_times(field.type)) for field in table.schema])
    if wanted.types == table.schema.types:
        return table
    exact = pa.schema([field.with_type(plain_times(field.type, pa.time64("ns"))) for field in table.schema])
    return table.cast(exact).cast(wanted)


def plain_times(type: pa.DataType, as_type: pa.DataType = WHOLE) -> pa.DataType:
    if pa.types.is_time64(type):
        return as_type
    if pa.types.is_duration(type):
        return WHOLE if as_type == WHOLE else pa.duration("us")
    if pa.types.is_list(type):
        return pa.list_(type.value_field.with_type(plain_times(type.value_type, as_type)))
    if pa.types.is_map(type):
        key, item = type.key_field, type.item_field
        return pa.map_(key.with_type(plain_times(key.type, as_type)), item.with_type(plain_times(item.type, as_type)))
    if pa.types.is_struct(type):
        return pa.struct([field.with_type(plain_times(field.type, as_type)) for field in type])
    return type


def empty(schema: StructType | None, key: str) -> Relation:
    assert schema is not None
    for field in schema.fields:
        duck_type(field.dataType)
    return LocalData(fields=fields_of(schema), table=pa.table({}), key=key)


def fields_of(schema: StructType) -> tuple[Field, ...]:
    return tuple(Field(f.name, f.dataType, f.nullable, tuple((f.metadata or {}).items())) for f in schema.fields)


def under(own: LocalData, schema: StructType, settings: Settings) -> Relation:
    """Casts the data to the client's schema by position, as Spark's server does."""
    if len(own.fields) != len(schema.fields):
        raise NotNative(reasons.LOCAL_DATA, "the schema has another number of columns than the rows")
    wanted = fields_of(schema)
    if all(same_type(a.type, stored_type(b.type)) for a, b in zip(own.fields, wanted, strict=True)):
        return LocalData(fields=wanted, table=own.table, key=own.key)
    expressions = []
    for column, field in zip(own.columns(), wanted, strict=True):
        if not can_store(column.type, field.type):
            raise NotNative(reasons.LOCAL_DATA, "the rows are of another type than the schema says")
        expressions.append(build.implicit_cast(column, field.type, settings))
    return Project(input=own, expressions=tuple(expressions), fields=wanted)
