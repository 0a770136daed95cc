"""How DuckDB spells names, texts and Spark's types: the only place of this room that knows its quoting."""

from collections.abc import Iterable, Mapping

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
    NullType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
    YearMonthIntervalType,
)

from twinspark.errors import NotNative

PLAIN_TYPES: Mapping[type[DataType], str] = {
    ByteType: "TINYINT",
    ShortType: "SMALLINT",
    IntegerType: "INTEGER",
    LongType: "BIGINT",
    FloatType: "FLOAT",
    DoubleType: "DOUBLE",
    StringType: "VARCHAR",
    CharType: "VARCHAR",
    VarcharType: "VARCHAR",
    BinaryType: "BLOB",
    BooleanType: "BOOLEAN",
    DateType: "DATE",
    TimestampType: "TIMESTAMP WITH TIME ZONE",
    TimestampNTZType: "TIMESTAMP",
    DayTimeIntervalType: "BIGINT",
    YearMonthIntervalType: "INTEGER",
    NullType: '"NULL"',
}


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def literals(texts: Iterable[str]) -> str:
    return "[" + ", ".join(map(literal, texts)) + "]"


def duck_type(type: DataType) -> str:
    """DuckDB's type for a Spark type; a type without an exact twin is not native."""
    if isinstance(type, ArrayType):
        return f"{duck_type(type.elementType)}[]"
    if isinstance(type, MapType):
        return f"MAP({duck_type(type.keyType)}, {duck_type(type.valueType)})"
    if isinstance(type, StructType):
        fields = ", ".join(f"{identifier(f.name)} {duck_type(f.dataType)}" for f in type.fields)
        return f"STRUCT({fields})"
    if isinstance(type, DecimalType):
        return f"DECIMAL({type.precision},{type.scale})"
    return plain_type(type)


def plain_type(type: DataType) -> str:
    if type.__class__ not in PLAIN_TYPES:
        raise NotNative(f"columns of type {type.simpleString()}")
    return PLAIN_TYPES[type.__class__]
