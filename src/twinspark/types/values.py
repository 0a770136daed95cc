"""Constants for Spark's data types (one object for each atomic type), and families of PySpark's type classes."""

from typing import Any

from pyspark.sql.types import (
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
    NullType,
    ShortType,
    StringType,
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
    """A user-defined type, by its class name: its values are those of its SQL type, and its class is never loaded."""

    def __init__(self, sql_type: DataType, python_class: str, serialized: str = "", jvm_class: str = "") -> None:
        self.sql_type = sql_type
        self.python_class = python_class
        self.serialized = serialized
        self.jvm_class = jvm_class

    def sqlType(self) -> DataType:
        return self.sql_type

    def simpleString(self) -> str:
        """The type name that DataType.typeName derives from the name of the class in the JVM."""
        return self.jvm_class.rpartition(".")[2].removesuffix("UDT").lower() or "pythonuserdefined"

    def jsonValue(self) -> dict[str, Any]:
        named = {"class": self.jvm_class} if self.jvm_class else {"serializedClass": self.serialized}
        return {"type": "udt", **named, "pyClass": self.python_class, "sqlType": self.sql_type.jsonValue()}

    def __eq__(self, other: Any) -> bool:
        """`serialized` is not compared: pickles of one class may differ (PythonUserDefinedType.equals)."""
        return isinstance(other, UserType) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash((self.python_class, self.jvm_class))

    @property
    def _identity(self) -> tuple[str, str, DataType]:
        return self.python_class, self.jvm_class, self.sql_type


# The order in which numeric types other than decimals widen: TypeCoercion.numericPrecedence.
NUMERIC_PRECEDENCE: tuple[DataType, ...] = (BYTE, SHORT, INT, LONG, FLOAT, DOUBLE)


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
