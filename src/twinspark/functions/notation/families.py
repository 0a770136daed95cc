"""The type notation of function signatures: which types a parameter accepts, and what an argument is cast to."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from twinspark.functions.casts.castable import can_store
from twinspark.functions.casts.common_types import force_nullable, is_atomic
from twinspark.functions.notation.registry import split_top
from twinspark.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    CALENDAR_INTERVAL,
    DATE,
    DATETIME,
    DAY_TIME,
    DOUBLE,
    FLOAT,
    INT,
    INTEGRAL,
    INTERVAL,
    LONG,
    NULL,
    NUMERIC,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    YEAR_MONTH,
    ArrayType,
    BinaryType,
    CalendarIntervalType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    NullType,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VariantType,
    YearMonthIntervalType,
    decimal_for,
    decimal_type,
    is_null,
    is_numeric,
    is_string,
)

CONCRETE: dict[str, DataType] = {
    "tinyint": BYTE,
    "smallint": SHORT,
    "int": INT,
    "bigint": LONG,
    "float": FLOAT,
    "double": DOUBLE,
    "string": STRING,
    "binary": BINARY,
    "boolean": BOOLEAN,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "timestamp_ntz": TIMESTAMP_NTZ,
    "null": NULL,
    "variant": VARIANT,
    "interval": CALENDAR_INTERVAL,
    "daytime": DAY_TIME,
    "yearmonth": YEAR_MONTH,
}
Test = Callable[[DataType], bool]
# a test for the family, and the type that arguments of other types are cast to
FAMILIES: dict[str, tuple[Test, DataType]] = {
    "any": (lambda t: True, NULL),
    "numeric": (lambda t: isinstance(t, NUMERIC), DOUBLE),
    "integral": (lambda t: isinstance(t, INTEGRAL), INT),
    "fractional": (lambda t: isinstance(t, FloatType | DoubleType | DecimalType), DOUBLE),
    "decimal": (lambda t: isinstance(t, DecimalType), DecimalType(38, 18)),
    "string": (is_string, STRING),
    "daytime": (lambda t: isinstance(t, DayTimeIntervalType), DAY_TIME),
    "yearmonth": (lambda t: isinstance(t, YearMonthIntervalType), YEAR_MONTH),
    "ansi_interval": (lambda t: isinstance(t, INTERVAL), DAY_TIME),
    "datetime": (lambda t: isinstance(t, DATETIME), TIMESTAMP),
    "anytimestamp": (lambda t: isinstance(t, TimestampType | TimestampNTZType), TIMESTAMP),
    "time": (lambda t: isinstance(t, TimeType), TimeType(6)),
    "atomic": (is_atomic, STRING),
    "array": (lambda t: isinstance(t, ArrayType), ArrayType(NULL, True)),
    "map": (lambda t: isinstance(t, MapType), MapType(NULL, NULL, True)),
    "struct": (lambda t: isinstance(t, StructType), StructType([])),
}
VARIABLES = frozenset("TKVW")  # W is the common type with string promotion, as in coalesce; the others have none


def is_variable(notation: str) -> bool:
    return notation.rstrip("!?") in VARIABLES


@lru_cache(1024)
def inner(notation: str) -> tuple[str, tuple[str, ...]]:
    """`array<T>` -> (array, (T,)); a plain name has no inner notation."""
    head, _, rest = notation.partition("<")
    return head, tuple(split_top(rest[:-1])) if rest else ()


def accepts(notation: str, type: DataType) -> bool:
    head, parts = inner(notation)
    if is_variable(notation):
        return True
    if parts:
        return accepts_nested(head, parts, type)
    if head in FAMILIES:
        return FAMILIES[head][0](type)
    return concrete(notation) == type


def accepts_nested(head: str, parts: tuple[str, ...], type: DataType) -> bool:
    if head == "array":
        return isinstance(type, ArrayType) and accepts(parts[0], type.elementType)
    return isinstance(type, MapType) and accepts(parts[0], type.keyType) and accepts(parts[1], type.valueType)


def concrete(notation: str) -> DataType:
    """The type that arguments are cast to for this notation."""
    head, parts = inner(notation.rstrip("!?"))
    if is_variable(notation):
        return NULL
    if head == "array" and parts:
        return ArrayType(concrete(parts[0]), True)
    if head == "map" and parts:
        return MapType(concrete(parts[0]), concrete(parts[1]), True)
    if head.startswith("decimal("):
        precision, scale = head[8:-1].split(",")
        return decimal_type(int(precision), int(scale))
    return CONCRETE[head] if head in CONCRETE else FAMILIES[head][1]


def implicit_type(type: DataType, alternatives: tuple[str, ...], ansi: bool) -> DataType | None:
    """The type that an argument is cast to so that one of the alternatives accepts it; None if there is none."""
    if any(accepts(notation, type) for notation in alternatives):
        return type
    find = ansi_implicit_type if ansi else legacy_implicit_type
    return next((found for notation in alternatives if (found := find(type, notation)) is not None), None)


def ansi_implicit_type(type: DataType, notation: str) -> DataType | None:
    head, parts = inner(notation)
    if is_numeric(type) and head == "decimal":
        return decimal_for(type)
    if isinstance(type, FloatType | DoubleType | DecimalType) and head == "integral":
        return None
    if is_string(type) and not parts:
        return None if head in ("array", "map", "struct", "integral", "interval") else concrete(notation)
    if isinstance(type, ArrayType) and head == "array" and parts:
        element = implicit_type(type.elementType, (parts[0],), True)
        return None if element is None else ArrayType(element, True)
    target = concrete(notation)
    if isinstance(type, VariantType) and is_string(target):
        return target
    return target if can_store(type, target) else None


def legacy_implicit_type(type: DataType, notation: str) -> DataType | None:
    head, parts = inner(notation)
    if is_null(type):
        return concrete(notation)
    if is_numeric(type) and head == "decimal":
        return decimal_for(type)
    if parts:
        return legacy_nested_type(type, head, parts)
    target = concrete(notation)
    return target if legacy_castable(type, target, head) else None


def legacy_castable(type: DataType, target: DataType, head: str) -> bool:
    if is_string(type):
        return head != "integral" and (is_numeric(target) or isinstance(target, (*DATETIME, BinaryType)))
    if is_string(target):
        return is_atomic(type) and not isinstance(type, CalendarIntervalType)
    if is_numeric(type):
        return is_numeric(target) and head in CONCRETE
    datetimes = DateType | TimestampType | TimestampNTZType
    return isinstance(type, datetimes) and isinstance(target, datetimes)


def legacy_nested_type(type: DataType, head: str, parts: tuple[str, ...]) -> DataType | None:
    if head == "array" and isinstance(type, ArrayType):
        element = implicit_type(type.elementType, (parts[0],), False)
        return None if element is None else ArrayType(element, True)
    if head == "map" and isinstance(type, MapType):
        key = implicit_type(type.keyType, (parts[0],), False)
        value = implicit_type(type.valueType, (parts[1],), False)
        if key is None or value is None or force_nullable(type.keyType, key):
            return None
        return MapType(key, value, type.valueContainsNull)
    return None


def is_void(type: DataType) -> bool:
    return isinstance(type, NullType | VariantType)
