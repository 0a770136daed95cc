"""Remembers columns declared STRING COLLATE UTF8_BINARY: the type is STRING, but DESCRIBE shows the declaration."""

from pyspark.sql.types import StructField, StructType

SAID_BINARY = "twinspark.said_binary"  # in the metadata of a column on its way from the statement into the catalog


def split_marks(schema: StructType) -> tuple[StructType, tuple[str, ...]]:
    """The schema without the marks, and the names of the columns that had them."""
    said = tuple(field.name for field in schema.fields if SAID_BINARY in (field.metadata or {}))
    return StructType(list(map(without_mark, schema.fields))) if said else schema, said


def without_mark(field: StructField) -> StructField:
    metadata = {key: value for key, value in (field.metadata or {}).items() if key != SAID_BINARY}
    return StructField(field.name, field.dataType, field.nullable, metadata)
