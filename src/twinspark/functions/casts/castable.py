"""Decides which type may be cast to which, in each mode (Cast.canAnsiCast, canCast, canTryCast, canANSIStoreAssign)."""

from collections.abc import Callable

from twinspark.functions.casts.common_types import force_nullable, is_atomic
from twinspark.functions.casts.variants import castable_with_variant
from twinspark.types import (
    DATETIME,
    INTERVAL,
    ArrayType,
    BinaryType,
    BooleanType,
    CalendarIntervalType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    MapType,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    UserDefinedType,
    VariantType,
    YearMonthIntervalType,
    is_integral,
    is_null,
    is_numeric,
    is_string,
)

Castable = Callable[[DataType, DataType], bool]


def can_cast(source: DataType, target: DataType, mode: str) -> bool:
    """mode: ansi, legacy or try."""
    if mode == "ansi":
        return can_ansi_cast(source, target)
    return can_legacy_cast(source, target) if mode == "legacy" else can_try_cast(source, target)


def can_ansi_cast(source: DataType, target: DataType) -> bool:
    if source == target or is_null(source) or is_string(target):
        return True
    if is_nested(source) or is_nested(target):
        return nested_castable(source, target, can_ansi_cast, lambda a, b: isinstance(a, VariantType))
    return scalar_castable(source, target)


def can_legacy_cast(source: DataType, target: DataType) -> bool:
    if source == target or is_null(source) or is_string(target):
        return True
    if is_nested(source) or is_nested(target):
        return nested_castable(source, target, can_legacy_cast, force_nullable)
    return scalar_castable(source, target) or legacy_only(source, target)


def can_try_cast(source: DataType, target: DataType) -> bool:
    if is_nested(source) and is_nested(target):
        return nested_castable(source, target, can_legacy_cast, force_nullable)
    return can_ansi_cast(source, target)


def legacy_only(source: DataType, target: DataType) -> bool:
    if isinstance(target, BinaryType):
        return is_integral(source)
    if isinstance(target, BooleanType):
        return isinstance(source, DateType | TimestampType)
    if isinstance(target, TimestampType):
        return isinstance(source, BooleanType)
    return isinstance(source, DateType) and is_numeric(target)


def is_nested(type: DataType) -> bool:
    return isinstance(type, ArrayType | MapType | StructType | UserDefinedType)


def scalar_castable(source: DataType, target: DataType) -> bool:
    """The casts between atomic types that are allowed in both modes."""
    if isinstance(source, VariantType) or isinstance(target, VariantType):
        return castable_between_variant(source, target)
    if is_string(source):
        return not is_nested(target)
    if isinstance(target, BooleanType):
        return is_numeric(source)
    if isinstance(target, TimestampType):
        return isinstance(source, DateType | TimestampNTZType) or is_numeric(source)
    if isinstance(target, TimestampNTZType):
        return isinstance(source, DateType | TimestampType)
    if isinstance(target, DateType):
        return isinstance(source, TimestampType | TimestampNTZType)
    if isinstance(target, INTERVAL):
        return castable_to_interval(source, target)
    if is_numeric(target):
        return castable_to_number(source, target)
    return isinstance(source, TimeType) and isinstance(target, TimeType)


def castable_to_interval(source: DataType, target: DataType) -> bool:
    if is_integral(source) or isinstance(source, DecimalType):
        return True
    same = DayTimeIntervalType if isinstance(target, DayTimeIntervalType) else YearMonthIntervalType
    return isinstance(source, same)


def castable_to_number(source: DataType, target: DataType) -> bool:
    if isinstance(source, INTERVAL):
        return is_integral(target) or isinstance(target, DecimalType)
    if isinstance(source, TimeType):
        return is_integral(target) or isinstance(target, DecimalType)
    return is_numeric(source) or isinstance(source, BooleanType | TimestampType)


def nested_castable(source: DataType, target: DataType, inner: Castable, nulls: Castable) -> bool:
    if isinstance(source, VariantType) or isinstance(target, VariantType):
        return castable_between_variant(source, target)
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        return inner(source.elementType, target.elementType) and resolvable(
            source.containsNull or nulls(source.elementType, target.elementType), target.containsNull
        )
    if isinstance(source, MapType) and isinstance(target, MapType):
        return map_castable(source, target, inner, nulls)
    if isinstance(source, StructType) and isinstance(target, StructType):
        return len(source.fields) == len(target.fields) and all(
            inner(a.dataType, b.dataType) and resolvable(a.nullable or nulls(a.dataType, b.dataType), b.nullable)
            for a, b in zip(source.fields, target.fields, strict=True)
        )
    return False


def castable_between_variant(source: DataType, target: DataType) -> bool:
    """Variants can be cast to structs and maps, but only to_variant_object converts structs and maps to variants."""
    if isinstance(source, VariantType):
        return castable_with_variant(target, nested=True)
    return castable_with_variant(source, nested=False)


def map_castable(source: MapType, target: MapType, inner: Castable, nulls: Castable) -> bool:
    return (
        inner(source.keyType, target.keyType)
        and not (inner is not can_ansi_cast and nulls(source.keyType, target.keyType))
        and inner(source.valueType, target.valueType)
        and resolvable(source.valueContainsNull or nulls(source.valueType, target.valueType), target.valueContainsNull)
    )


def resolvable(source: bool, target: bool) -> bool:
    return not source or target


def can_store(source: DataType, target: DataType) -> bool:
    """ANSI store assignment, on which ANSI implicit casts are based (Cast.canANSIStoreAssign)."""
    if source == target or is_null(source):
        return True
    if is_numeric(source) and is_numeric(target):
        return True
    if is_string(target):
        return is_atomic(source) and not isinstance(source, CalendarIntervalType | VariantType | UserDefinedType)
    if isinstance(source, DATETIME) and isinstance(target, DATETIME):
        return True
    return nested_castable(source, target, can_store, lambda a, b: False) if is_nested(source) else False
