"""Makes casts: those the user wrote, and those that analysis adds where types meet."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from twinspark.errors import NotNative, SparkError
from twinspark.functions.castable import can_cast, can_legacy_cast, can_try_cast
from twinspark.functions.common_types import (
    can_up_cast,
    force_nullable,
)
from twinspark.functions.settings import Settings
from twinspark.functions.typing import quoted, type_text
from twinspark.plan.expressions import Call, Cast, Expression, Literal, OuterColumn, children_of
from twinspark.types import (
    ArrayType,
    BinaryType,
    DataType,
    DateType,
    DecimalType,
    MapType,
    StructType,
    TimestampNTZType,
    TimestampType,
    UserType,
    VariantType,
    has_geospatial,
    has_time,
    has_user_type,
    is_integral,
    is_null,
    is_numeric,
    is_string,
    plain_type,
    same_letters,
    same_type,
    sql_name,
    stored_type,
)


def cast(
    child: Expression, target: DataType, settings: Settings, mode: str | None = None, *, shown: bool = True
) -> Expression:
    """A cast the user wrote; `mode` is the session's unless given; one to CHAR(n) is one to STRING."""
    target = plain_type(target)
    mode = mode or ("ansi" if settings.ansi else "legacy")
    hidden = not shown or isinstance(target, ArrayType | MapType | StructType)  # Cast.sql leaves these out
    text = child.text if hidden else f"{'TRY_CAST' if mode == 'try' else 'CAST'}({child.text} AS {sql_name(target)})"
    check_time(target, settings)
    if has_geospatial(child.type) or has_geospatial(target):
        raise NotNative("a cast from or to geometries")
    if has_user_type(child.type) or has_user_type(target):
        return cast_user_type(child, target, text, settings, mode)
    if (isinstance(child.type, VariantType) and has_time(target)) or (
        isinstance(target, VariantType) and has_time(child.type)
    ):
        raise NotNative("a time of day cast from or to a variant")
    if not can_cast(child.type, target, mode):
        raise cast_mismatch(child, target, text, mode)
    check_special(child, target)
    return Cast(
        child=child,
        type=target,
        nullable=cast_nullable(child, target, mode),
        text=text,
        mode=mode,
        settings=settings,
    )


def cast_user_type(child: Expression, target: DataType, text: str, settings: Settings, mode: str) -> Expression:
    """Spark knows the class of a type that is Java's: what its values look like as texts is that class's own."""
    if same_type(child.type, target):
        return child
    if isinstance(child.type, UserType) and isinstance(target, UserType):
        raise NotNative("a cast between user-defined types", nearest=cast_mismatch(child, target, text, mode))
    if is_string(target) and isinstance(child.type, UserType) and not child.type.jvm_class:
        return replace(cast(unwrapped(child), target, settings, mode), text=text)
    raise NotNative("a cast from or to a user-defined type")


def unwrapped(child: Expression) -> Expression:
    """The same values under the type that they are kept in."""
    return replace(child, type=stored_type(child.type))


def check_time(target: DataType, settings: Settings) -> None:
    """Casts to times are refused where the type is off, constants of them are not (TypeUtils)."""
    if not settings.time_type and has_time(target):
        raise SparkError("UNSUPPORTED_TIME_TYPE")


SPECIAL = re.compile(r"\s*(epoch|now|today|tomorrow|yesterday)\b.*", re.I | re.S)


def check_special(child: Expression, target: DataType) -> None:
    """Constants such as 'now' mean a moment when they are cast (SpecialDatetimeValues)."""
    moment = isinstance(target, DateType | TimestampType | TimestampNTZType)
    value = child.value if moment and isinstance(child, Literal) else None
    if isinstance(value, str) and SPECIAL.fullmatch(value):
        raise NotNative("a special date or time such as 'now'")


def implicit_cast(child: Expression, target: DataType, settings: Settings) -> Expression:
    """A cast that analysis adds: invisible in names, none when only nullability differs."""
    if child.type == target:
        return child
    check_time(target, settings)
    if is_null(child.type):
        kept = may_raise(child) or isinstance(child, OuterColumn)  # a subquery's name shows its outer columns
        return cast(child, target, settings, shown=False) if kept else nulled(child, target)
    if same_letters(child.type, target):
        return child
    if isinstance(child.type, VariantType):
        raise NotNative(f"a variant taken as {target.simpleString()}")
    return cast(child, target, settings, shown=False)


def may_raise(child: Expression) -> bool:
    """Of no type but not just null: raise_error, assert_true, elements of empty arrays, and conditions around them."""
    if isinstance(child, Call) and child.name in ("raise_error", "assert_true", "element_at", "getarrayitem"):
        return True
    return any(map(may_raise, children_of(child)))


def nulled(child: Expression, target: DataType) -> Expression:
    return Literal(value=None, type=target, nullable=True, text=child.text)


def cast_nullable(child: Expression, target: DataType, mode: str) -> bool:
    if mode != "try":
        return child.nullable or force_nullable(child.type, target)
    if is_string(child.type) and isinstance(target, BinaryType):
        return child.nullable
    if isinstance(child.type, VariantType):
        return child.nullable or not isinstance(target, VariantType)
    if isinstance(child.type, DecimalType) and is_integral(target):
        return True
    return child.nullable or not can_up_cast(child.type, target)


def cast_mismatch(child: Expression, target: DataType, text: str, mode: str) -> SparkError:
    names = suggested_functions(child.type, target)
    common: dict[str, Any] = {
        "sqlExpr": quoted(text),
        "srcType": type_text(child.type),
        "targetType": type_text(target),
    }
    if isinstance(child.type, ArrayType | MapType | StructType):
        raise NotNative("a cast between nested types that is refused")
    if mode == "legacy":
        return SparkError("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", **common)
    if names:
        return SparkError("DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION", functionNames=names, **common)
    if mode == "ansi" and can_legacy_cast(child.type, target):
        return SparkError(
            "DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION",
            config='"spark.sql.ansi.enabled"',
            configVal="'false'",
            **common,
        )
    if can_try_cast(child.type, target):
        return SparkError("DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION", functionNames="`try_cast`", **common)
    return SparkError("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", **common)


def suggested_functions(source: DataType, target: DataType) -> str:
    if is_numeric(source) and isinstance(target, DateType):
        return "`DATE_FROM_UNIX_DATE`"
    if isinstance(source, DateType) and is_numeric(target):
        return "`UNIX_DATE`"
    if is_numeric(source) and isinstance(target, TimestampType):
        return "`TIMESTAMP_SECONDS`/`TIMESTAMP_MILLIS`/`TIMESTAMP_MICROS`"
    if isinstance(source, TimestampType) and is_numeric(target):
        return "`UNIX_SECONDS`/`UNIX_MILLIS`/`UNIX_MICROS`"
    return ""
