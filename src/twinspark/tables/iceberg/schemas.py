"""Maps the columns of files of an older schema to a newer one: fields are matched by Iceberg's ids, never by name."""

from collections.abc import Mapping
from typing import Any

from pyiceberg import types
from pyiceberg.schema import Schema
from pyspark.sql.types import DataType, StructField, StructType

from twinspark.tables.column_types import column_type
from twinspark.tables.iceberg.datafile import duck_storage
from twinspark.tables.iceberg.types import spark_schema
from twinspark.tables.reshape import Cast, Elements, Entries, Field, Fields, Missing, Reshape, Same, simplify


def reading(written: Schema, wanted: Schema, properties: Mapping[str, str]) -> tuple[Field, ...]:
    """How the columns of a file written with one schema become those of another."""
    target = spark_schema(wanted, properties)
    return fields_of(written.as_struct(), wanted.as_struct(), target)


def fields_of(written: types.StructType, wanted: types.StructType, target: StructType) -> tuple[Field, ...]:
    by_id = {field.field_id: field for field in written.fields}
    return tuple(
        field_of(by_id.get(field.field_id), field, spark)
        for field, spark in zip(wanted.fields, target.fields, strict=True)
    )


def field_of(source: Any, wanted: types.NestedField, target: StructField) -> Field:
    if source is None:
        return Field(wanted.name, None, Missing(target.dataType, (target.metadata or {}).get("EXISTS_DEFAULT")))
    return Field(wanted.name, source.name, reshape_of(source.field_type, wanted.field_type, target.dataType))


def reshape_of(written: types.IcebergType, wanted: types.IcebergType, target: DataType) -> Reshape:
    spark: Any = target
    if isinstance(written, types.StructType):
        fields = fields_of(written, wanted, spark)
        return simplify(Fields(fields), unchanged_names=[f.name for f in fields] == [f.name for f in written.fields])
    if isinstance(written, types.ListType):
        return simplify(Elements(reshape_of(written.element_type, wanted.element_type, spark.elementType)))
    if isinstance(written, types.MapType):
        key = reshape_of(written.key_type, wanted.key_type, spark.keyType)
        return simplify(Entries(key, reshape_of(written.value_type, wanted.value_type, spark.valueType)))
    return Same() if duck_storage(written) == column_type(target) else Cast(target)
