"""DuckDB's spelling of Spark's types, constants and errors: the common words of all right halves."""

from functools import lru_cache

from twinspark.errors import NotNative
from twinspark.types import (
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
    NullType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    UserDefinedType,
    VariantType,
    YearMonthIntervalType,
    has_variant,
)

NAMES: dict[type, str] = {
    ByteType: "TINYINT",
    ShortType: "SMALLINT",
    IntegerType: "INTEGER",
    LongType: "BIGINT",
    FloatType: "FLOAT",
    DoubleType: "DOUBLE",
    StringType: "VARCHAR",
    BinaryType: "BLOB",
    BooleanType: "BOOLEAN",
    DateType: "DATE",
    TimestampType: "TIMESTAMPTZ",
    TimestampNTZType: "TIMESTAMP",
    DayTimeIntervalType: "BIGINT",  # microseconds: DuckDB's INTERVAL keeps days and months apart
    YearMonthIntervalType: "INTEGER",  # months
    TimeType: "BIGINT",  # nanoseconds of the day
    NullType: '"NULL"',
    VariantType: 'STRUCT("value" BLOB, metadata BLOB)',  # Spark's two byte strings
}


@lru_cache(4096)
def duck_type(type: DataType) -> str:
    """`ARRAY<STRUCT<a: INT>>` -> `STRUCT("a" INTEGER)[]`."""
    if isinstance(type, DecimalType):
        return f"DECIMAL({type.precision},{type.scale})"
    if isinstance(type, ArrayType):
        return f"{duck_type(type.elementType)}[]"
    if isinstance(type, MapType):
        if has_variant(type.keyType):
            raise NotNative("variants as keys of a map")
        return f"MAP({duck_type(type.keyType)}, {duck_type(type.valueType)})"
    if isinstance(type, StructType):
        return duck_struct(type)
    if isinstance(type, UserDefinedType):
        return duck_type(type.sqlType())
    if type.__class__ not in NAMES:
        raise NotNative(f"type {type.simpleString()}")
    return NAMES[type.__class__]


def duck_struct(type: StructType) -> str:
    names = [field.name.lower() for field in type.fields]
    if not names or len(set(names)) < len(names) or "" in names:
        raise NotNative("a struct without fields, or with names that DuckDB takes as equal")
    return "STRUCT(" + ", ".join(f"{quoted_name(f.name)} {duck_type(f.dataType)}" for f in type.fields) + ")"


def quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A VARCHAR constant."""
    if "\0" in value:
        raise NotNative("a string constant with a zero character")
    return "'" + value.replace("'", "''") + "'"


def cast_to(sql: str, type: DataType) -> str:
    return f"CAST({sql} AS {duck_type(type)})"


def error(condition: str, **parameters: str) -> str:
    """An expression that raises; duck.errors reads the text back into a SparkError."""
    return f"error({text(error_text(condition, **parameters))})"


def error_with(condition: str, **parameters: str) -> str:
    """The same with parameters that are SQL of VARCHARs."""
    parts = [text(f"SPARK:{condition}")]
    for name, sql in parameters.items():
        parts += [text(f"|{name}="), f"coalesce({escaped(sql)}, 'null')"]
    return f"error({' || '.join(parts)})"


def java_error(message: str, java_class: str = "java.lang.ArithmeticException") -> str:
    """An exception of Java's own, which has no condition; the message is SQL of a VARCHAR."""
    return error_with("JAVA", **{"class": text(java_class)}, message=message)


def escaped(sql: str) -> str:
    return f"replace(replace(replace({sql}, '%', '%25'), '|', '%7C'), '=', '%3D')"


def error_text(condition: str, **parameters: str) -> str:
    parts = [f"{k}={v.replace('%', '%25').replace('|', '%7C').replace('=', '%3D')}" for k, v in parameters.items()]
    return "|".join([f"SPARK:{condition}", *parts])


ANSI_CONFIG = '"spark.sql.ansi.enabled"'
