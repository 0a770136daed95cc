"""Finds the common type of two types, with and without ANSI mode (AnsiTypeCoercion, TypeCoercion)."""

from collections.abc import Callable, Sequence

from twinspark.errors import NotNative, reasons
from twinspark.types import (
    DATE,
    DATETIME,
    DOUBLE,
    FLOAT,
    INTERVAL,
    LONG,
    NULL,
    NUMERIC_PRECEDENCE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    BinaryType,
    BooleanType,
    CalendarIntervalType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VariantType,
    YearMonthIntervalType,
    decimal_for,
    decimal_holds,
    is_collated,
    is_integral,
    is_null,
    is_numeric,
    is_string,
    wider_decimal,
)

Finder = Callable[[DataType, DataType], DataType | None]
FRACTIONAL_TYPES = FloatType | DoubleType | DecimalType


def is_atomic(type: DataType) -> bool:
    return not isinstance(type, ArrayType | MapType | StructType | NullType)


def tightest_common_type(left: DataType, right: DataType, ansi: bool) -> DataType | None:
    """The type that holds all values of both without loss (findTightestCommonType)."""
    if left == right or is_null(right):
        return left
    if is_null(left):
        return right
    if is_string(left) and is_string(right):
        if is_collated(left) or is_collated(right):
            raise NotNative(reasons.COLLATION_CONFLICT, "strings with different collations")
        return STRING if left == STRING or right == STRING or left != right else left
    if is_integral(left) and isinstance(right, DecimalType):
        return right if decimal_holds(right, left) else None
    if isinstance(left, DecimalType) and is_integral(right):
        return left if decimal_holds(left, right) else None
    if left in NUMERIC_PRECEDENCE and right in NUMERIC_PRECEDENCE:
        return wider_number(left, right, ansi)
    if isinstance(left, DATETIME) and isinstance(right, DATETIME):
        return wider_datetime(left, right)
    if isinstance(left, INTERVAL) and isinstance(right, INTERVAL):
        return wider_interval(left, right)
    return common_nested(left, right, lambda a, b: tightest_common_type(a, b, ansi))


def wider_number(left: DataType, right: DataType, ansi: bool) -> DataType:
    wider = max(left, right, key=NUMERIC_PRECEDENCE.index)
    return DOUBLE if ansi and wider == FLOAT else wider


def wider_datetime(left: DataType, right: DataType) -> DataType | None:
    if isinstance(left, TimeType) or isinstance(right, TimeType):
        return None
    if isinstance(left, TimestampType) or isinstance(right, TimestampType):
        return TIMESTAMP
    return TIMESTAMP_NTZ if isinstance(left, TimestampNTZType) or isinstance(right, TimestampNTZType) else DATE


def wider_interval(left: DataType, right: DataType) -> DataType | None:
    if isinstance(left, DayTimeIntervalType) and isinstance(right, DayTimeIntervalType):
        return DayTimeIntervalType(min(left.startField, right.startField), max(left.endField, right.endField))
    if isinstance(left, YearMonthIntervalType) and isinstance(right, YearMonthIntervalType):
        return YearMonthIntervalType(min(left.startField, right.startField), max(left.endField, right.endField))
    return None


def common_nested(left: DataType, right: DataType, find: Finder) -> DataType | None:
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return common_array(left, right, find)
    if isinstance(left, MapType) and isinstance(right, MapType):
        return common_map(left, right, find)
    if isinstance(left, StructType) and isinstance(right, StructType):
        return common_struct(left, right, find)
    return None


def common_array(left: ArrayType, right: ArrayType, find: Finder) -> DataType | None:
    element = find(left.elementType, right.elementType)
    if element is None:
        return None
    contains_null = left.containsNull or right.containsNull
    return ArrayType(
        element,
        contains_null or force_nullable(left.elementType, element) or force_nullable(right.elementType, element),
    )


def common_map(left: MapType, right: MapType, find: Finder) -> DataType | None:
    key, value = find(left.keyType, right.keyType), find(left.valueType, right.valueType)
    if key is None or value is None or force_nullable(left.keyType, key) or force_nullable(right.keyType, key):
        return None
    contains_null = left.valueContainsNull or right.valueContainsNull
    return MapType(
        key,
        value,
        contains_null or force_nullable(left.valueType, value) or force_nullable(right.valueType, value),
    )


def common_struct(left: StructType, right: StructType, find: Finder) -> DataType | None:
    if len(left.fields) != len(right.fields):
        return None
    fields = []
    for a, b in zip(left.fields, right.fields, strict=True):
        type = find(a.dataType, b.dataType) if a.name.lower() == b.name.lower() else None
        if type is None:
            return None
        nullable = a.nullable or b.nullable or force_nullable(a.dataType, type) or force_nullable(b.dataType, type)
        fields.append(StructField(a.name, type, nullable))
    return StructType(fields)


def wider_type_for_decimal(left: DataType, right: DataType) -> DataType | None:
    if not (isinstance(left, DecimalType) or isinstance(right, DecimalType)):
        return None
    if isinstance(left, FloatType | DoubleType) or isinstance(right, FloatType | DoubleType):
        return DOUBLE
    return wider_decimal(decimal_for(left), decimal_for(right)) if is_numeric(left) and is_numeric(right) else None


def string_promotion(left: DataType, right: DataType, ansi: bool) -> DataType | None:
    """The common type of a string and another type: the other type under ANSI, otherwise string."""
    if is_string(right) and not is_string(left):
        left, right = right, left
    if not is_string(left) or not (is_atomic(right) or is_null(right)):
        return None
    if isinstance(right, VariantType):
        raise NotNative(reasons.TYPES_MIXED, "a string and a variant")
    return ansi_string_promotion(left, right) if ansi else legacy_string_promotion(left, right)


def ansi_string_promotion(text: DataType, other: DataType) -> DataType | None:
    if is_integral(other):
        return LONG
    if isinstance(other, FRACTIONAL_TYPES):
        return DOUBLE
    if isinstance(other, (*INTERVAL, CalendarIntervalType)):
        return None
    return text if is_null(other) or is_string(other) else other


def legacy_string_promotion(text: DataType, other: DataType) -> DataType | None:
    return None if isinstance(other, BinaryType | BooleanType | NullType | CalendarIntervalType) else text


def wider_type(left: DataType, right: DataType, ansi: bool) -> DataType | None:
    """TypeCoercionHelper.findWiderTypeForTwo."""
    return (
        tightest_common_type(left, right, ansi)
        or wider_type_for_decimal(left, right)
        or string_promotion(left, right, ansi)
        or common_nested(left, right, lambda a, b: wider_type(a, b, ansi))
    )


def wider_type_without_strings(left: DataType, right: DataType, ansi: bool) -> DataType | None:
    return (
        tightest_common_type(left, right, ansi)
        or wider_type_for_decimal(left, right)
        or common_nested(left, right, lambda a, b: wider_type_without_strings(a, b, ansi))
    )


def has_string(type: DataType) -> bool:
    return is_string(type) or (isinstance(type, ArrayType) and has_string(type.elementType))


def common_type(types: Sequence[DataType], ansi: bool) -> DataType | None:
    """TypeCoercion.findWiderCommonType: without ANSI, strings come first, since string promotion is not associative."""
    if not ansi:
        types = sorted(types, key=lambda type: not has_string(type))
    return fold(types, lambda a, b: wider_type(a, b, ansi))


def common_type_without_strings(types: Sequence[DataType], ansi: bool) -> DataType | None:
    return fold(types, lambda a, b: wider_type_without_strings(a, b, ansi))


def fold(types: Sequence[DataType], find: Finder) -> DataType | None:
    found: DataType | None = NULL
    for type in types:
        found = None if found is None else find(found, type)
    return found


def force_nullable(source: DataType, target: DataType) -> bool:
    """Whether the cast may return null for a value that is not null (Cast.forceNullable)."""
    if is_null(source) or source == target:
        return False
    if isinstance(source, VariantType):
        return True
    if is_string(source):
        return not (isinstance(target, BinaryType) or is_string(target))
    if is_string(target):
        return False
    return force_nullable_values(source, target)


def force_nullable_values(source: DataType, target: DataType) -> bool:
    name = target.typeName()
    if isinstance(source, TimestampType) and name in ("byte", "tinyint", "short", "smallint", "integer"):
        return True
    if isinstance(source, TimeType) and name in ("byte", "tinyint", "short", "smallint"):
        return True
    if isinstance(source, FloatType | DoubleType) and isinstance(target, TimestampType):
        return True
    if isinstance(target, DateType):
        return not isinstance(source, TimestampType)
    if isinstance(source, DateType):
        return not isinstance(target, TimestampType)
    if name == "interval":
        return True
    if isinstance(target, DecimalType):
        return not fits_decimal(source, target)
    return isinstance(source, FRACTIONAL_TYPES) and is_integral(target)


def fits_decimal(source: DataType, target: DecimalType) -> bool:
    if isinstance(source, BooleanType):
        return target.precision - target.scale >= 1
    if isinstance(source, DecimalType):
        return decimal_holds(target, source) or target.precision - target.scale > source.precision - source.scale
    return is_numeric(source) and decimal_holds(target, source)


def can_up_cast(source: DataType, target: DataType) -> bool:
    """Whether no value loses information (UpCastRule.canUpCast), for the types that occur in practice."""
    if source == target or is_null(source) or (is_string(target) and is_atomic(source)):
        return True
    if not is_atomic(source) or not is_atomic(target):
        return up_casts_nested(source, target)
    if {source.typeName(), target.typeName()} == {"timestamp", "long"}:
        return True
    if isinstance(target, DecimalType):
        return is_numeric(source) and decimal_holds(target, source)
    if isinstance(source, DecimalType):
        return is_numeric(target) and not isinstance(target, FloatType | DoubleType) and decimal_within(source, target)
    if source in NUMERIC_PRECEDENCE and target in NUMERIC_PRECEDENCE:
        return NUMERIC_PRECEDENCE.index(source) < NUMERIC_PRECEDENCE.index(target)
    if isinstance(source, DateType | TimestampNTZType | TimestampType):
        return up_casts_datetime(source, target)
    return False


def up_casts_nested(source: DataType, target: DataType) -> bool:
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        loses = source.containsNull and not target.containsNull
        return not loses and can_up_cast(source.elementType, target.elementType)
    if isinstance(source, StructType) and isinstance(target, StructType):
        return len(source.fields) == len(target.fields) and all(
            (b.nullable or not a.nullable) and can_up_cast(a.dataType, b.dataType)
            for a, b in zip(source.fields, target.fields, strict=True)
        )
    if isinstance(source, MapType) and isinstance(target, MapType):
        loses = source.valueContainsNull and not target.valueContainsNull
        keys = can_up_cast(source.keyType, target.keyType)
        return not loses and keys and can_up_cast(source.valueType, target.valueType)
    return False


def decimal_within(source: DecimalType, target: DataType) -> bool:
    wanted = decimal_for(target)
    return source.scale == 0 and source.precision < wanted.precision


def up_casts_datetime(source: DataType, target: DataType) -> bool:
    if isinstance(target, StringType):
        return True
    if isinstance(source, DateType):
        return isinstance(target, TimestampType | TimestampNTZType)
    return (isinstance(source, TimestampNTZType) and isinstance(target, TimestampType)) or (
        isinstance(source, TimestampType) and isinstance(target, TimestampNTZType)
    )
