"""Spark's types as short exact text: `array<int!>`, where `!` says never null and its absence says may be null."""

from pyspark.sql import types as t


def type_text(kind: t.DataType) -> str:
    """The type with the nullability of everything inside it."""
    if isinstance(kind, t.ArrayType):
        return f"array<{type_text(kind.elementType)}{mark_inside(kind.containsNull)}>"
    if isinstance(kind, t.MapType):
        return f"map<{type_text(kind.keyType)},{type_text(kind.valueType)}{mark_inside(kind.valueContainsNull)}>"
    if isinstance(kind, t.StructType):
        return f"struct<{','.join(field_text(field) for field in kind.fields)}>"
    return str(kind.simpleString())


def field_text(field: t.StructField) -> str:
    return f"{quote_name(field.name)}:{type_text(field.dataType)}{mark_inside(field.nullable)}"


def quote_name(name: str) -> str:
    return name if name.isidentifier() else "`" + name.replace("`", "``") + "`"


def mark_inside(nullable: bool) -> str:
    return "" if nullable else "!"


def result_text(kind: t.DataType, nullable: bool) -> str:
    """The type of a whole result: `int!` or `int?`."""
    return type_text(kind) + ("?" if nullable else "!")


def schema_text(schema: t.StructType) -> str:
    """One column as its type; several (a generator's) as `(pos int!, col int?)`."""
    if len(schema.fields) == 1:
        return result_text(schema.fields[0].dataType, schema.fields[0].nullable)
    inside = (f"{quote_name(f.name)} {result_text(f.dataType, f.nullable)}" for f in schema.fields)
    return f"({', '.join(inside)})"
