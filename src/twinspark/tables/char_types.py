"""CHAR(n) and VARCHAR(n) columns: string columns with the declared type in their metadata, padded and length-checked.

As in Spark's CharVarcharUtils and CharVarcharCodegenUtils, the declared type is stored as text in the column's
metadata.
"""

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import error
from twinspark.types import (
    CharType,
    DataType,
    StructField,
    StructType,
    VarcharType,
    has_inner,
    has_length_limit,
    inner_types,
    plain_type,
    with_inner_types,
)
from twinspark.types.duckdb import ValueRewriter, duck_name
from twinspark.types.text import TypeTextError, parse_reported_type

CHAR_TYPE = "__CHAR_VARCHAR_TYPE_STRING"


# ---- the declared type beside the plain one


def plain_field(field: StructField) -> StructField:
    """The field with strings instead, and the declared type in the metadata."""
    if not has_length_limit(field.dataType):
        return field
    metadata = {**(field.metadata or {}), CHAR_TYPE: field.dataType.simpleString()}
    return StructField(field.name, plain_type(field.dataType), field.nullable, metadata)


def plain_schema(schema: StructType) -> StructType:
    return StructType(list(map(plain_field, schema.fields)))


def raw_schema(schema: StructType) -> StructType:
    """The schema with CHAR and VARCHAR types restored."""
    return StructType(list(map(raw_field, schema.fields)))


def raw_field(field: StructField) -> StructField:
    metadata = {key: value for key, value in (field.metadata or {}).items() if key != CHAR_TYPE}
    return StructField(field.name, raw_type(field), field.nullable, metadata)


def raw_type(field: StructField) -> DataType:
    text = (field.metadata or {}).get(CHAR_TYPE)
    return field.dataType if text is None else with_limits(field.dataType, declared_type(str(text)))


def declared_type(text: str) -> DataType:
    """Parses the declared type; Spark uses its SQL parser, which fails on field names that need quotes."""
    try:
        return parse_reported_type(text)
    except TypeTextError as problem:
        raise NotNative(reasons.TYPE_UNSUPPORTED, "CHAR or VARCHAR beside a field whose name needs quotes") from problem


def with_limits(type: DataType, declared: DataType) -> DataType:
    if isinstance(declared, CharType | VarcharType):
        return declared
    pairs = zip(inner_types(type), inner_types(declared), strict=True)
    return with_inner_types(type, [with_limits(*pair) for pair in pairs])


# ---- values, as DuckDB SQL


def write_value(value: str, field: StructField) -> str:
    """SQL of a value that is written to the column: too long raises an error, a CHAR is padded."""
    return ValueRewriter(fit_length, has_length_limit, "e").rewrite(value, raw_type(field))


def read_value(value: str, field: StructField) -> str:
    """SQL of a value that is read: a CHAR that another writer did not pad is padded (spark.sql.readSideCharPadding)."""
    return ValueRewriter(pad_chars, has_length_limit, "e").rewrite(value, raw_type(field))


def fit_length(value: str, type: DataType) -> str:
    """SQL that raises an error for too long values; trailing spaces may be removed to fit."""
    assert isinstance(type, CharType | VarcharType)
    limit = type.length
    refused = error("EXCEED_LIMIT_LENGTH", limit=str(limit))
    trimmed = f"rtrim({value}, ' ')"
    kept = f"rpad({value}, {limit}, ' ')" if isinstance(type, CharType) else value
    return (
        f"CASE WHEN length({value}) <= {limit} THEN {kept} WHEN length({trimmed}) > {limit} THEN {refused} "
        f"ELSE rpad({trimmed}, {limit}, ' ') END"
    )


def pad_chars(value: str, type: DataType) -> str:
    if not isinstance(type, CharType):
        return value
    return f"CASE WHEN length({value}) < {type.length} THEN rpad({value}, {type.length}, ' ') ELSE {value} END"


def pad_rows(sql: str, schema: StructType) -> str:
    """SQL of a table's rows with CHAR columns padded; the same text where it has none."""
    if not any(has_char(raw_type(field)) for field in schema.fields):
        return sql
    columns = ", ".join(f"{read_value(duck_name(f.name), f)} AS {duck_name(f.name)}" for f in schema.fields)
    return f"(SELECT {columns} FROM {sql})"


def has_char(type: DataType) -> bool:
    return has_inner(type, CharType)
