"""Converts types between Spark and Iceberg; types that Iceberg does not have are stored in properties by field id."""

import itertools
import json
from collections.abc import Callable, Iterator, Mapping

from pyiceberg import types as iceberg
from pyiceberg.schema import Schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CharType,
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
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
    YearMonthIntervalType,
)

from twinspark.errors import SparkError
from twinspark.tables.char_types import plain_field
from twinspark.types import sql_name

# A field whose Spark type Iceberg widens (tinyint, smallint, char, varchar, intervals) keeps it here, by field id.
SPARK_TYPE = "twinspark.type."
DEFAULT = "twinspark.default."  # the default of new rows
EXISTS = "twinspark.exists."  # the value of rows that are older than the column
WIDENED = (ByteType, ShortType, CharType, VarcharType, DayTimeIntervalType, YearMonthIntervalType)

TO_ICEBERG: Mapping[type[DataType], iceberg.IcebergType] = {
    BooleanType: iceberg.BooleanType(),
    ByteType: iceberg.IntegerType(),
    ShortType: iceberg.IntegerType(),
    IntegerType: iceberg.IntegerType(),
    LongType: iceberg.LongType(),
    FloatType: iceberg.FloatType(),
    DoubleType: iceberg.DoubleType(),
    StringType: iceberg.StringType(),
    CharType: iceberg.StringType(),
    VarcharType: iceberg.StringType(),
    BinaryType: iceberg.BinaryType(),
    DateType: iceberg.DateType(),
    TimestampType: iceberg.TimestamptzType(),
    TimestampNTZType: iceberg.TimestampType(),
    DayTimeIntervalType: iceberg.LongType(),
    YearMonthIntervalType: iceberg.IntegerType(),
}
TO_SPARK: Mapping[type[iceberg.IcebergType], DataType] = {
    iceberg.BooleanType: BooleanType(),
    iceberg.IntegerType: IntegerType(),
    iceberg.LongType: LongType(),
    iceberg.FloatType: FloatType(),
    iceberg.DoubleType: DoubleType(),
    iceberg.StringType: StringType(),
    iceberg.BinaryType: BinaryType(),
    iceberg.FixedType: BinaryType(),
    iceberg.UUIDType: StringType(),
    iceberg.DateType: DateType(),
    iceberg.TimestamptzType: TimestampType(),
    iceberg.TimestampType: TimestampNTZType(),
}

NextId = Callable[[], int]


def iceberg_schema(schema: StructType) -> tuple[Schema, dict[str, str]]:
    """The Iceberg schema with new ids, and the properties with types and defaults that it cannot express."""
    counter = itertools.count(1)
    # Iceberg numbers a level before its children, and PyIceberg assigns ids in that order, so that they do not change.
    fields = iceberg_fields(schema, lambda: next(counter))
    made = Schema(*fields)
    return made, remembered_types(schema, made)


def iceberg_fields(schema: StructType, next_id: NextId) -> list[iceberg.NestedField]:
    ids = [next_id() for _ in schema.fields]
    return [
        iceberg.NestedField(
            id, field.name, iceberg_type(field.dataType, next_id), required=not field.nullable, doc=comment_of(field)
        )
        for id, field in zip(ids, schema.fields, strict=True)
    ]


def comment_of(field: StructField) -> str | None:
    comment = (field.metadata or {}).get("comment")
    return None if comment is None else str(comment)


def iceberg_type(type: DataType, next_id: NextId) -> iceberg.IcebergType:
    if isinstance(type, DecimalType):
        return iceberg.DecimalType(type.precision, type.scale)
    if isinstance(type, StructType):
        return iceberg.StructType(*iceberg_fields(type, next_id))
    if isinstance(type, ArrayType):
        id = next_id()
        return iceberg.ListType(id, iceberg_type(type.elementType, next_id), element_required=not type.containsNull)
    if isinstance(type, MapType):
        key, value = next_id(), next_id()
        return iceberg.MapType(
            key,
            iceberg_type(type.keyType, next_id),
            value,
            iceberg_type(type.valueType, next_id),
            value_required=not type.valueContainsNull,
        )
    if type.__class__ not in TO_ICEBERG:
        raise SparkError(
            "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", format="ICEBERG", columnName="", columnType=f'"{sql_name(type)}"'
        )
    return TO_ICEBERG[type.__class__]


def remembered_types(schema: StructType, made: Schema) -> dict[str, str]:
    pairs = zip(spark_leaves(schema), made_leaves(made.as_struct()), strict=True)
    types = {f"{SPARK_TYPE}{id}": type.json() for type, id in pairs if isinstance(type, WIDENED)}
    return types | remembered_defaults(schema, made)


def remembered_defaults(schema: StructType, made: Schema) -> dict[str, str]:
    return {
        f"{prefix}{made_field.field_id}": str((field.metadata or {})[key])
        for field, made_field in zip(schema.fields, made.fields, strict=True)
        for prefix, key in ((DEFAULT, "CURRENT_DEFAULT"), (EXISTS, "EXISTS_DEFAULT"))
        if key in (field.metadata or {})
    }


def spark_leaves(type: DataType) -> Iterator[DataType]:
    """Every type below this one, in the order of the ids of `made_leaves`."""
    for child in spark_children(type):
        yield child
        yield from spark_leaves(child)


def spark_children(type: DataType) -> list[DataType]:
    if isinstance(type, StructType):
        return [field.dataType for field in type.fields]
    if isinstance(type, ArrayType):
        return [type.elementType]
    return [type.keyType, type.valueType] if isinstance(type, MapType) else []


def made_leaves(type: iceberg.IcebergType) -> Iterator[int]:
    for child in nested_fields(type):
        yield child.field_id
        yield from made_leaves(child.field_type)


def nested_fields(type: iceberg.IcebergType) -> list[iceberg.NestedField]:
    if isinstance(type, iceberg.StructType):
        return list(type.fields)
    if isinstance(type, iceberg.ListType):
        return [type.element_field]
    return [type.key_field, type.value_field] if isinstance(type, iceberg.MapType) else []


def spark_schema(schema: Schema, properties: Mapping[str, str]) -> StructType:
    """Spark's schema, with types, comments and defaults from the properties."""
    return StructType([plain_field(raw_field(field, properties)) for field in schema.fields])


def raw_field(field: iceberg.NestedField, properties: Mapping[str, str]) -> StructField:
    metadata: dict[str, object] = {}
    if field.doc is not None:
        metadata["comment"] = field.doc
    default = properties.get(f"{DEFAULT}{field.field_id}")
    if default is not None:
        metadata["CURRENT_DEFAULT"] = default
    exists = properties.get(f"{EXISTS}{field.field_id}")
    if exists is not None:
        metadata["EXISTS_DEFAULT"] = exists
    return StructField(field.name, spark_type(field, properties), not field.required, metadata)


def spark_type(field: iceberg.NestedField, properties: Mapping[str, str]) -> DataType:
    remembered = properties.get(f"{SPARK_TYPE}{field.field_id}")
    type = field.field_type
    if remembered is not None and type in (iceberg.IntegerType(), iceberg.LongType(), iceberg.StringType()):
        return parse_type(remembered)
    if isinstance(type, iceberg.StructType):
        return StructType([raw_field(child, properties) for child in type.fields])
    if isinstance(type, iceberg.ListType):
        return ArrayType(spark_type(type.element_field, properties), not type.element_required)
    if isinstance(type, iceberg.MapType):
        return MapType(
            spark_type(type.key_field, properties), spark_type(type.value_field, properties), not type.value_required
        )
    if isinstance(type, iceberg.DecimalType):
        return DecimalType(type.precision, type.scale)
    if type.__class__ not in TO_SPARK:
        raise SparkError("UNSUPPORTED_DATATYPE", typeName=f'"{str(type).upper()}"')
    return TO_SPARK[type.__class__]


def parse_type(text: str) -> DataType:
    schema = StructType.fromJson(
        {"fields": [{"name": "a", "type": json.loads(text), "nullable": True, "metadata": {}}]}
    )
    found: DataType = schema.fields[0].dataType
    return found
