"""CHAR(n) and VARCHAR(n): columns are strings, their lengths stand in metadata, and values are cut, filled or refused.

As Spark does it (CharVarcharUtils, CharVarcharCodegenUtils): the whole declared type is kept as text with the column.
"""

import re
from collections.abc import Callable

from pyspark.sql.types import ArrayType, CharType, DataType, MapType, StringType, StructField, StructType, VarcharType

from twinspark.functions.spelling import error
from twinspark.tables.ducktext import identifier
from twinspark.types import plain_type, quote_identifier

CHAR_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
Leaf = Callable[[str, CharType | VarcharType], str]
LIMITED = re.compile(r"(char|varchar)\((\d+)\)")


def has_limit(type: DataType) -> bool:
    match type:
        case StructType():
            return any(has_limit(field.dataType) for field in type.fields)
        case ArrayType():
            return has_limit(type.elementType)
        case MapType():
            return has_limit(type.keyType) or has_limit(type.valueType)
    return isinstance(type, CharType | VarcharType)


# ---- the declared type beside the plain one


def plain_field(field: StructField) -> StructField:
    """With strings instead, and the declared type in the metadata."""
    if not has_limit(field.dataType):
        return field
    metadata = {**(field.metadata or {}), CHAR_TYPE: field.dataType.simpleString()}
    return StructField(field.name, plain_type(field.dataType), field.nullable, metadata)


def plain_schema(schema: StructType) -> StructType:
    return StructType(list(map(plain_field, schema.fields)))


def raw_schema(schema: StructType) -> StructType:
    """With CHAR and VARCHAR as types again."""
    return StructType(list(map(raw_field, schema.fields)))


def raw_field(field: StructField) -> StructField:
    metadata = {key: value for key, value in (field.metadata or {}).items() if key != CHAR_TYPE}
    return StructField(field.name, raw_type(field), field.nullable, metadata)


def raw_type(field: StructField) -> DataType:
    text = (field.metadata or {}).get(CHAR_TYPE)
    return field.dataType if text is None else declared(field.dataType, str(text))[0]


def declared(type: DataType, text: str) -> tuple[DataType, str]:
    """The declared type that begins the text, and the text behind it; the plain type says what to expect there."""
    match type:
        case StructType():
            return declared_struct(type, text)
        case ArrayType():
            element, rest = declared(type.elementType, text.removeprefix("array<"))
            return ArrayType(element, type.containsNull), rest[1:]
        case MapType():
            key, rest = declared(type.keyType, text.removeprefix("map<"))
            value, rest = declared(type.valueType, rest[1:])
            return MapType(key, value, type.valueContainsNull), rest[1:]
    if (found := LIMITED.match(text)) is not None and isinstance(type, StringType):
        kind = CharType if found[1] == "char" else VarcharType
        return kind(int(found[2])), text[found.end() :]
    return type, text.removeprefix(type.simpleString())


def declared_struct(type: StructType, text: str) -> tuple[DataType, str]:
    rest = text.removeprefix("struct<")
    fields = []
    for at, field in enumerate(type.fields):
        rest = rest[1:] if at else rest
        quoted = f"{quote_identifier(field.name)}:"
        rest = rest.removeprefix(quoted) if rest.startswith(quoted) else rest.removeprefix(f"{field.name}:")
        made, rest = declared(field.dataType, rest)
        fields.append(StructField(field.name, made, field.nullable, field.metadata))
    return StructType(fields), rest[1:]


# ---- values, as DuckDB SQL


def stored(value: str, field: StructField) -> str:
    """A value on its way into the column: too long is refused, a CHAR is filled up."""
    return changed(value, raw_type(field), fitted)


def read(value: str, field: StructField) -> str:
    """A value of the column: a CHAR that another writer left short is filled up (spark.sql.readSideCharPadding)."""
    return changed(value, raw_type(field), filled)


def fitted(value: str, type: CharType | VarcharType) -> str:
    """Spaces at the end may be cut off to fit."""
    limit = type.length
    refused = error("EXCEED_LIMIT_LENGTH", limit=str(limit))
    trimmed = f"rtrim({value}, ' ')"
    kept = f"rpad({value}, {limit}, ' ')" if isinstance(type, CharType) else value
    return (
        f"CASE WHEN length({value}) <= {limit} THEN {kept} WHEN length({trimmed}) > {limit} THEN {refused} "
        f"ELSE rpad({trimmed}, {limit}, ' ') END"
    )


def filled(value: str, type: CharType | VarcharType) -> str:
    if isinstance(type, VarcharType):
        return value
    return f"CASE WHEN length({value}) < {type.length} THEN rpad({value}, {type.length}, ' ') ELSE {value} END"


def changed(value: str, type: DataType, leaf: Leaf, depth: int = 0) -> str:
    """The value with every CHAR and VARCHAR inside it changed by `leaf`."""
    if not has_limit(type):
        return value
    match type:
        case StructType():
            members = ", ".join(
                f"{identifier(f.name)} := {changed(f'{value}.{identifier(f.name)}', f.dataType, leaf, depth)}"
                for f in type.fields
            )
            return f"CASE WHEN {value} IS NULL THEN NULL ELSE struct_pack({members}) END"
        case ArrayType():
            element = f"e{depth}"
            return f"list_transform({value}, lambda {element}: {changed(element, type.elementType, leaf, depth + 1)})"
        case MapType():
            entry = f"e{depth}"
            key = changed(f"{entry}.key", type.keyType, leaf, depth + 1)
            item = changed(f"{entry}.value", type.valueType, leaf, depth + 1)
            made = f"list_transform(map_entries({value}), lambda {entry}: struct_pack(k := {key}, v := {item}))"
            return f"CASE WHEN {value} IS NULL THEN NULL ELSE map_from_entries({made}) END"
    assert isinstance(type, CharType | VarcharType)
    return leaf(value, type)


def padded(sql: str, schema: StructType) -> str:
    """A table's rows with its CHARs filled up; the same text where it has none."""
    if not any(has_char(raw_type(field)) for field in schema.fields):
        return sql
    columns = ", ".join(f"{read(identifier(f.name), f)} AS {identifier(f.name)}" for f in schema.fields)
    return f"(SELECT {columns} FROM {sql})"


def has_char(type: DataType) -> bool:
    match type:
        case StructType():
            return any(has_char(field.dataType) for field in type.fields)
        case ArrayType():
            return has_char(type.elementType)
        case MapType():
            return has_char(type.keyType) or has_char(type.valueType)
    return isinstance(type, CharType)
