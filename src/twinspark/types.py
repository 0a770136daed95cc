"""Spark's types as values: PySpark's own classes, with the names, families and decimal rules that Spark gives them."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CalendarIntervalType,
    CharType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    GeographyType,
    GeometryType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    UserDefinedType,
    VarcharType,
    VariantType,
    YearMonthIntervalType,
)

BYTE, SHORT, INT, LONG = ByteType(), ShortType(), IntegerType(), LongType()
FLOAT, DOUBLE = FloatType(), DoubleType()
STRING, BINARY, BOOLEAN, NULL = StringType(), BinaryType(), BooleanType(), NullType()
DATE, TIMESTAMP, TIMESTAMP_NTZ, VARIANT = DateType(), TimestampType(), TimestampNTZType(), VariantType()
CALENDAR_INTERVAL, TIME = CalendarIntervalType(), TimeType(6)
DAY_TIME = DayTimeIntervalType(DayTimeIntervalType.DAY, DayTimeIntervalType.SECOND)
YEAR_MONTH = YearMonthIntervalType(YearMonthIntervalType.YEAR, YearMonthIntervalType.MONTH)

INTEGRAL = (ByteType, ShortType, IntegerType, LongType)
FRACTIONAL = (FloatType, DoubleType, DecimalType)
NUMERIC = INTEGRAL + FRACTIONAL
DATETIME = (DateType, TimestampType, TimestampNTZType, TimeType)
INTERVAL = (DayTimeIntervalType, YearMonthIntervalType)
TEXT = (StringType, CharType, VarcharType)
GEOSPATIAL = (GeographyType, GeometryType)
OPAQUE = (*GEOSPATIAL, UserDefinedType)


class UserType(UserDefinedType):  # type: ignore[misc]
    """A user-defined type as clients name it: its values are those of its SQL type, its class is never loaded here."""

    def __init__(self, sql_type: DataType, python_class: str, serialized: str = "", jvm_class: str = "") -> None:
        self.sql_type = sql_type
        self.python_class = python_class
        self.serialized = serialized
        self.jvm_class = jvm_class

    def sqlType(self) -> DataType:
        return self.sql_type

    def simpleString(self) -> str:
        """DataType.typeName of the class in the JVM."""
        return self.jvm_class.rpartition(".")[2].removesuffix("UDT").lower() or "pythonuserdefined"

    def jsonValue(self) -> dict[str, Any]:
        named = {"class": self.jvm_class} if self.jvm_class else {"serializedClass": self.serialized}
        return {"type": "udt", **named, "pyClass": self.python_class, "sqlType": self.sql_type.jsonValue()}

    def __eq__(self, other: Any) -> bool:
        """Pickles of one class may differ (PythonUserDefinedType.equals)."""
        return isinstance(other, UserType) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash((self.python_class, self.jvm_class))

    @property
    def _identity(self) -> tuple[str, str, DataType]:
        return self.python_class, self.jvm_class, self.sql_type


# The order in which numbers widen, decimals apart: TypeCoercion.numericPrecedence.
NUMERIC_PRECEDENCE: tuple[DataType, ...] = (BYTE, SHORT, INT, LONG, FLOAT, DOUBLE)
INTEGRAL_DIGITS = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 20}
MAX_PRECISION = 38
MINIMUM_ADJUSTED_SCALE = 6


def is_string(type: DataType) -> bool:
    return isinstance(type, TEXT)


def is_numeric(type: DataType) -> bool:
    return isinstance(type, NUMERIC)


def is_integral(type: DataType) -> bool:
    return isinstance(type, INTEGRAL)


def is_null(type: DataType) -> bool:
    return isinstance(type, NullType)


def is_collated(type: DataType) -> bool:
    return isinstance(type, StringType) and type.collation not in ("UTF8_BINARY", None)


def has_collation(type: DataType) -> bool:
    """Whether strings of another collation than UTF8_BINARY are in it."""
    if isinstance(type, NESTED):
        return any(map(is_collated, nested_types(type)))
    return isinstance(type, StringType) and is_collated(type)


def has_time(type: DataType) -> bool:
    return has_inner(type, TimeType)


def has_geospatial(type: DataType) -> bool:
    return has_inner(type, GEOSPATIAL)


def has_opaque(type: DataType) -> bool:
    """Geometries and user-defined types: few functions take them."""
    return has_inner(type, OPAQUE)


def has_user_type(type: DataType) -> bool:
    return has_inner(type, UserDefinedType)


def has_variant(type: DataType) -> bool:
    """Variants have no order and are never compared."""
    return has_inner(type, VariantType)


NESTED = (ArrayType, MapType, StructType)


def has_inner(type: DataType, kinds: Any) -> bool:
    """Whether the type is of the kinds or has one of them inside; most types are simple, and asked about often."""
    if isinstance(type, NESTED):
        return any(isinstance(inner, kinds) for inner in nested_types(type))
    return isinstance(type, kinds)


def nested_types(type: DataType) -> Iterable[DataType]:
    """The type itself and every type inside it."""
    yield type
    if isinstance(type, ArrayType):
        yield from nested_types(type.elementType)
    elif isinstance(type, MapType):
        yield from nested_types(type.keyType)
        yield from nested_types(type.valueType)
    elif isinstance(type, StructType):
        for field in type.fields:
            yield from nested_types(field.dataType)


def same_type(left: DataType, right: DataType) -> bool:
    """Equal but for nullability inside; field names count (DataTypeUtils.sameType, case apart)."""
    if not isinstance(left, NESTED):
        return left == right
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return same_type(left.elementType, right.elementType)
    if isinstance(left, MapType) and isinstance(right, MapType):
        return same_type(left.keyType, right.keyType) and same_type(left.valueType, right.valueType)
    if isinstance(left, StructType) and isinstance(right, StructType):
        return len(left.fields) == len(right.fields) and all(
            a.name.lower() == b.name.lower() and same_type(a.dataType, b.dataType)
            for a, b in zip(left.fields, right.fields, strict=True)
        )
    return left == right


def same_letters(left: DataType, right: DataType) -> bool:
    """The same type, whose fields are spelled alike too: DuckDB takes `x` and `X` for two fields."""
    return same_type(left, right) and (
        not isinstance(left, ArrayType | MapType | StructType) or left.simpleString() == right.simpleString()
    )


def stored_type(type: DataType) -> DataType:
    """The type that values of the type are kept in: user-defined types are their SQL types, also inside others."""
    if not has_user_type(type):
        return type
    if isinstance(type, ArrayType):
        return ArrayType(stored_type(type.elementType), type.containsNull)
    if isinstance(type, MapType):
        return MapType(stored_type(type.keyType), stored_type(type.valueType), type.valueContainsNull)
    if isinstance(type, StructType):
        return StructType([StructField(f.name, stored_type(f.dataType), f.nullable, f.metadata) for f in type.fields])
    return stored_type(type.sqlType()) if isinstance(type, UserDefinedType) else type


def as_nullable(type: DataType) -> DataType:
    """The same type with every inner nullability set (DataType.asNullable)."""
    if isinstance(type, ArrayType):
        return ArrayType(as_nullable(type.elementType), True)
    if isinstance(type, MapType):
        return MapType(as_nullable(type.keyType), as_nullable(type.valueType), True)
    if isinstance(type, StructType):
        return StructType([StructField(f.name, as_nullable(f.dataType), True, f.metadata) for f in type.fields])
    return type


@lru_cache(2048)
def decimal_type(precision: int, scale: int) -> DecimalType:
    """One object for each: types that are the same object are compared at once."""
    return DecimalType(precision, scale)


def bounded_decimal(precision: int, scale: int) -> DecimalType:
    return decimal_type(min(precision, MAX_PRECISION), min(scale, MAX_PRECISION))


def adjusted_decimal(precision: int, scale: int) -> DecimalType:
    """Digits beyond 38 are taken from the scale, six of which are kept (DecimalType.adjustPrecisionScale)."""
    if precision <= MAX_PRECISION:
        return decimal_type(precision, scale)
    if scale < 0:
        return decimal_type(MAX_PRECISION, scale)
    digits_before = precision - scale
    return decimal_type(MAX_PRECISION, max(MAX_PRECISION - digits_before, min(scale, MINIMUM_ADJUSTED_SCALE)))


def decimal_for(type: DataType) -> DecimalType:
    """The decimal that holds every value of a number (DecimalType.forType)."""
    if isinstance(type, DecimalType):
        return type
    if isinstance(type, FloatType):
        return decimal_type(14, 7)
    if isinstance(type, DoubleType):
        return decimal_type(30, 15)
    return decimal_type(INTEGRAL_DIGITS[type.__class__], 0)


def wider_decimal(left: DecimalType, right: DecimalType) -> DecimalType:
    scale = max(left.scale, right.scale)
    whole = max(left.precision - left.scale, right.precision - right.scale)
    return bounded_widest(whole + scale, scale)


def bounded_widest(precision: int, scale: int) -> DecimalType:
    """Integral digits are kept before scale (DecimalType.boundedPreferIntegralDigits)."""
    if precision <= MAX_PRECISION:
        return DecimalType(precision, scale)
    return decimal_type(MAX_PRECISION, max(0, scale - (precision - MAX_PRECISION)))


def decimal_holds(decimal: DecimalType, other: DataType) -> bool:
    """Every value of `other` fits (DecimalType.isWiderThan)."""
    if not is_numeric(other) or isinstance(other, FloatType | DoubleType):
        return False
    wanted = decimal_for(other)
    return decimal.precision - decimal.scale >= wanted.precision - wanted.scale and decimal.scale >= wanted.scale


PLAIN_IDENTIFIER = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*|[0-9]*[a-zA-Z_][a-zA-Z0-9_]*")


def plain_type(type: DataType) -> DataType:
    """With strings where CHAR and VARCHAR are declared."""
    match type:
        case CharType() | VarcharType():
            return StringType()
        case StructType():
            fields = [StructField(f.name, plain_type(f.dataType), f.nullable, f.metadata) for f in type.fields]
            return StructType(fields)
        case ArrayType():
            return ArrayType(plain_type(type.elementType), type.containsNull)
        case MapType():
            return MapType(plain_type(type.keyType), plain_type(type.valueType), type.valueContainsNull)
    return type


def quote_identifier(name: str) -> str:
    """Backquotes always (Spark's toSQLId for one part)."""
    return "`" + name.replace("`", "``") + "`"


def quote_if_needed(name: str) -> str:
    return name if re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name) else quote_identifier(name)


@lru_cache(4096)
def sql_name(type: DataType) -> str:
    """Spark's `dataType.sql`: `BIGINT`, `ARRAY<STRING>`, `STRUCT<a: INT NOT NULL>`."""
    if isinstance(type, ArrayType):
        return f"ARRAY<{sql_name(type.elementType)}>"
    if isinstance(type, MapType):
        return f"MAP<{sql_name(type.keyType)}, {sql_name(type.valueType)}>"
    if isinstance(type, StructType):
        return f"STRUCT<{', '.join(map(field_sql, type.fields))}>"
    if isinstance(type, UserDefinedType):
        return sql_name(type.sqlType())
    return type.simpleString().upper() if not is_collated(type) else f"STRING COLLATE {type.collation}"


def field_sql(field: StructField) -> str:
    comment = (field.metadata or {}).get("comment")
    return (
        f"{quote_if_needed(field.name)}: {sql_name(field.dataType)}"
        + ("" if field.nullable else " NOT NULL")
        + (f" COMMENT '{comment}'" if comment else "")
    )
